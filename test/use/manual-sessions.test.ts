import { spawnSync } from 'node:child_process'
import {
  chmodSync,
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
import { join } from 'node:path'
import { parse, sourceBlocks } from 'org-ast'
import { expect, onTestFinished, test } from 'vitest'
import { findSandbox } from '../../packages/gates/src/sandbox/sandbox.ts'

const root = join(import.meta.dirname, '../..')
const manual = join(root, 'org/manual')

interface Step {
  typed: string
  answer: string
}

function stepsOf(session: string): Step[] {
  return session
    .split(/^\$ /m)
    .slice(1)
    .map((step) => {
      const [, typed, answer] = /^(.*\n(?:> .*\n|>\n)*)([\s\S]*)$/.exec(step)!
      return { typed: typed!.replace(/^> ?/gm, ''), answer: answer! }
    })
}

function sessionsOf(page: string): string {
  const text = readFileSync(join(manual, page), 'utf8')
  const blocks = sourceBlocks(parse(text), text).filter(({ language }) => language === 'console')
  return blocks.map(({ body }) => `${body}\n`).join('')
}

test('a session is taken apart', () => {
  expect(stepsOf("$ cat <<'END'\n> * a\n>\n> END\n* a\n\n$ true\n")).toEqual([
    { typed: "cat <<'END'\n* a\n\nEND\n", answer: '* a\n\n' },
    { typed: 'true\n', answer: '' },
  ])
})

function home() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'man-')))
  cpSync(join(root, 'test/memex'), join(folder, 'notes'), { recursive: true })
  mkdirSync(join(folder, 'bin'))
  const flags = '--disable-warning=ExperimentalWarning --conditions=@passepartout/source'
  const program = join(root, 'packages/clients/src/command/passepartout.ts')
  const shim = join(folder, 'bin/passepartout')
  writeFileSync(shim, `#!/bin/sh\nexec '${process.execPath}' ${flags} '${program}' "$@"\n`)
  chmodSync(shim, 0o755)
  const env = {
    PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    HOME: folder,
    MEMEX_DIR: join(folder, 'notes'),
    LANG: 'C.UTF-8',
    NO_COLOR: '1',
  }
  const type = (typed: string) => {
    const run = spawnSync('sh', ['-c', `exec 2>&1\n${typed}`], { cwd: folder, env })
    return String(run.stdout)
  }
  onTestFinished(() => {
    type('passepartout stop')
    rmSync(folder, { recursive: true })
  })
  return { folder, type }
}

const plain = (text: string, folder = '/home/ann') =>
  text
    .replaceAll(folder, '/home/ann')
    .replaceAll('npx passepartout', 'passepartout')
    .replace(/\b(approve|deny) [a-z]{6}\b/g, '$1 WORD')
    .replace(/\b\d{4}-\d\d-\d\d\b/g, 'DATE')
    .replace(/\bprocess \d+/g, 'process N')

const pages = globSync('*.org', { cwd: manual }).filter((page) => sessionsOf(page) !== '')

test('there is a page with a session', () => {
  expect(pages).toContain('safety.org')
})

const canRun = findSandbox().available

test.skipIf(!canRun).each(pages)('%s (skipped without a sandbox)', { timeout: 240_000 }, (page) => {
  const { folder, type } = home()
  let word = ''
  const steps = stepsOf(sessionsOf(page))
  const answers = steps.map(({ typed }) => {
    const answer = type(typed.replace(/\b(approve|deny) [a-z]{6}\b/g, `$1 ${word}`))
    word = /“approve ([a-z]{6})”/.exec(answer)?.[1] ?? word
    return `$ ${plain(typed)}${plain(answer, folder)}`
  })
  const expected = steps.map(({ typed, answer }) => `$ ${plain(typed)}${plain(answer)}`)
  expect(answers.join('')).toBe(expected.join(''))
})
