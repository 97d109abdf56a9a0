export { actuators } from './actuators.ts'
export { dateWords, dayOf, readOrgStamp } from './dates.ts'
export { aligned, seenBy, titleWords } from './note-text.ts'
