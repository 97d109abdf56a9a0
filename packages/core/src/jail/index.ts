export { type Contribution, JailError } from './data.ts'
export { GateJail } from './gate-jail.ts'
export { Jail, type JailLimits, type JailVerdict, jailDefaults } from './jail.ts'
