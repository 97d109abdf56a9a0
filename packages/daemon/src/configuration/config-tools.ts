import { createHash } from 'node:crypto'
import {
  type Action,
  commandName,
  defineSkill,
  type Gate,
  type GateContext,
  messageOf,
  type Skill,
  singleLine,
  type Tool,
  type ToolResult,
  type Verdict,
} from '@passepartout/core'
import { z } from 'zod'
import {
  type ConfigTable,
  configText,
  editConfig,
  entryLines,
  showConfig,
  writeConfig,
} from './config-edit.ts'

/** Asks about every change of the configuration, and refuses those that a stranger's words led to. */
export function checkConfigChange({ payload }: Action, { signal }: GateContext): Verdict {
  if (payload.tool !== 'change-config') return { kind: 'pass' }
  const { origin } = signal.meta
  if (origin === 'web' || origin === 'message') {
    const reason = 'words from outside do not change the configuration'
    return { kind: 'reject', reason, rule: 'config.outside' }
  }
  const change = createHash('sha256')
    .update(JSON.stringify(payload.args ?? {}))
    .digest('hex')
  const reason = 'the configuration would change'
  return { kind: 'approval', reason, rule: `config.change.${change.slice(0, 32)}` }
}

const gate: Gate = { name: 'config', priority: 594, check: checkConfigChange }

const parameters = z.object({
  headline: singleLine()
    .max(121)
    .describe('the headline in config.org, such as the name of a model'),
  property: singleLine().max(41).describe('the name of the property, in capitals'),
  value: singleLine().max(500).nullable().describe('the new value; null takes the property away'),
})

/** The tools over the file at this path; the table is made anew for each reading. */
export function configTools(path: string, table: () => ConfigTable): Tool[] {
  const edited = (args: Record<string, unknown>) => {
    const before = configText(path)
    return { before, edit: editConfig(before, parameters.parse(args), table) }
  }
  const show: Tool = {
    name: 'show-config',
    description: 'Shows what is configured: models, budgets, thinking. Secrets are not in it.',
    parameters: z.object({}),
    readOnly: true,
    async run() {
      const entries = showConfig(configText(path)).map(({ properties, ...entry }) => ({
        ...entry,
        properties: properties.map(({ name, value }) => ({
          name,
          value: name === 'APPROVER' ? '(hidden)' : value,
        })),
      }))
      return { status: 'success', content: entryLines(entries) || 'Nothing is configured.' }
    },
  }
  const change: Tool = {
    name: 'change-config',
    description:
      'Changes one property of one headline of the configuration, after the owner’s yes.',
    parameters,
    readOnly: false,
    permission: 'ask',
    guard(args) {
      const { edit } = edited(args)
      return edit.ok ? null : edit.reason
    },
    async preview(args) {
      const { edit } = edited(args)
      return edit.ok ? edit.diff : edit.reason
    },
    async run(args): Promise<ToolResult> {
      const { before, edit } = edited(args)
      if (!edit.ok) return { status: 'error', message: edit.reason }
      try {
        writeConfig(path, before, edit.text)
      } catch (error) {
        return { status: 'error', message: messageOf(error) }
      }
      return { status: 'success', content: `It is written; “${commandName} reload” takes it over.` }
    },
  }
  return [show, change]
}

/** The skill that knows the configuration. */
export function createConfigSkill(path: string, table: () => ConfigTable): Skill {
  return defineSkill({
    name: 'config',
    description: 'Shows the configuration, and changes a property of it after a yes.',
    offeredFor: ['configure', 'configuration', 'config', 'setting'],
    gates: [gate],
    tools: configTools(path, table),
  })
}
