import { expect, test } from 'vitest'
import { isInside, placeIn, placePatch } from '../../src/edit/archive-place.ts'
import { applyPatches } from '../../src/edit/edit.ts'
import { parse } from '../../src/parse/parse.ts'

const day = new Date(2026, 10, 21)
const placed = (text: string, heading: string) => placeIn(text, parse(text), heading, false, day)

const tree = '* 2026\n** 2026-11 November\n*** 2026-11-21 Saturday\n'
test.each([
  ['', '', '\n* x\n'],
  ['a\n', 'no stars', 'a\n\n* x\n'],
  ['a', '* H', 'a\n\n* H\n\n** x\n'],
  ['* h :t:\n\n\n** z\n\n\n* y', '* H', '* h :t:\n\n\n** z\n\n** x\n* y'],
  ['#+STARTUP: odd\n* H\n', '* H', '#+STARTUP: odd\n* H\n\n*** x\n'],
  ['a\n\n', 'datetree/', `a\n${tree}**** x\n`],
  [`${tree}**** z\n`, 'datetree/* D', `${tree}**** z\n**** D\n***** x\n`],
])('%j, %s', (text, heading, expected) => {
  const place = placed(text, heading)
  const subtree = `${'*'.repeat(place.level)} x\n`
  expect(applyPatches(text, [placePatch(text, place, subtree)])).toBe(expected)
})

test.each([
  ['* H\n** b\n', '* H', 4, false],
  ['* H\n** b\n', '* H', 0, true],
  ['* 2026\ntext\n', 'datetree/', 0, true],
  ['* 2027\ntext\n', 'datetree/', 0, false],
])('%j, %s from %i: %s', (text, heading, begin, expected) => {
  expect(isInside(placed(text, heading), text.length, begin, text.length)).toBe(expected)
})
