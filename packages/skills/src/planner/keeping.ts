import { addDays, dayOf } from '../common/dates.ts'
import { unquote } from '../common/planner-words.ts'
import { call, type Rule } from './commands.ts'

const houseRules: Rule[] = [
  {
    pattern: /^push[- ]context (\S.*)$/i,
    read: ([scope = '']) => call('push-context', { scope }, `You asked to go into ${scope}.`),
  },
  {
    pattern: /^garden report$|^(tend|weed) (?:the )?garden$/i,
    read: ([tend]) =>
      call('garden-report', { propose: tend !== undefined }, 'You asked how the notes are.'),
  },
  {
    pattern: /^distill? (today|yesterday|\d{4}-\d\d-\d\d)$/i,
    read: ([word = ''], now) => {
      const named = { today: dayOf(now), yesterday: addDays(dayOf(now), -1) }
      const day = named[word.toLowerCase() as keyof typeof named] ?? word
      if (!isDay(day)) return null
      return call('distil-day', { day }, `You asked what mattered on ${day}.`)
    },
  },
  {
    pattern: /^(?:where am i|(?:show )?context)$/i,
    read: () => call('where-am-i', {}, 'You asked which context you are in.'),
  },
  {
    pattern: /^keep[- ]context$/i,
    read: () => call('keep-context', {}, 'You asked to begin here from now on.'),
  },
  {
    pattern: /^(follow|stop following|unfollow) (?:the |my )?(?:buffer|editor|emacs)$/i,
    read: ([verb = '']) => {
      const on = verb.toLowerCase() === 'follow'
      return call('follow-buffer', { on }, `You asked ${on ? '' : 'not '}to follow your editor.`)
    },
  },
  {
    pattern: /^pop[- ]context$/i,
    read: () => call('pop-context', {}, 'You asked to leave the current context.'),
  },
]

function isDay(day: string): boolean {
  return !Number.isNaN(Date.parse(day)) && addDays(day, 0) === day
}

const named = '(?:the |my )?snapshot (?:called |named )?'
const files = '(?:(?:the|my) (?:files|notes) )?'

const snapshotRules: Rule[] = [
  {
    pattern:
      /^(?:(?:list|show)(?: me)? )?(?:the |my |all )?snapshots$|^(?:what|which) snapshots (?:are there|do i have)$/i,
    read: () => call('list-snapshots', {}, 'You asked which snapshots there are.'),
  },
  {
    pattern: new RegExp(`^(?:remove|delete|drop) ${named}(.+)$`, 'i'),
    read: ([name = '']) => {
      const snapshot = unquote(name)
      return call('remove-snapshot', { snapshot }, `You asked to remove the snapshot ${snapshot}.`)
    },
  },
  {
    pattern:
      /^(?:(?:take|keep|make|save) (?:a |the )?)?snapshot(?: of (?:my |the |all )*(?:notes|files|memory))?(?: (?:called |named |as )?((?!of |#).+))?$/i,
    read: ([name]) => {
      const args = name === undefined ? {} : { name: unquote(name) }
      return call('keep-snapshot', args, 'You asked to keep this moment of your notes.')
    },
  },
  {
    pattern: new RegExp(
      `^(?:rollback(?: to)?|roll ${files}back ${files}to) (?:${named})?(.+)$|^go back to ${named}(.+)$`,
      'i',
    ),
    read: ([name, after]) => {
      const snapshot = unquote(name ?? after ?? '')
      return call('roll-back', { snapshot }, `You asked to put the files back to ${snapshot}.`)
    },
  },
]

/** Rules for the house itself, tried after those for talk. */
export const keepingRules: readonly Rule[] = [...houseRules, ...snapshotRules]
