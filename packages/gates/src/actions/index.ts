export { isLocalSource } from './effects.ts'
