import { agenda, dayNumber, dayText, factsOf, ObjectStore } from '@passepartout/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { askEmacs, hasEmacs, isOld } from './emacs.ts'

const first = dayNumber('2026-07-01')
const years = Number(process.env.AGENDA_YEARS ?? 1)

const days = fc
  .oneof(
    fc.integer({ min: -40, max: 400 }),
    fc.constantFrom(-400, -366, -1, 0, 29, 30, 61, 91, 122, 152, 183, 214, 239, 242, 243, 364, 365),
  )
  .map((offset) => dayText(first + offset))

const hours = fc.constantFrom('', '', '', ' 09:30', ' 9:05', ' 14:00-15:30', ' 00:15')
const repeaters = fc.constantFrom(
  ...['', '', '', '', ' +1d', ' +1w', ' ++1m', ' .+2d', ' +3w', ' +1y', ' +2m', ' +5h', ' +36h'],
  ...[' +0d', ' .+10d', ' ++2w'],
)
const leads = fc.constantFrom('', '', '', ' -2d', ' --3d', ' -1w', ' -1m', ' -0d', ' -30d', ' -1y')

const stamps = fc
  .tuple(days, hours, repeaters, leads)
  .map(([day, hour, repeater, lead]) => `<${day} Xxx${hour}${repeater}${lead}>`)

const ranges = fc
  .tuple(
    days,
    fc.integer({ min: 0, max: 9 }),
    hours,
    hours,
    fc.constantFrom('--', '--', '-', '---'),
  )
  .map(([day, length, start, end, dashes]) => {
    const last = dayText(dayNumber(day) + length)
    return `<${day} Xxx${start}>${dashes}<${last} Xxx${end}>`
  })

const example = (text: string) => `#+begin_example\n${text}\n#+end_example\n`
const drawer = (line: string) => `:PROPERTIES:\n${line}\n:END:\n`

const bodies = fc.oneof(
  { weight: 4, arbitrary: stamps.map((stamp) => `SCHEDULED: ${stamp}\n`) },
  { weight: 4, arbitrary: stamps.map((stamp) => `DEADLINE: ${stamp}\n`) },
  fc.tuple(stamps, stamps).map(([one, two]) => `SCHEDULED: ${one} DEADLINE: ${two}\n`),
  fc.tuple(stamps, stamps).map(([one, two]) => `DEADLINE: ${one}\nText with ${two} in it.\n`),
  stamps.map((stamp) => `Text with ${stamp} in it.\n`),
  stamps.map((stamp) => example(stamp)),
  stamps.map((stamp) => drawer(`:WHEN: ${stamp}`)),
  stamps.map((stamp) => `# ${stamp}\n`),
  stamps.map((stamp) => `=${stamp}= and ~${stamp}~\n`),
  fc.tuple(stamps, stamps).map(([one, two]) => `${one} twice ${two}\n`),
  ranges.map((range) => `${range}\n`),
  ranges.map((range) => example(range)),
  ranges.map((range) => `#+begin_src text\n${range}\n#+end_src\n`),
  ranges.map((range) => `# ${range}\n`),
  fc
    .tuple(days, hours, fc.constantFrom('.+1d/3d', '++1w', '.+2d', '+1m/6w'))
    .map(
      ([day, hour, every]) => `SCHEDULED: <${day} Xxx${hour} ${every}>\n${drawer(':STYLE: habit')}`,
    ),
  fc.constant('SCHEDULED: [2026-11-21 Sat]\n'),
)

const heads = fc.constantFrom(
  ...['* TODO ', '* TODO ', '* TODO [#A] ', '* TODO [#C] ', '* ', '* DONE ', '* DONE [#A] '],
  ...['** TODO ', '** ', '* COMMENT '],
)
const ends = fc.constantFrom(
  ...['', '', '', '', '', ' :ARCHIVE:', ' <2026-11-23 Mon>', ' at 3pm', ' 8:15-9:45', ' :tag:'],
)

const tasks = fc.tuple(heads, ends, bodies)
const files = fc
  .array(tasks, { minLength: 30, maxLength: 30 })
  .map((all) => all.map(([stars, end, body], at) => `${stars}t${at}${end}\n${body}`).join(''))

