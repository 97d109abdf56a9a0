export { type Contribution, JailError } from './data.ts'
export { Jail, type JailLimits, type JailVerdict } from './jail.ts'
