import type { Action, GateContext, Verdict } from '@passepartout/core'
import { staysHere, wordsOfName } from '../actions/effects.ts'
import { extentOf, isQuestion, isVague, namesThing } from '../actions/owner-request.ts'
import type { Check } from './check.ts'
import { commandsOf } from './check-arguments.ts'
import { onlyAdds, partsOf, sessionOf } from './check-foreign.ts'

const editing = new Set('edit write insert outline ts patch tangle content append eval'.split(' '))
const back = new Set('undo context scope ask plan delegate owner snapshot buffer memory'.split(' '))
const removing =
  /\b(?:rm|rmdir|unlink|shred|mv|git\s+(?:branch\s+-\S*[dD]|branch\s+--delete|push\s+\S*\s*(?:--delete|:)|clean|reset|checkout\s+--|stash\s+(?:drop|clear)|rm|worktree\s+remove|tag\s+-d)|find\b.*-delete|trash|truncate|docker\s+\S*\s*(?:prune|rm)|npm\s+(?:uninstall|prune))\b/i

/** The things that a call strikes; null where it strikes nothing that counts. */
function struckBy(tool: string, args: Record<string, unknown>): readonly string[] | null {
  const words = wordsOfName(tool)
  if (onlyAdds(tool, args) || words.some((word) => back.has(word))) return null
  const { targets } = partsOf(tool, args)
  if (!words.some((word) => editing.has(word))) return targets
  return targets.some((path) => /\.org$/i.test(path)) ? targets : null
}

function isEdit(tool: string): boolean {
  return wordsOfName(tool).some((word) => editing.has(word))
}

/** What a call strikes, without where that stands. */
function thingsOf(tool: string, args: Record<string, unknown>): readonly string[] | null {
  const { place: _, under: __, ...rest } = args
  return struckBy(tool, args.query === undefined ? args : rest)
}

function ask(rule: string, reason: string): Verdict {
  return { kind: 'approval', rule: `breadth.${rule}`, reason }
}

function check(action: Action, context: GateContext): Verdict {
  const session = sessionOf(context)
  if (session === null || session.isByRules || session.heard.length === 0) return { kind: 'pass' }
  const text = session.heard.join('\n')
  const { args = {}, tool } = action.payload
  if (tool === undefined) return checkCommands(action, text)
  if (context.tools.get(tool)?.readOnly === true) return { kind: 'pass' }
  const things = thingsOf(tool, args)
  if (things === null) return { kind: 'pass' }
  const extent = extentOf(text, tool)
  if (isEdit(tool)) return isVague(text) ? unclear(tool, things.join(', ')) : { kind: 'pass' }
  const unnamed = things.filter((one) => !namesThing(text, one))
  if (things.length > 0 && unnamed.length === 0) return { kind: 'pass' }
  if (session.heard.every(isQuestion) && staysHere(context.tools.get(tool))) {
    return ask(
      'question',
      `${tool} would change ${shown(unnamed)}, and you have only asked something`,
    )
  }
  if (extent === 'unclear') return unclear(tool, unnamed.join(', ') || tool)
  const before = session.changed.flatMap((one) => thingsOf(one.tool, one.args) ?? [])
  const all = new Set([...before, ...things].filter((one) => !namesThing(text, one)))
  if (all.size <= extent) return { kind: 'pass' }
  const reason = `with ${shown(unnamed)} this would be ${all.size} things that you have not named, and you have spoken of ${extent}`
  return ask('wider', reason)
}

function unclear(tool: string, what: string): Verdict {
  return ask(
    'unclear',
    `your words leave open how far this goes, and ${tool} would change ${shown([what])}`,
  )
}

function shown(all: readonly string[]): string {
  const lines = all.slice(0, 5).map(
    (one) =>
      `“${one
        .replace(/[\s\p{C}]+/gu, ' ')
        .trim()
        .slice(0, 80)}”`,
  )
  return lines.join(', ') || 'what it finds'
}

function checkCommands(action: Action, text: string): Verdict {
  const found = commandsOf(action).find((command) => removing.test(command))
  if (found === undefined || !isVague(text)) return { kind: 'pass' }
  return unclear('the command', found)
}

/** Asks about what goes farther than the owner's words. */
export const checkBreadth: Check = { name: 'breadth', check }