const command = (from: string) => `
(let ((folder default-directory) lines)
  (require (quote org-agenda))
  (require (quote org-habit))
  (setq org-agenda-files (list (expand-file-name "a.org") (expand-file-name "b.org"))
        org-agenda-use-time-grid nil org-agenda-window-setup (quote current-window))
  (org-agenda-list nil "${from}" 3)
  (with-current-buffer org-agenda-buffer-name
    (goto-char (point-min))
    (while (not (eobp))
      (let ((at (get-text-property (point) (quote org-hd-marker)))
            (day (get-text-property (point) (quote day))))
        (when at
          (let ((date (calendar-gregorian-from-absolute day)))
            (push (format "%04d-%02d-%02d %s %s:%s %s|%s" (nth 2 date) (nth 0 date) (nth 1 date)
                          (get-text-property (point) (quote type))
                          (file-name-nondirectory (buffer-file-name (marker-buffer at)))
                          (with-current-buffer (marker-buffer at)
                            (goto-char at) (line-number-at-pos))
                          (get-text-property (point) (quote time))
                          (get-text-property (point) (quote extra)))
                  lines))))
      (forward-line 1)))
  (kill-buffer org-agenda-buffer-name)
  (write-region (mapconcat (function identity) (nreverse lines) "\\n") nil
                (expand-file-name "out.txt" folder) nil (quote quiet)))`

function theirs(text: string): string[] {
  const lines = text.split('\n').filter((line) => line !== '')
  return lines.map((line) => {
    const [, start = '', time = '', leader = ''] = /^(\S+ \S+ \S+) ([^|]*)\|(.*)$/.exec(line) ?? []
    return [start, (time.match(/\d+:\d\d/g) ?? []).join('-'), leader].join(' | ')
  })
}

function ours(texts: Record<string, string>, today: number): string[] {
  const store = new ObjectStore()
  for (const [path, text] of Object.entries(texts)) store.ingestFile(path, text)
  const notes = [...store.objects()].map(factsOf)
  const plain = (time: string | null) => time?.replace(/^0/, '')
  return agenda(notes, today, today + 2, { today }).flatMap(({ day, items }) =>
    items.map(({ kind, note, time, end, leader }) => {
      const hours = [plain(time), plain(end)].filter((hour) => hour !== undefined).join('-')
      return [`${dayText(day)} ${kind} ${note.file}:${note.line}`, hours, leader].join(' | ')
    }),
  )
}

/** Whether old versions show a line as the present one does: not the middle of a range. */
function isAgreed(line: string): boolean {
  const [, number, count] = / \((\d+)\/(\d+)\): $/.exec(line) ?? []
  return number === undefined || number === '1' || number === count
}

test.skipIf(!hasEmacs)('the same lines on every day', { timeout: 600_000 }, () => {
  let compared = 0
  const wrong: object[] = []
  const cases = Array.from({ length: years }, (_, year) => {
    const [one = '', two = ''] = fc.sample(files, { numRuns: 2, seed: 21 + year })
    return Array.from({ length: 122 }, (__, at) => ({ one, two, today: first + 3 * at }))
  }).flat()
  const { version, results } = askEmacs(
    cases.map(({ one, two, today }) => ({
      text: one,
      files: { 'b.org': two },
      at: 0,
      command: command(dayText(today)),
      now: new Date(today * 86_400_000 + 32_700_000),
    })),
  )
  for (const [index, { one, two, today }] of cases.entries()) {
    const result = results[index]!
    if ('error' in result) throw new Error(result.error)
    const [here, there] = [
      ours({ 'a.org': one, 'b.org': two }, today),
      theirs(result['out.txt'] ?? ''),
    ].map((lines) => (isOld(version) ? lines.filter(isAgreed) : lines)) as [string[], string[]]
    compared += there.length
    const missing = there.filter((line) => !here.includes(line))
    const extra = here.filter((line) => !there.includes(line))
    if (here.join('\n') !== there.join('\n')) wrong.push({ one, two, missing, extra })
  }
  console.log(`${compared} lines of the agenda compared with Org ${version}`)
  expect(wrong.slice(0, 1), isOld(version) ? 'an old Org' : 'the present Org').toEqual([])
  expect(compared).toBeGreaterThan(2_500)
})
