import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { toHtml } from 'hast-util-to-html'
import { expect, test } from 'vitest'
import { colourSheet, createColours } from '../../src/code/highlight.ts'

const css = readFileSync(join(import.meta.dirname, '../../src/pages/style.css'), 'utf8')
const pairs = [...css.matchAll(/--(\w+): light-dark\((#\w{6}), (#\w{6})\);/g)]
const sets = [2, 3].map((at) => new Map(pairs.map((pair) => [pair[1]!, pair[at]!])))

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

test.each([0, 1])('text can be read on its ground, set %i', async (at) => {
  const set = sets[at]!
  for (const ground of ['paper', 'panel', 'raised', 'mark']) {
    for (const ink of ground === 'mark' ? ['ink', 'accent'] : ['ink', 'soft', 'accent']) {
      expect(contrast(set.get(ink)!, set.get(ground)!), `${ink} on ${ground}`).toBeGreaterThan(4.5)
    }
  }
  expect([...set.keys()].sort()).toEqual([
    'accent',
    'ink',
    'line',
    'mark',
    'panel',
    'paper',
    'raised',
    'soft',
  ])
  const code =
    '/** @param a */ export const f = async (a: string) => /x+/g.test(a + 1) // "b" !== 2'
  const body = `${code}\n# c\n; d\n{"e": [null]} .f { g: #fff }`
  const languages = ['typescript', 'bash', 'json', 'css', 'lisp']
  const colours = await createColours(languages.map((language) => ({ language, body })))
  const html = languages.map((language) =>
    toHtml(colours(body, language), { allowDangerousHtml: true }),
  )
  const sheet = await colourSheet()
  const rules = new Map(
    [...sheet.matchAll(/\.(k\d+) \{\s+color: light-dark\((#\w{6}), (#\w{6})/g)].map((match) => [
      match[1]!,
      match[at + 2]!,
    ]),
  )
  const used = html.join('').matchAll(/class="(k\d+)"/g)
  const distinct = new Set([...used].map((match) => rules.get(match[1]!)!))
  expect(distinct.size).toBeGreaterThan(5)
  for (const colour of distinct) {
    expect(contrast(colour, set.get('panel')!), colour).toBeGreaterThan(4.5)
  }
})
