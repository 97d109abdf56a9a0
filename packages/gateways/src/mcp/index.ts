export {
  cleanLine,
  cleanText,
  createMcpClient,
  descriptionOf,
  type McpClient,
  parametersOf,
  parametersText,
} from './client.ts'
export { type McpServerConfig, mcpSection } from './config.ts'
export { connectToServer } from './connect.ts'
export {
  approved,
  compared,
  hasPins,
  type ListedTool,
  localName,
  pinsPath,
  readPins,
  type Standing,
  writePins,
} from './pins.ts'
