import { dayOf, orgStamp } from '../common/dates.ts'
import { impossibleDay, readDay, readSpan, takeDate } from '../common/planner-dates.ts'
import { unquote } from '../common/planner-words.ts'
import { call, change, type PlannerCommand, type Rule, unclear } from './commands.ts'

function datedOf(
  verb: string,
  text: string,
  now: Date,
  use: (taken: ReturnType<typeof takeDate>) => PlannerCommand | null,
): PlannerCommand | null {
  const taken = takeDate(text, now, true)
  const { rest, stamp, readings } = taken
  if (readings !== null) {
    return unclear(
      `${verb} ${text}`,
      'That date can be read in two ways.',
      readings.map((reading) => `${verb} ${reading}`),
    )
  }
  if (stamp !== null && rest !== '') {
    const from = / from \S+(?: \S+){0,3}$/i.test(rest) ? takeDate(rest, now, true) : null
    return use(from?.stamp ? { ...taken, rest: from.rest } : taken)
  }
  if (stamp !== null) {
    const sentences = [
      `move everything of today to ${text.replace(/^(?:to|until|till) /i, '')}`,
      'agenda',
    ]
    return unclear(`${verb} ${text}`, `What should I ${verb}?`, sentences)
  }
  return undated(verb, text, now)
}

function undated(verb: string, text: string, now: Date): PlannerCommand | null {
  const day = impossibleDay(text)
  if (day !== null) {
    const name = text.slice(0, -day.length)
    const sentences = ['tomorrow', 'monday'].map((word) => `${verb} ${name}${word}`)
    return unclear(`${verb} ${text}`, `There is no ${day}.`, sentences)
  }
  const month = /^(.+?) (?:to|until|till|for|in|on) (.+)$/u.exec(text)
  const past = month === null ? null : readDay(month[2]!, now)
  if (past !== null && past < dayOf(now)) {
    const sentences = ['tomorrow', 'monday'].map((word) => `${verb} ${month![1]} to ${word}`)
    return unclear(`${verb} ${text}`, 'That day has passed.', sentences)
  }
  const span = month === null || !/^\p{L}+$/u.test(month[2]!) ? null : readSpan(month[2]!, now)
  if (month !== null && span !== null && span.from !== span.to) {
    const [, name, word] = month
    const sentences = ['first of', 'end of'].map((edge) => `${verb} ${name} to the ${edge} ${word}`)
    return unclear(`${verb} ${text}`, `${word} is no day.`, sentences)
  }
  return null
}

function scheduleOf(text: string, now: Date, verb = 'schedule'): PlannerCommand | null {
  return datedOf(verb, text, now, ({ rest, stamp, due }) =>
    change(
      'schedule-task',
      rest.replace(/ is$/, ''),
      { [due || verb === 'deadline' ? 'deadline' : 'scheduled']: orgStamp(stamp!) },
      verb === 'deadline' ? 'give a deadline to' : 'give a date to',
    ),
  )
}

const units: Record<string, string> = { day: 'd', week: 'w', month: 'm', year: 'y', fortnight: 'w' }

function scopeOf(scope: readonly string[]): string {
  return (
    scope
      .slice(1)
      .find((word) => word !== undefined)
      ?.toLowerCase() ?? 'today'
  )
}

