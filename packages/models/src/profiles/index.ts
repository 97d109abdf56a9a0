export { type Price, priceOf } from './model-prices.ts'
export {
  type ConfiguredModel,
  environmentModel,
  keysOf,
  modelSection,
  models,
  providerOf,
  vendorNames,
} from './models.ts'
export { mindSection } from './reasoning-settings.ts'
export { createTokenCounter } from './tokens.ts'
export {
  type Budget,
  budgetSection,
  dayOf,
  meterOf,
  readUsage,
  spentOf,
  type UsageRow,
  usageFolder,
} from './usage.ts'
