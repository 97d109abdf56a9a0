import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { type Atlas, atlasOf } from '../../src/symbols/atlas.ts'

const gate = `#+property: header-args:typescript :tangle src/gate.ts
#+begin_src typescript
/** Lets in, or not. And more. */
export interface Gate {
  allows(name: string): boolean
}
export const open: Gate = { allows: () => true }
export function shut(gate: Gate, why = 'late'): Gate {
  return gate.allows(why) ? open : gate
}
#+end_src
`
const use = `#+begin_src typescript :tangle src/use.ts
import { type Gate, open as free, shut } from './gate.ts'
const { open } = await import('./gate.ts')
export const gates = { free, open, shut: (gate: Gate) => gate.allows('x') }
#+end_src
#+begin_src sh :tangle src/run.sh
node src/use.ts
#+end_src
`

const root = mkdtempSync(join(tmpdir(), 'atlas-'))
afterAll(() => rmSync(root, { recursive: true }))
writeFileSync(join(root, 'package.json'), '{"org-tangle": {}}')
writeFileSync(join(root, 'gate.org'), gate)
writeFileSync(join(root, 'use.org'), use)

function usesOf({ targets, symbols }: Atlas, file: string): string[] {
  const { text, uses } = targets.find(({ path }) => path === file)!
  const found: string[] = []
  for (let index = 0, at = 0; index < uses.length; index += 3) {
    at += uses[index]!
    found.push(`${text.slice(at, at + uses[index + 1]!)} ${symbols[uses[index + 2]!]!.name}`)
  }
  return found
}

const asked = atlasOf(root)

test('every use of a name leads to what it means', async () => {
  const atlas = await asked
  expect(atlas.symbols.map(({ name, kind }) => `${kind} ${name}`)).toEqual([
    'interface Gate',
    'method Gate.allows',
    'variable open',
    'function shut',
    'variable gates',
  ])
  expect(usesOf(atlas, 'src/gate.ts')).toEqual([
    ...['Gate Gate', 'allows Gate.allows', 'open open', 'Gate Gate', 'allows Gate.allows'],
    ...['shut shut', 'Gate Gate', 'Gate Gate', 'allows Gate.allows', 'open open'],
  ])
  expect(usesOf(atlas, 'src/use.ts')).toEqual([
    ...['Gate Gate', 'open open', 'free open', 'shut shut', 'open open', 'gates gates'],
    ...['free open', 'Gate Gate', 'allows Gate.allows'],
  ])
})

test('a symbol is shown by a line and a sentence', async () => {
  const { symbols, targets } = await asked
  const [first] = symbols
  expect(first).toMatchObject({ signature: 'interface Gate', summary: 'Lets in, or not.' })
  expect(symbols.slice(1).map(({ signature }) => signature)).toEqual([
    'allows(name: string): boolean',
    'const open: Gate',
    "function shut(gate: Gate, why = 'late'): Gate",
    'const gates',
  ])
  expect(targets.map(({ path, document }) => [path, document])).toEqual([
    ['src/gate.ts', 'gate.org'],
    ['src/use.ts', 'use.org'],
    ['src/run.sh', 'use.org'],
  ])
  const { text, runs } = targets[2]!
  expect([text, runs.slice(0, 3)]).toEqual(['node src/use.ts\n', [0, use.indexOf('node src'), 1]])
})

test('what was found is remembered, for the code it was found in', async () => {
  const memory = join(root, 'memory/atlas.json')
  const { symbols: first } = await atlasOf(root, [], memory)
  expect(readdirSync(join(root, 'memory'))).toEqual(['atlas.json'])
  const kept = readFileSync(memory, 'utf8')
  writeFileSync(memory, kept.replaceAll('Lets in', 'Lets out'))
  writeFileSync(join(root, 'gate.org'), `A sentence.\n${gate}`)
  const { symbols } = await atlasOf(root, [], memory)
  expect(symbols[0]?.summary).toBe('Lets out, or not.')
  writeFileSync(memory, kept.replace('"symbols":[', '"symbols":[7,'))
  expect((await atlasOf(root, [], memory)).symbols).toEqual(first)
  writeFileSync(join(root, 'gate.org'), gate.replace('shut(gate', 'close(gate'))
  expect((await atlasOf(root, [], memory)).symbols[3]?.name).toBe('close')
})

test('a folder of notes needs no compiler', async () => {
  writeFileSync(join(root, 'notes.org'), 'A note.\n')
  const atlas = await atlasOf(root, ['notes.org'])
  expect(atlas).toEqual({ root, targets: [], symbols: [], others: [] })
})
