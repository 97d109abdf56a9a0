import { z } from 'zod'
import type { Gate, GateContext, GatePanel, PanelAnswer, Verdict } from '../contract/gate.ts'
import type { Action, Signal } from '../contract/signal.ts'
import { type Contribution, JailError, type ParameterWords } from '../jail/data.ts'
import type { GateJail } from '../jail/gate-jail.ts'
import type { AskedGate, Effects, Jail, JailVerdict } from '../jail/jail.ts'
import type { Runtime, Skill, SkillJob, Tool, ToolResult } from '../pipeline/runtime.ts'
import type { SkillDocument } from './skill-document.ts'
import { effectsOf } from './skill-effects.ts'
import type { SkillOrigin } from './skill-grants.ts'

/** A document whose code is loaded. */
export interface RunningSkill {
  document: SkillDocument
  from: SkillOrigin
  contributions: readonly Contribution[]
  /** Aborted when the skill is taken out: what it has asked for and was not done yet, is not done. */
  stop: AbortController
}

/** Where the parts of a skill find what they call. */
export interface Cells {
  /** Where the gates of all skills are asked. */
  panel: GatePanel
  /** The jail of everything else that a skill brings. */
  work(skill: string): Jail
  /** Told how each call ended, and of which entry; null when it was well. */
  ended(skill: string, error: unknown, entry: string): void
  /** What the skill's last hook or job wants to be told. */
  stateOf(skill: string): unknown
}

const verdictSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('pass') }),
  z.object({ kind: z.literal('change'), action: z.looseObject({}) }),
  z.object({ kind: z.literal('reject'), reason: z.string().max(4_000) }),
  z.object({ kind: z.literal('approval'), reason: z.string().max(4_000) }),
])

function gateInput(action: Action, { memexDir, ownerWords, signal, tools }: GateContext) {
  const { permission, reach, readOnly } = tools.get(action.payload.tool ?? '') ?? {}
  const { meta, payload, depth } = signal
  return {
    action,
    signal: { sensor: payload.sensor, source: meta.source, origin: meta.origin, depth },
    tool: { permission, reach, readOnly },
    ownerWords,
    memexDir,
  }
}

/** The panel of a jail in which the gates of skills are. */
export function panelOf(jail: Pick<GateJail, 'judge'>, ended: Cells['ended']): GatePanel {
  return {
    async ask(gates, action, context) {
      const asked = gates.map(({ name }) => {
        const [skill = '', gate = ''] = name.split('.')
        return { skill, entry: `gate:${gate}` }
      })
      try {
        const judged = await jail.judge(asked, gateInput(action, context))
        return judged.map((each, at) => answered(each, asked[at]!, ended))
      } catch (error) {
        for (const { entry, skill } of asked) ended(skill, error, entry)
        throw error
      }
    },
  }
}

function answered(
  { micros, ...given }: JailVerdict,
  { entry, skill }: AskedGate,
  ended: Cells['ended'],
): PanelAnswer {
  const read = 'said' in given ? verdictSchema.safeParse(given.said) : null
  if (read?.success === true) {
    ended(skill, null, entry)
    return { said: { ...read.data, rule: `skill.${skill}` }, micros }
  }
  const error =
    'error' in given ? given.error : new JailError('shape', 'its verdict is out of shape')
  ended(skill, error, entry)
  return { error, micros }
}

function gateOf(skill: string, name: string, priority: number, { panel }: Cells): Gate {
  const check = (): Verdict => ({
    kind: 'reject',
    reason: `The gate ${name} of ${skill} can only be asked in its jail`,
    rule: `skill.${skill}`,
  })
  return { name: `${skill}.${name}`, priority, check, panel }
}

const schemas = {
  string: () => z.string(),
  number: () => z.number(),
  integer: () => z.int(),
  boolean: () => z.boolean(),
  strings: () => z.array(z.string()),
}

/** A schema for parameters that were described in words. */
export function schemaOf(parameters: Record<string, ParameterWords>): z.ZodObject {
  const entries = Object.entries(parameters).map(([name, { about, optional, type }]) => {
    const schema = about === '' ? schemas[type]() : schemas[type]().describe(about)
    return [name, optional ? schema.optional() : schema] as const
  })
  return z.strictObject(Object.fromEntries(entries))
}

type ToolWords = Extract<Contribution, { kind: 'tool' }>

