import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openMemex } from '../../src/memex/memex.ts'
import { createRuntime } from '../../src/pipeline/create-runtime.ts'
import { ingestMemex } from '../../src/pipeline/ingest.ts'
import { formatMemoryProblem, memoryProblems } from '../../src/upkeep/memory-problems.ts'

function setting(files: Record<string, string>) {
  const home = mkdtempSync(join(tmpdir(), 'setup-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const dir = join(home, 'notes')
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), text)
  }
  for (const [path, text] of Object.entries(files)) write(path, text)
  const config = { home, memexDir: dir, stateDir: join(home, 'state') }
  const runtime = createRuntime({ config, memex: openMemex(dir) })
  const look = () => {
    ingestMemex(runtime)
    return [...runtime.store.objects()].filter((note) => note.private).map(({ title }) => title)
  }
  return { home, dir, runtime, write, look }
}

test('tags of a setup file count, whenever they change', () => {
  const { write, look } = setting({
    'diary.org': '#+title: Diary\n#+setupfile: "setup/diary.setup"\n* Day\n',
    'setup/diary.setup': '#+setupfile: all.setup\n',
    'setup/all.setup': '#+FILETAGS: :Private:\n',
    'later.org': '#+title: Later\n#+SETUPFILE: later.setup\n',
    'open.org': '* Open\n',
  })
  expect(look()).toEqual(['Diary', 'Day'])
  write('setup/all.setup', '#+filetags: :other:\n')
  expect(look()).toEqual([])
  write('later.setup', '#+filetags: :private:\n')
  expect(look()).toEqual(['Later'])
  write('setup/diary.setup', '#+filetags: :private:\n')
  expect(look()).toEqual(['Diary', 'Day', 'Later'])
})

test('nothing outside is read', () => {
  const names = [
    '../secret.setup',
    'link.setup',
    'away/secret.setup',
    'https://localhost/x',
    '/dev/zero',
  ]
  const notes = names.map((name, at) => [`${at}.org`, `#+setupfile: ${name}\n`])
  const { home, dir, runtime, look } = setting(Object.fromEntries(notes))
  writeFileSync(join(home, 'secret.setup'), '#+filetags: :private:\n')
  symlinkSync(join(home, 'secret.setup'), join(dir, 'link.setup'))
  symlinkSync(home, join(dir, 'away'))
  writeFileSync(join(dir, 'own.org'), '#+setupfile: own.org\n#+filetags: :private:\n')
  expect(look()).toEqual(['own.org'])
  expect(memoryProblems(runtime).map(formatMemoryProblem)).toEqual(
    names.map(
      (name, at) =>
        `${at}.org names the setup file ${name}, which is not in the memex and is not read; tags in it do not count`,
    ),
  )
})
