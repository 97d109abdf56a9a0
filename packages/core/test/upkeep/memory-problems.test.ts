import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openMemex } from '../../src/memex/memex.ts'
import { createRuntime } from '../../src/pipeline/create-runtime.ts'
import { ingestMemex } from '../../src/pipeline/ingest.ts'
import { ingestPaths } from '../../src/upkeep/memex-watch.ts'
import {
  formatMemoryProblem,
  memoryProblems,
  ProblemTeller,
} from '../../src/upkeep/memory-problems.ts'

const note = (title: string, id: string) => `* ${title}\n:PROPERTIES:\n:ID: ${id}\n:END:\n`

function runtimeWith(files: Record<string, string | Buffer>) {
  const dir = mkdtempSync(join(tmpdir(), 'problems-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text)
  const log: string[] = []
  const runtime = createRuntime({
    config: { home: dir, memexDir: dir, stateDir: join(dir, '.state') },
    memex: openMemex(dir),
    log: (level, message) => void (level === 'warn' && log.push(message)),
  })
  ingestMemex(runtime)
  return { dir, runtime, log }
}

test('what is wrong is listed, and encrypted files are not read', () => {
  const { runtime } = runtimeWith({
    'a.org': note('A', 'x'),
    'b.org': `* B0\n${note('B', 'x')}`,
    'c.org.gpg': note('C', 'y'),
    'd.org': Buffer.from([0x2a, 0xff]),
  })
  const problems = memoryProblems(runtime)
  expect(problems.map(formatMemoryProblem)).toEqual([
    'the id x is written 2 times: a.org:1, b.org:2; remove it from the copies',
    'c.org.gpg is encrypted and is not read',
    'd.org is not UTF-8 text and is not read',
  ])
  const places = problems[0]?.kind === 'duplicate id' ? problems[0].places : []
  expect(places.map(({ id }) => runtime.store.get(id)?.title)).toEqual(['A', 'B'])
  expect(runtime.store.paths()).toEqual(['a.org', 'b.org'])
})

test('a new copy is told once', () => {
  const { dir, runtime, log } = runtimeWith({ 'a.org': note('A', 'x') })
  const teller = new ProblemTeller(runtime)
  teller.look('anything')
  const write = (name: string, text: string) => {
    writeFileSync(join(dir, name), text)
    ingestPaths(runtime, new Set([name]))
    teller.look(new Set([name]))
  }
  write('b.org', note('B', 'x'))
  write('b.org', note('B', 'x'))
  write('c.org', note('C', 'x'))
  write('c.org', '')
  expect(log.map((line) => line.split(' ').slice(0, 4).join(' '))).toEqual([
    'One note has an',
    '2 notes have an',
  ])
})
