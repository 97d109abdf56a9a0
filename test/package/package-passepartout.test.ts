import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundle } from '../../packages/clients/src/command/bundle.ts'

const root = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'passepartout-bundle-'))
const installed = join(folder, 'node_modules/passepartout')
const memex = join(folder, 'memex')
const env = { PATH: process.env.PATH, HOME: folder, NO_COLOR: '1' }

interface Manifest {
  version: string
  dependencies?: Record<string, string>
}

function manifestOf(place: string): Manifest {
  return JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'))
}

function passepartout(args: readonly string[], input = '') {
  const program = join(installed, 'bin/passepartout.cjs')
  const result = spawnSync(program, args, {
    cwd: folder,
    env,
    input,
    encoding: 'utf8',
    timeout: 60_000,
  })
  return { ...result, said: `${result.stdout}${result.stderr}` }
}

beforeAll(async () => {
  mkdirSync(installed, { recursive: true })
  await bundle(installed)
  for (const name of Object.keys(manifestOf(installed).dependencies ?? {})) {
    const place = join(folder, 'node_modules', name)
    mkdirSync(dirname(place), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), place)
  }
  cpSync(join(root, 'test/memex'), memex, { recursive: true })
}, 120_000)

afterAll(() => {
  passepartout(['stop'])
  rmSync(folder, { recursive: true, force: true })
})

function sizeOf(place: string): number {
  const names = readdirSync(place, { recursive: true, encoding: 'utf8' })
  const files = names.map((name) => statSync(join(place, name), { throwIfNoEntry: false }))
  return files.reduce((sum, file) => sum + (file?.isFile() ? file.size : 0), 0)
}

/** The folders of what a package needs, its own first. */
function closureOf(place: string, found = new Set<string>()): Set<string> {
  found.add(place)
  for (const name of Object.keys(manifestOf(place).dependencies ?? {})) {
    const inside = join(place, 'node_modules', name)
    const next = existsSync(inside) ? inside : join(root, 'node_modules', name)
    if (!found.has(next)) closureOf(next, found)
  }
  return found
}

test('an installation is small', () => {
  const places = [...closureOf(installed)]
  const outer = places.filter((place) => !places.some((each) => place.startsWith(`${each}/`)))
  expect(outer.reduce((sum, place) => sum + sizeOf(place), 0)).toBeLessThan(60e6)
  expect(places.length).toBeLessThan(40)
})

test('the licences of others are in it', () => {
  const text = readFileSync(join(installed, 'THIRD-PARTY.txt'), 'utf8')
  for (const name of ['zod', '@ai-sdk/anthropic', 'chrono-node', 'unbash']) {
    expect(text).toMatch(new RegExp(`^${name} \\d`, 'm'))
  }
  expect(readFileSync(join(installed, 'LICENSE'), 'utf8')).toContain('AFFERO')
})

test('its commands work where there are no sources', () => {
  expect(passepartout(['start', '--detach', '--memex', memex]).said).toContain('Ready for')
  expect(passepartout(['ask', 'what is next?']).stdout).toContain('Call the plumber')
  expect(passepartout(['status']).said).toContain(memex)
  expect(passepartout(['--version']).stdout.trim()).toBe(manifestOf(installed).version)
  expect(passepartout(['search', 'baking breads']).stdout).toContain('bread.org')
  expect(passepartout(['why']).stdout).toContain('what is next?')
  expect(passepartout(['memory', 'check']).status).toBe(0)
  expect(passepartout(['vault', 'list']).status).toBe(0)
  const action = { tool: 'shell', args: { cmd: 'rm -rf /' }, explanation: 'You asked.' }
  const { stdout } = passepartout(['gates', 'check'], `${JSON.stringify(action)}\n`)
  expect(JSON.parse(stdout)).toMatchObject({ verdict: 'reject', rule: 'shell.tree' })
  expect(passepartout(['stop']).said).toContain('Stopped')
}, 120_000)

test('it starts again, and takes a task', () => {
  expect(passepartout(['start', '--detach', '--memex', memex]).said).toContain('Ready for')
  expect(passepartout(['ask', 'capture buy yeast tomorrow']).stdout).toContain('Captured')
  expect(readFileSync(join(memex, 'inbox.org'), 'utf8')).toContain('Buy yeast')
  passepartout(['stop'])
}, 60_000)
