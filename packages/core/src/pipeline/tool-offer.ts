import { messageOf } from '../base/printing.ts'
import type { ToolSpec } from '../contract/provider.ts'
import type { Signal } from '../contract/signal.ts'
import { toolJson } from '../contract/tool-schema.ts'
import { termsOf } from '../search/terms.ts'
import type { Entry } from '../transcript/transcript.ts'
import type { Runtime, Skill, Tool } from './runtime.ts'

/** Tools that come in together. */
interface ToolGroup {
  name: string
  /** What it is for, in a sentence. */
  about: string
  /** In the order of their names. */
  tools: Tool[]
  skill: Skill | null
}

interface Offerable {
  core: Tool[]
  /** In the order of their names. */
  groups: ToolGroup[]
}

function offerable(runtime: Runtime, signal: Signal): Offerable {
  const hidden = hiddenNames(runtime, signal)
  if (hidden === null) return { core: [], groups: [] }
  const owners = new Map(
    runtime.skills.flatMap((skill) =>
      (skill.tools ?? []).map(({ name }) => [name, skill] as const),
    ),
  )
  const all = [...runtime.tools.values()].filter(({ name }) => !hidden.has(name)).sort(byName)
  const core = all.filter(({ isCore }) => isCore === true)
  const others = all.filter((tool) => tool.isCore !== true)
  const nameOf = (tool: Tool) =>
    tool.foreign === undefined ? (owners.get(tool.name)?.name ?? 'others') : serverOf(tool)
  const groups = [...Map.groupBy(others, nameOf)].map(([name, tools]): ToolGroup => {
    const skill = tools[0]?.foreign === undefined ? (owners.get(tools[0]!.name) ?? null) : null
    const about = skill?.description ?? 'Tools of another program.'
    return { name, about, tools, skill }
  })
  return { core, groups: groups.sort(byName) }
}

function byName(a: { name: string }, b: { name: string }): number {
  return a.name < b.name ? -1 : 1
}

/** `mcp-calendar` for `mcp-calendar-list-events`. */
function serverOf({ name }: Tool): string {
  return name.split('-').slice(0, 2).join('-')
}

function hiddenNames(runtime: Runtime, signal: Signal): Set<string> | null {
  const hidden = new Set<string>()
  for (const skill of runtime.skills) {
    try {
      for (const name of skill.hiddenTools?.(runtime, signal) ?? []) hidden.add(name)
    } catch (error) {
      const why = messageOf(error)
      runtime.log('error', `${skill.name} could not say which tools it hides: ${why}`)
      return null
    }
  }
  return hidden
}

function terms(text: string): Set<string> {
  return new Set(termsOf(text.slice(0, 2_000), 'en'))
}

function isNamed({ name, skill, tools }: ToolGroup, words: ReadonlySet<string>): boolean {
  const own = skill?.offeredFor ?? (skill === null ? [name, ...tools.map((tool) => tool.name)] : [])
  const plain = own
    .join(' ')
    .replace(/\bmcp-/g, '')
    .replaceAll('-', ' ')
  return termsOf(plain, 'en').some((term) => words.has(term))
}

function wordsAbout({ about, name, skill, tools }: ToolGroup): Set<string> {
  const said = tools.map((tool) => `${tool.name} ${tool.description}`)
  const text = [name, about, ...(skill?.offeredFor ?? []), ...said].join(' ')
  return terms(text.replaceAll('-', ' '))
}

/** The groups that fit a need, the best first; none when nothing fits. */
function fitting(groups: readonly ToolGroup[], need: string): ToolGroup[] {
  const same = groups.filter(
    ({ name, tools }) => name === need || tools.some((tool) => tool.name === need),
  )
  if (same.length > 0) return same
  const words = groups.map(wordsAbout)
  const weight = (term: string) => {
    const count = words.filter((own) => own.has(term)).length
    return count === 0 ? 0 : 1 / count
  }
  const wanted = [...terms(need)].map((term) => ({ term, weight: weight(term) }))
  const ranked = groups.map((group, at) => ({
    group,
    score: wanted.reduce((sum, one) => sum + (words[at]!.has(one.term) ? one.weight : 0), 0),
  }))
  const best = Math.max(0, ...ranked.map(({ score }) => score))
  const near = ranked.filter(({ score }) => score > 0 && score >= best * 0.6)
  return near
    .sort((a, b) => b.score - a.score)
    .slice(0, 2)
    .map(({ group }) => group)
}

