import { expect, test } from 'vitest'
import { addNote, applyPatches, inertOrg } from '../../src/edit/editing.ts'
import { headlines, parse } from '../../src/index.ts'

const now = new Date(2026, 10, 21, 9, 5)

function noted(text: string, note: string): string {
  const tree = parse(text)
  const [headline] = headlines(tree)
  return applyPatches(text, addNote(text, tree, headline!, { now, note: inertOrg(note) }))
}

const entry = '- Note taken on [2026-11-21 Sat 09:05] \\\\\n  Asked again.\n'

test('a note is the first thing below the meta data', () => {
  expect(noted('* TODO Quote\nText.\n', 'Asked again.')).toBe(`* TODO Quote\n${entry}Text.\n`)
  const planned = '* TODO Quote\nDEADLINE: <2026-11-30 Mon>\n'
  expect(noted(planned, 'Asked again.\n')).toBe(planned + entry)
  expect(noted('* Quote', '')).toBe('* Quote\n- Note taken on [2026-11-21 Sat 09:05]')
})

test('a drawer is used where the file wants one, and line ends stay', () => {
  const text = '#+STARTUP: logdrawer\r\n* Quote\r\n'
  const drawer = `:LOGBOOK:\n${entry}:END:\n`.replaceAll('\n', '\r\n')
  expect(noted(text, 'Asked again.')).toBe(text + drawer)
})
