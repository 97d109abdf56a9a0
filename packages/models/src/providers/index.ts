export { createRedactor } from './provider-faults.ts'
export { defaultTimeouts } from './provider-stream.ts'
export { openWire } from './provider-wire.ts'
