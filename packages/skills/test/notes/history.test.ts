import { ObjectStore } from '@passepartout/core'
import { expect, test } from 'vitest'
import { historyText } from '../../src/notes/history.ts'

const now = new Date(2026, 10, 21, 9, 30)

function memex(files: Record<string, string>) {
  const store = new ObjectStore()
  for (const [path, text] of Object.entries(files)) store.ingestFile(path, text)
  return [...store.objects()]
}

const files = {
  'house.org': `* DONE New bulb
CLOSED: [2026-11-20 Fri 19:00]
- State "DONE"       from "TODO"       [2026-11-20 Fri 19:00]
* TODO Run
SCHEDULED: <2026-11-22 Sun .+2d>
:PROPERTIES:
:LAST_REPEAT: [2026-11-20 Fri 07:10]
:END:
- State "DONE"       from "TODO"       [2026-11-20 Fri 07:10]
- State "WAITING"    from "TODO"       [2026-11-20 Fri 07:00]
* TODO Water
:PROPERTIES:
:LAST_REPEAT: [2026-11-20 Fri 08:00]
:END:
* TODO Translate
:LOGBOOK:
CLOCK: [2026-11-20 Fri 10:00]--[2026-11-20 Fri 11:30] =>  1:30
CLOCK: [2026-11-20 Fri 13:00]--[2026-11-20 Fri 13:45] =>  0:45
:END:
* DONE Quietly :private:
CLOSED: [2026-11-20 Fri 20:00]
`,
  'journal.org':
    '* 2026\n** 2026-11-20 Friday\n*** Half a day off\n** 2026-11-19 Thursday\nRain.\n',
}

test('a day is told from its closings, logs, clocks and journal', () => {
  const text = historyText(memex(files), { from: '2026-11-19', to: '2026-11-20' }, now)
  expect(text.split('\n')).toEqual([
    'Thu 19 Nov',
    '  journal  Rain.  journal.org:4',
    '',
    'Yesterday, Fri 20 Nov',
    '  07:10  done     Run             house.org:4',
    '  08:00  done     Water           house.org:11',
    '  19:00  done     New bulb        house.org:1',
    '         2:15 h   Translate       house.org:15',
    '         journal  Half a day off  journal.org:3',
  ])
})

test('a day without a record says so', () => {
  const span = { from: '2026-11-21', to: '2026-11-21' }
  expect(historyText(memex(files), span, now)).toBe('Nothing is on record today.')
})
