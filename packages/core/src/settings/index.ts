export {
  type Config,
  type ConfigEntry,
  type ConfigProblem,
  type ConfigSection,
  configPath,
  defineSection,
  duration,
  formatProblem,
  oneOf,
  parseConfig,
  parseConfigFile,
  type SecretFinder,
  whole,
  words,
} from './config.ts'
export { keyOf, readAddress, type Secrets, warnOfClearText } from './endpoint.ts'
