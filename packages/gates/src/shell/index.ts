export { catastropheRules } from './catastrophes.ts'
export { networkRules } from './network.ts'
export { judgeShell } from './shell.ts'
