export { levelOfName, pathRules } from './secret.ts'
export { writeRules } from './write.ts'
