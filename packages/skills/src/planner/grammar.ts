import { editDistance } from '@passepartout/core'
import { unquote } from '../common/planner-words.ts'
import { captureRules } from './capture.ts'
import { changingRules, firstChanges } from './changes.ts'
import { type PlannerCommand, type Rule, unclear, verbs } from './commands.ts'
import { keepingRules } from './keeping.ts'
import { lastRules, lookingRules, talkingRules } from './looking.ts'
import { programmingRules } from './programming.ts'

/** Every rule, in the order in which they are tried. */
export const plannerRules: readonly Rule[] = [
  ...[...talkingRules, ...programmingRules, ...keepingRules, ...lookingRules, ...firstChanges],
  ...[...captureRules, ...changingRules, ...lastRules],
]

function byRules(text: string, now: Date): PlannerCommand | null {
  const run = /^\s*(?:run\s|\$)\s*(\S[\s\S]*)$/i.exec(text)
  if (run !== null) return { kind: 'run', command: run[1]!.trim() }
  const typed = text.trim().replace(/\s+/g, ' ').slice(0, sentenceMax)
  const sentence = typed.replace(/(?<=\S)(?<!\d)[?.!\s]+$/, '').replace(/(?<=\d)[?!]+$/, '')
  const polite = sentence
    .replace(/^(?:(?:please|could you|can you|would you|ok|okay|so),? )+(?:please )?/i, '')
    .replace(/,? please$/i, '')
  for (const rule of plannerRules) {
    const match = rule.pattern.exec(polite)
    const command = match === null ? null : rule.read(match.slice(1), now)
    if (command !== null) return command
  }
  return null
}

/** Reads one sentence. Total: what is not understood comes back as `unclear`, with readings. */
export function readCommand(text: string, now: Date): PlannerCommand {
  const command = byRules(text, now)
  const sentence = text.trim().replace(/\s+/g, ' ').slice(0, sentenceMax)
  const { problem, readings } =
    command?.kind === 'unclear' ? command : { problem: null, readings: readingsOf(sentence) }
  if (command !== null && command.kind !== 'unclear') return command
  const isClear = (reading: string) => (byRules(reading, now)?.kind ?? 'unclear') !== 'unclear'
  const offers = readings.every(isClear) ? readings : ['what is next?', 'agenda']
  return unclear(sentence, problem, offers)
}

const sentenceMax = 600

const datedVerb = /^(?:schedule|plan|move|push|postpone|reschedule|defer|delay|snooze|deadline)$/

function readingsOf(sentence: string): string[] {
  if (sentence === '') return ['what is next?', 'agenda']
  const [first = '', ...others] = sentence.split(' ')
  const rest = others.join(' ')
  const verb = first.toLowerCase()
  if (datedVerb.test(verb) && rest !== '') {
    const name = rest.replace(/ (?:to|until|till|for|on|by|at) .*$/i, '')
    const joint = /^(?:schedule|plan|deadline)$/.test(verb) ? '' : 'to '
    return ['tomorrow', 'monday'].map((day) => `${verb} ${name} ${joint}${day}`)
  }
  const near = verbs.find(
    (word) => verb.length > 3 && word.length > 3 && editDistance(verb, word, 1) === 1,
  )
  if (near !== undefined && !verbs.includes(verb) && rest !== '')
    return [`${near} ${rest}`, `find ${sentence}`]
  if (verbs.includes(verb) && rest === '') return ['what is next?', 'help changing']
  const about = /[\p{L}\p{N}]/u.test(rest) && verbs.includes(verb) ? rest : sentence
  const plain = unquote(about).replace(/["“”]/g, '')
  return [`find ${plain}`, `capture “${plain}”`]
}
