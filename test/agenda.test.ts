import { ObjectStore } from '@passepartout/core'
import { agendaEntries } from '@passepartout/skills'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { askEmacs, caseTime, hasEmacs } from './emacs.ts'

const days = fc
  .oneof(
    fc.integer({ min: -70, max: 70 }),
    fc.constantFrom(-400, -366, -294, -21, -22, -52, 9, 39, 40, 70, 0, 1, -1, 13, 14, 15),
  )
  .map((offset) => new Date(Date.UTC(2026, 10, 21 + offset)).toISOString().slice(0, 10))

const hours = fc.constantFrom('', '', '', ' 09:30', ' 9:05', ' 14:00-15:30')
const repeaters = fc.constantFrom(
  ...[
    '',
    '',
    '',
    ' +1d',
    ' +1w',
    ' ++1m',
    ' .+2d',
    ' +3w',
    ' +1y',
    ' +2m',
    ' +5h',
    ' +36h',
    ' +0d',
  ],
)
const leads = fc.constantFrom('', '', '', ' -2d', ' --3d', ' -1w', ' -1m', ' -0d', ' -30d')

const stamps = fc
  .tuple(days, hours, repeaters, leads)
  .map(([day, hour, repeater, lead]) => `<${day} Xxx${hour}${repeater}${lead}>`)

const bodies = fc.oneof(
  stamps.map((stamp) => `SCHEDULED: ${stamp}\n`),
  stamps.map((stamp) => `DEADLINE: ${stamp}\n`),
  fc.tuple(stamps, stamps).map(([one, two]) => `SCHEDULED: ${one} DEADLINE: ${two}\n`),
  stamps.map((stamp) => `Text with ${stamp} in it.\n`),
  stamps.map((stamp) => `#+begin_example\n${stamp}\n#+end_example\n`),
  stamps.map((stamp) => `:PROPERTIES:\n:WHEN: ${stamp}\n:END:\n`),
  stamps.map((stamp) => `# ${stamp}\n`),
  stamps.map((stamp) => `=${stamp}= and ~${stamp}~\n`),
  fc.tuple(stamps, stamps).map(([one, two]) => `${one} twice ${two}\n`),
  fc.tuple(days, days, hours).map((all) => {
    const [first, last] = all.slice(0, 2).sort()
    return `<${first} Xxx${all[2]}>--<${last} Xxx>\n`
  }),
  fc.constant('SCHEDULED: [2026-11-21 Sat]\n'),
)

const tasks = fc
  .tuple(
    fc.constantFrom('* TODO ', '* TODO ', '* ', '* DONE ', '* COMMENT ', '** TODO ', '** '),
    fc.constantFrom('', '', '', ' :ARCHIVE:', ' <2026-11-23 Mon>'),
    bodies,
  )
  .map((parts) => parts)

const files = fc
  .array(tasks, { minLength: 8, maxLength: 12 })
  .map((all) => all.map(([stars, end, body], at) => `${stars}t${at}${end}\n${body}`).join(''))

const command = `
(let ((folder default-directory) lines)
  (require (quote org-agenda))
  (setq org-agenda-files (list (expand-file-name "a.org"))
        org-agenda-skip-deadline-if-done t org-agenda-skip-scheduled-if-done t
        org-agenda-skip-timestamp-if-done t org-agenda-use-time-grid nil
        org-agenda-window-setup (quote current-window))
  (org-agenda-list nil "2026-11-14" 40)
  (with-current-buffer org-agenda-buffer-name
    (goto-char (point-min))
    (while (not (eobp))
      (let ((type (get-text-property (point) (quote type)))
            (day (get-text-property (point) (quote day)))
            (at (get-text-property (point) (quote org-hd-marker)))
            (hour (get-text-property (point) (quote time-of-day))))
        (when (and type at)
          (let ((date (calendar-gregorian-from-absolute day)))
            (push (format "%04d-%02d-%02d %s %s %s" (nth 2 date) (nth 0 date) (nth 1 date) type
                          (with-current-buffer (marker-buffer at)
                            (goto-char at) (line-number-at-pos))
                          (or hour "-"))
                  lines))))
      (forward-line 1)))
  (kill-buffer org-agenda-buffer-name)
  (write-region (mapconcat (function identity) (nreverse lines) "\\n") nil
                (expand-file-name "b.txt" folder) nil (quote quiet)))`

const kinds: Record<string, string> = {
  'past-scheduled': 'scheduled',
  'upcoming-deadline': 'deadline',
  timestamp: 'event',
}

function theirs(text: string): string[] {
  const lines = text.split('\n').filter((line) => line !== '')
  return lines
    .map((line) => line.replace(/ ([a-z-]+) /, (_, type) => ` ${kinds[type] ?? type} `))
    .sort()
}

function ours(text: string): string[] {
  const store = new ObjectStore()
  store.ingestFile('a.org', text)
  const span = { from: '2026-11-14', to: '2026-12-23' }
  const now = new Date(2026, 10, 21, 9, 5)
  return agendaEntries(store.objects(), span, now)
    .map(({ day, kind, task, time }) => {
      const hour = time === null ? '-' : String(Number(time.replace(':', '')))
      return `${day} ${kind} ${task.line} ${hour}`
    })
    .sort()
}

test.skipIf(!hasEmacs)('the same notes on the same days', { timeout: 120_000 }, () => {
  const texts = fc.sample(files, { numRuns: 16, seed: 21 })
  const { results } = askEmacs(texts.map((text) => ({ text, at: 0, command, now: caseTime })))
  let compared = 0
  const wrong: object[] = []
  for (const [index, text] of texts.entries()) {
    const result = results[index]!
    if ('error' in result) throw new Error(result.error)
    const [here, there] = [ours(text), theirs(result['b.txt'] ?? '')]
    compared += there.length
    const extra = here.filter((line) => !there.includes(line))
    const missing = there.filter((line) => !here.includes(line))
    if (extra.length + missing.length > 0) wrong.push({ text, extra, missing })
    else expect(here).toEqual(there)
  }
  expect(wrong.slice(0, 2)).toEqual([])
  expect(compared).toBeGreaterThan(300)
})
