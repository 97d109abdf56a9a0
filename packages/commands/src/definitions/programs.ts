import type { Program } from '../line/program.ts'
import * as abilities from './ability-programs.ts'
import * as notes from './note-programs.ts'
import * as settings from './settings-programs.ts'

export * from './ability-programs.ts'
export * from './note-programs.ts'
export * from './settings-programs.ts'

const { agenda, backlinks, garden, search, sessions, show } = notes
const { agentsMd, backup, importMemories, memory, restore, why } = notes
const { config, doctor, models, setup, usage, vault } = settings
const { events, gates, gateway, skill } = abilities

/** All programs but those below `mcp`. */
export const programs: readonly Program[] = [
  ...[search, show, agenda, backlinks, sessions, garden, importMemories, agentsMd],
  ...[memory, why, backup, restore],
  ...[setup, doctor, config, vault, models, usage],
  ...[skill, gates, events, gateway],
]
