import { formatTimestamp, headlines, type OrgData, property } from 'org-ast'
import { inertCode } from 'org-ast/edit'
import type { Action } from '../contract/signal.ts'
import { offerLines } from './always-allow.ts'
import type { Approval } from './approvals.ts'

/** The text with its invisible characters as escapes of JSON, line feeds excepted. */
export function visible(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/gu,
    (found) =>
      found === '\n'
        ? found
        : Array.from({ length: found.length }, (_, at) => escapeOf(found.charCodeAt(at))).join(''),
  )
}

function escapeOf(code: number): string {
  return `\\u${code.toString(16).padStart(4, '0')}`
}

const summaryMax = 72

/** What an action is about, in a line that is nothing but text in Org. */
export function summaryOf({ target = 'cli', payload }: Action): string {
  const { tool, cmd, text, args, action } = payload
  const parts = [tool, cmd, args && JSON.stringify(args), text].filter((part) => part !== undefined)
  const line = visible(parts.length === 0 ? action : parts.join(' '))
  const plain = line.replace(/\s+/g, ' ').replace(/[[\]{}<>|\\]/g, '·')
  const cut = plain.length > summaryMax ? `${plain.slice(0, summaryMax).toWellFormed()}…` : plain
  return `${target}: ${cut}`.trim().replace(/:$/, '·')
}

/** The file's first lines: the states, and what they are for. */
export const planHeader: string = `#+title: Flight plans
#+filetags: :private:
#+todo: WAITING(w) APPROVED(a) | DENIED(d) DONE EXPIRED REFUSED FAILED

What waits here needs your word, because a gate would not decide it alone.
Set a plan to APPROVED or DENIED and save, or say "approve TOKEN" or "deny TOKEN" to Passepartout.
What runs is what was asked; changing the text of a plan changes nothing but that it has to be asked again.
`

/** The node that shows a question. */
export function planText(approval: Approval): string {
  const { action, askers, asked, expires, id, offers, preview, signal, token } = approval
  const stamp = (ms: number) => formatTimestamp(new Date(ms), { active: false, time: true })
  const gates = askers.map(({ gate, rule }) => (rule === undefined ? gate : `${gate} ${rule}`))
  const lines = [
    `* WAITING ${summaryOf(action)}`,
    ':PROPERTIES:',
    `:ID:       ${id}`,
    `:TOKEN:    ${token}`,
    `:GATE:     ${visible(gates.join(', ')).replaceAll('\n', ' ')}`,
    `:SOURCE:   ${signal.meta.source}, ${signal.meta.origin ?? 'nobody'}`,
    `:ASKED:    ${stamp(asked)}`,
    `:EXPIRES:  ${stamp(expires)}`,
    ':END:',
    ...block('src json', JSON.stringify(action, null, 2)),
    'Why it is asked:',
    ...block('example', askers.map(({ gate, reason }) => `${gate}: ${reason}`).join('\n')),
    ...previewLines(preview),
    ...(offers.length === 0 ? [] : block('example', offerLines(approval).trim())),
  ]
  return `${lines.join('\n')}\n`
}

function previewLines(preview: string | null): string[] {
  if (preview === null) return []
  if (preview.trim() === '') return ['No file would change.']
  return ['What would change:', ...block('src diff', preview)]
}

function block(kind: string, text: string): string[] {
  const [name = ''] = kind.split(' ', 1)
  return [`#+begin_${kind}`, inertCode(visible(text)), `#+end_${name}`]
}

/** Words that the owner may write in front of a plan, and those that the daemon writes. */
export type PlanState =
  | 'WAITING'
  | 'APPROVED'
  | 'DENIED'
  | 'DONE'
  | 'EXPIRED'
  | 'REFUSED'
  | 'FAILED'

/** A node that claims to be a flight plan. */
export interface Plan {
  /** Empty when the node has none that could be a record's. */
  id: string
  /** The headline's first word, when it is a state; else null. */
  state: PlanState | null
  /** The subtree as it stands in the file. */
  text: string
  /** Where the headline begins, UTF-16. */
  offset: number
}

const statePattern = /^\*+[ \t]+(WAITING|APPROVED|DENIED|DONE|EXPIRED|REFUSED|FAILED)(?![^\s])/

/** The nodes of a file that claim to be flight plans, in their order. */
export function readPlans(tree: OrgData): Plan[] {
  return [...headlines(tree)].flatMap((headline) => {
    const { start, end } = headline.position
    const text = tree.source.slice(start.offset, end.offset)
    const state = (statePattern.exec(text)?.[1] ?? null) as PlanState | null
    const id = /^[0-9a-f]{32}$/.exec(property(headline, 'ID') ?? '')?.[0] ?? ''
    if (headline.level !== 1 || (id === '' && state === null)) return []
    return [{ id, state, text, offset: start.offset }]
  })
}

/** Whether a node says what was written for this question, its state aside. */
export function saysTheSame(plan: Plan, approval: Approval): boolean {
  return bare(plan.text) === bare(planText(approval))
}

const ownLine = /^\s*(?:CLOSED|SCHEDULED|DEADLINE):\s|^\s*- State "[A-Z]+"\s+from\b/

function bare(text: string): string {
  const [first = '', ...rest] = text
    .replace(
      /^[ \t]*:LOGBOOK:[ \t]*\r?\n(?:[ \t]*- State "[A-Z]+"[^\n]*\n)*[ \t]*:END:[ \t]*\r?$/gm,
      '',
    )
    .split('\n')
    .map((line) => line.trimEnd())
  const title = first
    .replace(statePattern, '*')
    .replace(/^(\*+)[ \t]+\[#[A-Z0-9]{1,2}\]/, '$1')
    .replace(/[ \t]+:[\p{L}\p{N}_@#%:]+:$/u, '')
  const kept = rest.filter((line) => line !== '' && !ownLine.test(line))
  return [title.replace(/\s+/g, ' '), ...kept].join('\n')
}
