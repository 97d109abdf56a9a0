export { approverSection } from './approvers.ts'
export { type Ledger, ledgerPath, openLedger, summary } from './delivery-ledger.ts'
export { type GatewayName, type GatewaySettings, gatewayNames, gatewaySection } from './gateway.ts'
export {
  createGatewaysSkill,
  type GatewayHall,
  type GatewayNeeds,
  linkGateways,
  newHall,
} from './gateways.ts'
export { allow, deny, isPaired, newCode, people } from './pairing.ts'
export { whoIs } from './telegram.ts'
