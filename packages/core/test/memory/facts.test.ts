import { expect, test } from 'vitest'
import { dayText } from '../../src/base/day.ts'
import { factsOf } from '../../src/memory/facts.ts'
import { ObjectStore } from '../../src/memory/store.ts'

function read(text: string, path = 'dir/a.org') {
  const store = new ObjectStore()
  store.ingestFile(path, text)
  return [...store.objects()].map(factsOf)
}

test('dates are told apart', () => {
  const [, note] = read(`* TODO Sow [#A] :green:
SCHEDULED: <2026-11-01 Sun +1w> CLOSED: [2026-11-02 Mon]
:PROPERTIES:
:When: <2026-11-03 Tue>
:END:
Text <2026-11-04 Wed 10:00-11:00> and [2026-11-05 Thu].
# <2026-11-06 Fri>--<2026-11-07 Sat>
<2026-11-08 Sun>--<2026-11-09 Mon>
#+begin_example
<2026-11-10 Tue>--<2026-11-11 Wed>
<2026-11-12 Thu>
#+end_example
#+begin_src text
<2026-11-13 Fri>--<2026-11-14 Sat>
#+end_src
<%%(diary-float t 4 2)> and =<2026-11-15 Sun>=
%%(diary-anniversary 10 31 1948) Birthday
`)
  expect(
    note?.dates.map(
      ({ kind, first, last }) => `${kind} ${dayText(first).slice(8)}-${last - first}`,
    ),
  ).toEqual([
    'scheduled 01-0',
    'closed 02-0',
    'event 03-0',
    'event 04-0',
    'inactive 05-0',
    'block 08-1',
    'block 10-1',
  ])
  expect(note).toMatchObject({ diary: 2, todo: 'TODO', ownTags: ['green'], tags: ['green'] })
})

test('links and their targets', () => {
  const [file, one, two] = read(`#+property: a 1
#+property: a+ 2
[[id:x]] and https://example.org
* One
:PROPERTIES:
:CUSTOM_ID: one
:END:
[[file:../b.org::*Head  line]] [[#one]] [[*Two]] [[spot]]
* Two
Here <<Spot>>.
#+name: table
| 1 |
`)
  expect(file?.attributes).toEqual({ A: '1 2' })
  expect(file?.links).toEqual([{ key: 'id:x', raw: 'id:x' }])
  expect(one?.links.map(({ key }) => key)).toEqual([
    'head:b.org*head line',
    'custom:dir/a.org#one',
    'head:dir/a.org*two',
    'name:dir/a.org spot',
  ])
  expect(two?.targets).toEqual(['Spot', 'table'])
})
