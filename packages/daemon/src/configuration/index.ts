export {
  type ConfigChange,
  configText,
  editConfig,
  entryLines,
  showConfig,
  writeConfig,
} from './config-edit.ts'