/** The name of the tool with which a model looks for others; its argument is the need. */
export const findToolsName = 'find-tools'

/** The groups that these entries have brought in, in the order in which they came. */
function groupsIn(groups: readonly ToolGroup[], entries: readonly Entry[]): ToolGroup[] {
  const found = new Set<ToolGroup>()
  for (const entry of entries) {
    if (entry.kind === 'words' && entry.origin !== 'web' && entry.origin !== 'message') {
      const words = terms(entry.text)
      for (const group of groups) if (isNamed(group, words)) found.add(group)
    }
    if (entry.kind !== 'answer') continue
    for (const { args, tool } of entry.calls) {
      for (const group of groupsCalled(groups, tool, args)) found.add(group)
    }
  }
  return [...found]
}

function groupsCalled(groups: readonly ToolGroup[], tool: string, args: unknown): ToolGroup[] {
  if (tool !== findToolsName)
    return groups.filter(({ tools }) => tools.some(({ name }) => name === tool))
  const { need } = (args ?? {}) as { need?: unknown }
  return typeof need === 'string' ? fitting(groups, need) : []
}

/** How much room the tools may take. */
interface OfferRoom {
  tokensMax: number
  count: (text: string) => number
}

/** The tools that a model is offered after these entries, for this signal. */
export function offerFor(
  runtime: Runtime,
  entries: readonly Entry[],
  signal: Signal,
  room: OfferRoom = { tokensMax: Number.POSITIVE_INFINITY, count: () => 0 },
): ToolSpec[] {
  const { core, groups } = offerable(runtime, signal)
  const wanted = [...core, ...groupsIn(groups, entries).flatMap(({ tools }) => tools)]
  let left = room.tokensMax
  const end = wanted.findIndex((tool) => {
    left -= room.count(toolJson(tool))
    return left < 0
  })
  const kept = end < 0 ? wanted : wanted.slice(0, end)
  return kept.map(({ description, name, parameters }) => ({ name, description, parameters }))
}

/** The groups that fit a need, or all there are when none does. */
export function groupsFor(
  runtime: Runtime,
  signal: Signal,
  need: string,
): { fit: boolean; groups: ToolGroup[] } {
  const { groups } = offerable(runtime, signal)
  const found = fitting(groups, need)
  return found.length > 0 ? { fit: true, groups: found } : { fit: false, groups }
}

/** What the skills that apply have to say to a model, their rules at the end. */
export function skillWords(runtime: Runtime, entries: readonly Entry[], signal: Signal): string[] {
  const { groups } = offerable(runtime, signal)
  const inside = new Set(groupsIn(groups, entries).map(({ skill }) => skill))
  const apply = runtime.skills.filter((skill) => {
    const isOffered =
      inside.has(skill) || (skill.tools ?? []).every(({ isCore }) => isCore === true)
    return isOffered && isTriggered(skill, signal)
  })
  const prompts = apply.map((skill) => promptOf(runtime, skill, signal))
  const mandates = apply.map((skill) => skill.mandates ?? '')
  return [...prompts, ...mandates].filter((text) => text !== '')
}

function promptOf(runtime: Runtime, { name, prompt = '' }: Skill, signal: Signal): string {
  if (typeof prompt === 'string') return prompt
  try {
    return prompt(runtime, signal)
  } catch (error) {
    runtime.log('warn', `${name} could not say what a model should know: ${messageOf(error)}`)
    return ''
  }
}

function isTriggered(skill: Skill, signal: Signal): boolean {
  try {
    return skill.trigger?.(signal) ?? true
  } catch {
    return false
  }
}
