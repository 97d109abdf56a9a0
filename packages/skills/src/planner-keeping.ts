import { addDays, dayOf } from './dates.ts'
import { call, type Rule } from './planner-commands.ts'

/** Rules for the house itself, tried after those for talk. */
export const keepingRules: Rule[] = [
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
