export { actuators } from './actuators.ts'
export { dayOf, readOrgStamp } from './dates.ts'
export { aligned, seenBy, titleWords } from './note-text.ts'