function moveOf(verb: string, text: string, now: Date): PlannerCommand | null {
  const all =
    /^(?:everything|all(?: (?:of )?(?:my |the )?(?:open )?tasks?)?)(?: (?:of|from|for|on|that is|scheduled for|due))*(?: (today|tomorrow|overdue))?(?: (?:tasks?))?$/i
  const open =
    /^all (?:my |the )?(today|tomorrow|overdue)(?:'s)? tasks?$|^(today|tomorrow)'s tasks$/i
  const distance =
    /^(.+?)(?: back| forward| out| on)?(?: (by|for))? (\d{1,3}|a|an|one|two|three|four|five|six|seven|eight|nine|ten|a couple of) (day|week|fortnight|month|year)s?(?: (?:earlier|(later)))?$/i.exec(
      text,
    )
  if (
    distance !== null &&
    (distance[2] ??
      distance[5] ??
      (/^(?:postpone|delay|snooze|push|defer|bring)$/.test(verb) ? verb : undefined)) !== undefined
  ) {
    const scope = all.exec(distance[1]!) ?? open.exec(distance[1]!)
    if (scope === null) return distanceOf(verb, text, distance)
    const to = takeDate(`x in ${distance[3]} ${distance[4]}s`, now).stamp
    return to && { kind: 'everything', from: scopeOf(scope), to: orgStamp(to) }
  }
  return (
    datedOf(verb, text, now, ({ rest, stamp, due }) => {
      const scope = all.exec(rest) ?? open.exec(rest)
      if (scope !== null) return { kind: 'everything', from: scopeOf(scope), to: orgStamp(stamp!) }
      const { name, which } = whichDate(rest)
      const kind = due ? 'deadline' : which
      return change(
        'move-task',
        name,
        { to: orgStamp(stamp!), ...(kind && { which: kind }) },
        'move',
      )
    }) ?? (verb === 'move' ? refileOf(text) : null)
  )
}

function distanceOf(
  verb: string,
  text: string,
  [, words = '', , count = '', unit = '']: string[],
): PlannerCommand | null {
  const number = /^\d/.test(count)
    ? Number(count)
    : ({ a: 1, an: 1, 'a couple of': 2 }[count.toLowerCase()] ??
      numberWords.indexOf(count.toLowerCase()))
  const days = unit.toLowerCase() === 'fortnight' ? 2 * number : number
  const { name, which } = whichDate(words)
  if (/^(?:move|shift)$/.test(verb) && / (?:back|forward) (?:by|for) /i.test(text)) {
    const sentences = ['', ' earlier'].map((way) => `${verb} ${words} by ${count} ${unit}s${way}`)
    return unclear(`${verb} ${text}`, 'Later or earlier?', sentences)
  }
  const earlier = verb === 'bring' || /earlier$/i.test(text) ? '-' : ''
  const by = `${earlier}${days}${units[unit.toLowerCase()]}`
  return change('move-task', name, { by, ...(which && { which }) }, 'move')
}

const numberWords = 'no one two three four five six seven eight nine ten'.split(' ')

/** The words without "the deadline of", and which date that means. */
function whichDate(words: string): { name: string; which: 'deadline' | 'scheduled' | null } {
  const match =
    /^(?:the )?(?:(deadline|due date)|(?:schedule|scheduled date|date|start)) (?:of|for) (.+)$/i.exec(
      words,
    )
  if (match === null) return { name: words, which: null }
  return { name: match[2]!, which: match[1] === undefined ? 'scheduled' : 'deadline' }
}

function refileOf(text: string): PlannerCommand | null {
  const match =
    /^(.+) (?:under|into|below|beneath) (.+)$/i.exec(text) ??
    /^(.+) (?:to|in) (?:the )?(.+)$/i.exec(text)
  if (match === null) return null
  const under = /^inbox$/i.test(match[2]!) ? 'inbox.org' : unquote(match[2]!)
  return change('refile-task', match[1]!, { under }, `file under ${under}:`)
}

const stateRules: Rule[] = [
  {
    pattern: /^(?:undo|take back|revert|drop) (?:the |that |your |this )?(?:summary|compaction)$/i,
    read: () => call('undo-summary', {}, 'You asked to take back the summary.'),
  },
  {
    pattern:
      /^(?:undo|take (?:that|it) back|revert)(?: (?:that|it|this|the last (?:change|edit|thing)))?$/i,
    read: () => call('undo', {}, 'You asked to take back the last change.'),
  },
  {
    pattern: /^(?:restore|undelete) (?:(?:the )?(?:note|task) )?(.+)$/i,
    read: ([name = '']) =>
      call('restore-note', { query: unquote(name) }, `You asked to have ${name} as it was.`),
  },
  {
    pattern:
      /^(?:reopen|re-open|undone|uncomplete) (.+)$|^(?:mark|set) (.+?) (?:as )?(?:not done|undone|open(?: again)?)$|^(.+) (?:is|are) not (?:done|finished)(?: yet)?$/i,
    read: (words) => change('reopen-task', firstOf(words), {}, 'reopen'),
  },
  {
    pattern:
      /^(?:mark|check|tick|set|change) (.+?)(?: as| off as| to)? (?:done|complete|completed|finished|off)$|^(?:complete|completed|done|finish|finished|check off|tick off|close)(?: with|:)? (.+)$|^i(?:'ve| have)? (?:done|did|finished|completed) (.+)$|^(.+) (?:is|are) (?:now )?(?:done|finished|complete|completed)$/i,
    read: (words) => change('complete-task', firstOf(words), {}, 'complete'),
  },
  {
    pattern:
      /^(?:[Mm]ark|[Ss]et|[Mm]ake|[Cc]hange) (?:the state of )?(.+?) (?:as |to )([\p{Lu}][\p{Lu}\p{N}_-]+|waiting|next|someday|maybe|hold|started|todo|cancell?ed)$|^(.+) is (waiting|blocked|WAITING|on hold)$/u,
    read: ([name, word, name2, word2]) => {
      const keyword = (word ?? word2 ?? '').replace(/^on /, '').toUpperCase()
      return change('set-state', name ?? name2 ?? '', { keyword }, `set ${keyword} at`)
    },
  },
]

function firstOf(words: readonly (string | undefined)[]): string {
  return words.find((word) => word !== undefined) ?? ''
}

const dateRules: Rule[] = [
  {
    pattern:
      /^(?:unschedule|unplan|deschedule) (.+)$|^(?:remove|clear|drop|delete) (?:the )?(?:schedule|scheduled date|date) (?:of|from|for) (.+)$/i,
    read: (words) =>
      change('schedule-task', firstOf(words), { scheduled: 'none' }, 'take the date from'),
  },
  {
    pattern: /^(?:remove|clear|drop|delete) (?:the )?deadline (?:of|from|for) (.+)$/i,
    read: ([name = '']) =>
      change('schedule-task', name, { deadline: 'none' }, 'take the deadline from'),
  },
  {
    pattern: /^(?:set |give |change )?(?:the |a )?deadline (?:of |for |to )?(.+)$/i,
    read: ([text = ''], now) => scheduleOf(text, now, 'deadline'),
  },
  {
    pattern: /^(.+?) is (due (?:on |by |at )?.+)$/i,
    read: ([name = '', date = ''], now) => scheduleOf(`${name} ${date}`, now, 'deadline'),
  },
  { pattern: /^(?:schedule|plan) (.+)$/i, read: ([text = ''], now) => scheduleOf(text, now) },
  {
    pattern: /^(move|push|postpone|reschedule|shift|delay|defer|put off|bring|snooze) (.+)$/i,
    read: ([verb = '', text = ''], now) => moveOf(verb.toLowerCase(), text, now),
  },
]

const markRules: Rule[] = [
  {
    pattern: /^(raise|increase|lower|decrease) (?:the )?priority (?:of|for) (.+)$/i,
    read: ([way = '', name = '']) => {
      const priority = /^[ri]/i.test(way) ? 'up' : 'down'
      return change('set-priority', name, { priority }, `move the priority ${priority} of`)
    },
  },
  {
    pattern: /^(?:remove|clear|drop|delete) (?:the )?priority (?:of|from|for) (.+)$/i,
    read: ([name = '']) =>
      change('set-priority', name, { priority: 'none' }, 'take the priority from'),
  },
  {
    pattern:
      /^(?:(?:set|change) )?(?:the )?priority (?:of|for) (.+?)(?: to| as)? (?:\[?[!#]?)([A-Za-z])\]?$|^(?:make|mark|give|set|prioriti[sz]e) (.+?)(?: as| to| with)?(?: priority)? (?:priority |!|\[#)([A-Za-z])\]?$/i,
    read: ([name, letter, name2, letter2]) => {
      const priority = (letter ?? letter2 ?? '').toUpperCase()
      return change(
        'set-priority',
        name ?? name2 ?? '',
        { priority },
        `give priority ${priority} to`,
      )
    },
  },
  {
    pattern: /^prioriti[sz]e (.+)$/i,
    read: ([name = '']) =>
      unclear(`prioritize ${name}`, 'Which priority?', [
        `raise the priority of ${name}`,
        `set the priority of ${name} to A`,
      ]),
  },
]

function tagsIn(words: string): string[] | null {
  const tags = words
    .split(/[\s,]+|(?<=:)(?=:)/)
    .flatMap((word) => word.replace(/^[#:]|:$/g, '').split(':'))
    .filter((word) => word !== '' && word !== 'and')
  return tags.length > 0 && tags.every((tag) => /^[\p{L}\p{M}\p{N}_@%]+$/u.test(tag)) ? tags : null
}

function tagged(name: string, words: string, key: 'add' | 'remove'): PlannerCommand | null {
  const tags = tagsIn(words)
  const what = key === 'add' ? `tag with ${tags?.join(' ')}` : `take ${tags?.join(' ')} from`
  return tags && change('tag-task', name, { [key]: tags }, `${what}:`)
}

const tagWords = String.raw`(?:(?:[#@:]\S+)(?:(?:,? and|,)? (?=[#@:])|$|(?= )))+`

const tagRules: Rule[] = [
  {
    pattern: /^tag (.+?) (?:with|as) (.+)$/i,
    read: ([name = '', words = '']) => tagged(name, words, 'add'),
  },
  {
    pattern: new RegExp(`^tag (.+?) (${tagWords})$`, 'i'),
    read: ([name = '', words = '']) => tagged(name, words, 'add'),
  },
  {
    pattern: new RegExp(`^add (?:(?:the |a )?tags? (\\S+)|(${tagWords})) to (.+)$`, 'i'),
    read: ([one, more, name = '']) => tagged(name, one ?? more ?? '', 'add'),
  },
  {
    pattern: new RegExp(
      `^(?:remove|drop|delete) (?:(?:the )?tags? (\\S+)|(${tagWords})) (?:from|of) (.+)$`,
      'i',
    ),
    read: ([one, more, name = '']) => tagged(name, one ?? more ?? '', 'remove'),
  },
  {
    pattern: new RegExp(`^untag (.+?) (${tagWords}|\\S+)$`, 'i'),
    read: ([name = '', words = '']) => tagged(name.replace(/ from$/i, ''), words, 'remove'),
  },
]

const placeRules: Rule[] = [
  {
    pattern: /^(?:add (?:a )?)?(?:note|comment) (?:to|on|for|at|about) (?!self\b)(.+?): ?(.+)$/i,
    read: ([name = '', note = '']) => change('add-note', name, { note }, 'add a note to'),
  },
  {
    pattern: /^(?:add (?:a )?)?(?:note|comment) (?:to|on|for|at|about) (?!self\b)(.+)$/i,
    read: ([text = '']) => {
      const said = /^(.+?) that (.+)$/i.exec(text)
      if (said !== null) return change('add-note', said[1]!, { note: said[2]! }, 'add a note to')
      const name = text
      const readings = [`show ${name}`, `capture “note on ${unquote(name).replace(/[“”]/g, '')}”`]
      return unclear(
        `note on ${name}`,
        'What should the note say? Say it after a colon, or',
        readings,
      )
    },
  },
  { pattern: /^(?:refile|file|put) (.+)$/i, read: ([text = '']) => refileOf(text) },
  {
    pattern: /^archive (.+)$/i,
    read: ([name = '']) => change('archive-task', name, {}, 'archive'),
  },
  {
    pattern: /^(?:delete|remove|kill|trash|drop|cancel) (.+)$/i,
    read: ([name = '']) =>
      unclear(`delete ${name}`, 'I delete nothing.', [`archive ${name}`, `complete ${name}`]),
  },
]

/** The changes whose sentences begin like a capture, and so come before it. */
export const firstChanges: readonly Rule[] = [
  ...[...placeRules.slice(0, 2), ...tagRules, ...markRules, ...dateRules.slice(0, 3)],
]

/** All other changes. */
export const changingRules: readonly Rule[] = [
  ...[...stateRules, ...dateRules.slice(3), ...placeRules.slice(2)],
]
