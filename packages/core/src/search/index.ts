export {
  type AgendaDay,
  type AgendaItem,
  type AgendaKind,
  type AgendaSettings,
  agenda,
  diaryNotes,
} from './agenda.ts'
export {
  assembleContext,
  type ContextOptions,
  type ContextPlace,
  explainContext,
} from './context.ts'
export { type EmbeddingBackend, EmbeddingFault, trigramBackend } from './embedding.ts'
export type { EmbeddingStatus, EmbeddingsOptions, SimilarOptions } from './embedding-backlog.ts'
export { Embeddings } from './embeddings.ts'
export { explainText, textTerms } from './full-text.ts'
export {
  backlinks,
  brokenLinks,
  byPlace,
  Indexes,
  isOrphan,
  linksFrom,
  linkTarget,
} from './indexes.ts'
export {
  type Leaf,
  listObjectsWithAttribute,
  type Query,
  type QueryHit,
  type QueryOptions,
  querySchema,
  runQuery,
} from './query.ts'
export { isPlainWords, parseQuery, pointedError, QueryError } from './query-language.ts'
export {
  type Hit,
  type RetrieveOptions,
  retrieve,
  retrieveHybrid,
  type Source,
} from './retrieval.ts'
export { type KeptVectors, openVectors } from './vector-store.ts'