function toolOf({ about, name, parameters }: ToolWords, running: RunningSkill, cells: Cells): Tool {
  const { document, from } = running
  const readOnly = !document.capabilities.some((word) => word.startsWith('call:'))
  return {
    name,
    description: about,
    parameters: schemaOf(parameters),
    readOnly,
    permission: 'allow',
    async run(args, { abort, runtime, signal }): Promise<ToolResult> {
      const effects = doorOf(runtime, running, signal, abort)
      const input = { args, ...momentOf(runtime, document.name, cells) }
      const said = await called(running, `tool:${name}`, input, effects, cells)
      const content = typeof said === 'string' ? said : JSON.stringify(said)
      return from === 'elsewhere'
        ? { status: 'success', content, origin: 'message' }
        : { status: 'success', content }
    },
  }
}

function doorOf(
  runtime: Runtime,
  running: RunningSkill,
  signal: Signal,
  abort: AbortSignal,
): Effects {
  const { capabilities, name } = running.document
  const requester = { name, capabilities, isOwners: running.from === 'owner' }
  return effectsOf(runtime, requester, signal, AbortSignal.any([abort, running.stop.signal]))
}

function momentOf(runtime: Runtime, skill: string, cells: Cells) {
  return { at: runtime.clock.now().toISOString(), state: cells.stateOf(skill) ?? null }
}

async function called(
  { document }: RunningSkill,
  entry: string,
  input: unknown,
  effects: Effects,
  cells: Cells,
): Promise<unknown> {
  try {
    const said = await cells.work(document.name).call(document.name, entry, input, effects)
    cells.ended(document.name, null, entry)
    return said
  } catch (error) {
    cells.ended(document.name, error, entry)
    throw error
  }
}

/** What a hook or a job said. */
type Remark = { notice?: string | undefined; state?: unknown } | null

const remark: z.ZodType<Remark> = z
  .strictObject({ notice: z.string().max(2_000).optional(), state: z.unknown() })
  .partial()
  .nullable()

/** Runs a hook or a job, such as `hook:heartbeat`. Rejects with what went wrong. */
export async function runEntry(
  runtime: Runtime,
  running: RunningSkill,
  entry: string,
  signal: Signal,
  cells: Cells,
): Promise<Remark> {
  const { document } = running
  const effects = doorOf(runtime, running, signal, new AbortController().signal)
  const { sensor, text } = signal.payload
  const input = { signal: { sensor, text }, ...momentOf(runtime, document.name, cells) }
  return remark.parse(await called(running, entry, input, effects, cells))
}

/** The skill as the rest of the house knows it. */
export function skillOf(running: RunningSkill, cells: Cells): Skill {
  const { description, instructions, mandate, name, prompt, title, triggers } = running.document
  const about = description || title || name
  const hint = `There are instructions called ${name} (${about}). Read them with the tool read-skill when a task fits.`
  const parts = [prompt, instructions === '' ? '' : hint].filter((part) => part !== '')
  const gates = running.contributions.flatMap((each) =>
    each.kind === 'gate' ? [gateOf(name, each.name, each.priority, cells)] : [],
  )
  const isCore = triggers.length === 0
  const tools = running.contributions.flatMap((each) =>
    each.kind === 'tool' ? [{ ...toolOf(each, running, cells), isCore }] : [],
  )
  const jobs = running.contributions.flatMap((each) =>
    each.kind === 'job' ? [jobOf(name, each.name, each.cron)] : [],
  )
  return {
    name,
    description: about,
    dependsOn: [...running.document.dependsOn],
    priority: running.document.priority,
    ...(parts.length === 0 ? {} : { prompt: parts.join('\n') }),
    ...(mandate === '' ? {} : { mandates: mandate }),
    offeredFor: triggers,
    trigger: ({ payload }) => isMeant(triggers, String(payload.text ?? '')),
    ...(jobs.length === 0 ? {} : { jobs }),
    gates,
    tools,
  }
}

function jobOf(skill: string, job: string, when: string): SkillJob {
  return { name: `${skill}.${job}`, when, payload: { sensor: 'job-skill', skill, job } }
}

function isMeant(triggers: readonly string[], text: string): boolean {
  if (triggers.length === 0) return true
  const words = new Set(text.toLowerCase().split(/[^\p{L}\p{N}-]+/u))
  return triggers.some((word) => words.has(word))
}
