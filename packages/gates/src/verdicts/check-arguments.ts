import type { Action, GateContext } from '@passepartout/core'
import { oncePerAction, oncePerFrozen } from '../actions/action-memo.ts'
import type { PathPlaces } from '../paths/paths.ts'
import type { SessionFacts } from './session-facts.ts'

/** A string of an action, and the key it stands under. */
export interface NamedString {
  name: string
  value: string
}

const depthMax = 10
const stringsMax = 2_000

/** Every string in the arguments, keys included. Throws a RangeError for what has no end. */
export const stringsOf: (action: Action) => readonly NamedString[] = oncePerAction((action) => {
  const found: NamedString[] = []
  if (action.payload.args !== undefined) collect(action.payload.args, 'args', 0, found)
  return found
})

function collect(value: unknown, name: string, depth: number, found: NamedString[]): void {
  if (typeof value === 'string') found.push({ name, value })
  if (value === null || typeof value !== 'object') return
  if (depth > depthMax || found.length > stringsMax)
    throw new RangeError('Expected arguments that end')
  for (const [key, part] of Object.entries(value)) {
    const isIndex = Array.isArray(value)
    if (!isIndex) found.push({ name: 'key', value: key })
    collect(part, isIndex ? name : key, depth + 1, found)
  }
}

const pathNames = new Map<string, boolean>()

/** Whether what stands under this name is a path. */
export function isPathName(name: string): boolean {
  const known = pathNames.get(name)
  if (known !== undefined) return known
  const answer = meansPath(name)
  if (pathNames.size < 2_000 && name.length < 100) pathNames.set(name, answer)
  return answer
}

function meansPath(name: string): boolean {
  return /^(.*[_-])?(paths?|files?|file_?names?|file_?paths?|dir|dirs|directory|folders?|sources?|src|dst|dest|destination|from|to|output|out|input|location|uri|root|cwd|attachments?|note|target)$/i.test(
    name.replace(/([a-z])([A-Z])/g, '$1_$2'),
  )
}

/** The command lines in an action, whatever its target is called. */
export const commandsOf: (action: Action) => readonly string[] = oncePerAction((action) => {
  const { payload, target } = action
  const everyString = shellTools.test(payload.tool ?? '')
  const commands = stringsOf(action)
    .filter(({ name }) => (everyString ? !otherNames.test(name) : commandNames.test(name)))
    .map(({ value }) => value)
  if (target === 'shell' && payload.cmd === undefined && commands.length === 0) return ['']
  return payload.cmd === undefined ? commands : [payload.cmd, ...commands]
})

const shellTools =
  /^((run|execute|exec|local)[-_]?)?(bash|shell|sh|zsh|terminal|console|command|cmd|powershell)([-_]?(tool|exec|run|command))?$/i
const otherNames = /^(key|description|explanation|cwd|workdir|timeout)$/i
const commandNames = /^(cmd|cmds|command|commands|command_?line|shell|script|bash|sh)$/i

/** Whether the action calls a tool that may change something. */
export function isWriting(action: Action, context: GateContext): boolean {
  const { tool } = action.payload
  return tool !== undefined && context.tools.get(tool)?.readOnly !== true
}

/** What the dispatcher's skill tells its own checks. */
export interface DispatcherFacts {
  /** Where this program's code and configuration lie. */
  ownFolders: readonly string[]
  /** Files of the memex with something private in them, absolute. */
  privateFiles: readonly string[]
  /** What is known of the conversation; null for none. */
  session: SessionFacts | null
}

/** Where the paths of an action are relative to. */
export const placesOf: (context: GateContext) => PathPlaces = oncePerFrozen((context) => {
  const facts = context.facts['gate-dispatcher'] as Partial<DispatcherFacts> | undefined
  return Object.freeze({
    home: context.home,
    cwd: context.memexDir,
    stateDir: context.stateDir,
    realPath: context.realPaths,
    ownFolders: facts?.ownFolders,
    privateFiles: facts?.privateFiles,
  })
})
