import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectedFiles, expectLicence, filesOf, inspect, packTool, run } from '../servers/packed.ts'

const root = join(import.meta.dirname, '../..')
const source = join(root, 'tools/tangle')
const folder = mkdtempSync(join(tmpdir(), 'org-tangle-'))

let archive = ''
let consumer = ''

beforeAll(() => {
  const packed = packTool(folder, 'tangle', ['@types', 'orga', 'typescript', 'unified'])
  ;({ archive, consumer } = packed)
}, 240_000)

afterAll(() => rmSync(folder, { recursive: true }))

test('the archive holds what it must and nothing else', () => {
  expect(filesOf(archive)).toEqual(expectedFiles(source, 'bin/org-tangle.cjs', 'bin/org-tangle.js'))
  expectLicence(join(consumer, 'node_modules/org-tangle'))
})

test('the inspectors have nothing to say', async () => {
  const entrances = ['.', './lint', './symbols', './register', './vite', './package.json']
  await inspect(archive, entrances)
})

function example(language: string): string {
  const readme = readFileSync(join(consumer, 'node_modules/org-tangle/README.md'), 'utf8')
  return new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'ms').exec(readme)![1]!
}

test('the example of the README does what it says', () => {
  writeFileSync(join(consumer, 'package.json'), example('json'))
  mkdirSync(join(consumer, 'org'))
  writeFileSync(join(consumer, 'org/greet.org'), example('org'))
  const command = join(consumer, 'node_modules/org-tangle/bin/org-tangle.js')
  const session = example('console').split(/^\$ /m).slice(1)
  expect(session.length).toBeGreaterThan(5)
  for (const step of session) {
    const [line, ...printed] = step.split('\n')
    const [npx, , ...args] = line!.split(' ')
    const ours = npx === 'npx' ? [process.execPath, command, ...args] : ['sh', '-c', line!]
    expect(run(consumer, ...(ours as [string, ...string[]]))).toBe(printed.join('\n'))
  }
  writeFileSync(join(consumer, 'example.mjs'), example('js'))
  const promised = example('js').match(/^\/\/ (.*)$/m)![1]
  expect(run(consumer, process.execPath, 'example.mjs')).toBe(`${promised}\n`)
})
