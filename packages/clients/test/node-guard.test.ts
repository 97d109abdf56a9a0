import { spawnSync } from 'node:child_process'
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const root = join(import.meta.dirname, '../../..')
const guards = globSync('{packages,tools}/*/bin/*.cjs', { cwd: root }).sort()

function place(guard: string, folder: string): { path: string; base: string } {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'guard-')))
  onTestFinished(() => rmSync(base, { recursive: true }))
  const own = join(base, folder)
  mkdirSync(join(own, 'bin'), { recursive: true })
  const path = join(own, 'bin', basename(guard))
  cpSync(join(root, guard), path)
  writeFileSync(join(own, 'package.json'), '{"engines":{"node":">=24.5"}}')
  writeFileSync(
    join(base, 'old.cjs'),
    "Object.defineProperty(process.versions, 'node', { value: '12.22.12' })\n",
  )
  return { path, base }
}

function runOld(path: string, base: string, env: Record<string, string> = {}) {
  const options = { encoding: 'utf8', env: { PATH: process.env.PATH ?? '', ...env } } as const
  const words = ['--require', join(base, 'old.cjs'), path, 'a b', '--c']
  const { status, stderr, stdout } = spawnSync(process.execPath, words, options)
  return { status, out: stdout, err: stderr }
}

test('there are four guards, each on the path, in old JavaScript', () => {
  const names = guards.map((path) => basename(path, '.cjs')).sort()
  expect(names).toEqual(['org-ast', 'org-tangle', 'org-weave', 'passepartout'])
  for (const guard of guards) {
    const { bin } = JSON.parse(readFileSync(join(root, dirname(guard), '../package.json'), 'utf8'))
    expect(Object.values(bin)).toEqual([expect.stringContaining(basename(guard))])
    const text = readFileSync(join(root, guard), 'utf8')
    const isNew = /=>|`|\?\.|\?\?|\*\*|\.\.\.|\b(?:const|let|class|async|await|of|static)\b(?!.*”)/
    const code = text.split('\n').filter((line) => !/^ *(?:\/\/|'use)/.test(line))
    expect(code.filter((line) => isNew.test(line.replace(/'[^']*'/g, '')))).toEqual([])
  }
})

test.each(guards)('%s says which Node it needs', (guard) => {
  const name = basename(guard, '.cjs')
  const installed = place(guard, `node_modules/${name}`)
  const said = runOld(installed.path, installed.base)
  expect(said).toMatchObject({ status: 1, out: '' })
  expect(said.err).toBe(
    `${name} needs Node 24.5 or newer, and this is Node 12.22.12.\n` +
      `Install it from https://nodejs.org, or run once: npx -p node@26 -p ${name} ${name}\n`,
  )
  const clone = place(guard, `packages/${name}`)
  expect(runOld(clone.path, clone.base).err).toBe(
    `${name} needs Node 24.2 or newer, and this is Node 12.22.12.\n` +
      `Run “npm ci” in ${clone.base}, which brings the right one, and then “npx ${name}”.\n`,
  )
})

test.each(guards)('%s runs with the Node that was brought', (guard) => {
  const { base, path } = place(guard, 'packages/x')
  mkdirSync(join(base, 'node_modules/.bin'), { recursive: true })
  const script = '#!/bin/sh\nprintf "%s|" "$@"\nexit 7\n'
  writeFileSync(join(base, 'node_modules/.bin/node'), script, { mode: 0o755 })
  expect(runOld(path, base)).toMatchObject({ status: 7, out: `${path}|a b|--c|` })
  expect(runOld(path, base, { PASSEPARTOUT_NODE_GUARD: '1' })).toMatchObject({ status: 1, out: '' })
})

test.each(guards)('%s starts its program', (guard) => {
  const run = spawnSync(process.execPath, [join(root, guard), '--version'], { encoding: 'utf8' })
  expect(run).toMatchObject({ status: 0, stderr: '' })
  expect(run.stdout).toMatch(/^\d+\.\d+\.\d+/)
})
