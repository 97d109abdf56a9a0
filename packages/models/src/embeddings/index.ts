export { embeddingBackend } from './embedding-backends.ts'
export { embeddingSection, openEmbeddings } from './embedding-config.ts'
