import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { openMemex } from '../../src/memex/memex.ts'
import { createRuntime } from '../../src/pipeline/create-runtime.ts'
import { ingestMemex } from '../../src/pipeline/ingest.ts'
import type { Runtime } from '../../src/pipeline/runtime.ts'
import { followMemex, Gathered } from '../../src/upkeep/memex-watch.ts'

function runtimeOn(dir: string): Runtime {
  const runtime = createRuntime({
    config: { home: dir, memexDir: dir, stateDir: join(dir, '.state') },
    memex: openMemex(dir),
  })
  ingestMemex(runtime)
  return runtime
}

function seen({ store }: Runtime) {
  return [...store.objects()].map(({ file, line, begin, end, hash }) => [
    ...[file, line, begin, end, hash],
  ])
}

async function followed() {
  const dir = mkdtempSync(join(tmpdir(), 'watch-'))
  const runtime = runtimeOn(dir)
  let wake = () => {}
  const watch = followMemex(runtime, () => wake())
  onTestFinished(async () => {
    await watch.close()
    rmSync(dir, { recursive: true })
  })
  await watch.ready
  const settled = async () => {
    for (;;) {
      const next = new Promise<void>((resolve) => {
        wake = resolve
      })
      if (JSON.stringify(seen(runtime)) === JSON.stringify(seen(runtimeOn(dir)))) return
      await next
    }
  }
  return { dir, runtime, settled }
}

test('hints of one moment are one', () => {
  const told: unknown[] = []
  const ends: (() => void)[] = []
  const gathered = new Gathered(
    (changed) => told.push(changed),
    (end) => ends.push(end),
  )
  for (const path of ['a', 'b', 'a']) gathered.add(path)
  ends.pop()!()
  for (let at = 0; at < 1000; at++) gathered.add(`${at}`)
  ends.pop()!()
  gathered.add('a')
  gathered.add(null)
  ends.pop()!()
  expect([told, ends]).toEqual([[new Set(['a', 'b']), 'anything', 'anything'], []])
})

const saves: Record<string, (file: string, text: string) => void> = {
  'in place': (file, text) => writeFileSync(file, text),
  'by a rename': (file, text) => {
    writeFileSync(`${file}.tmp`, text)
    renameSync(`${file}.tmp`, file)
  },
  'with a backup': (file, text) => {
    renameSync(file, `${file}~`)
    writeFileSync(file, text)
  },
}

test.each(Object.entries(saves))('a note that is saved %s is seen', async (_name, save) => {
  const { dir, runtime, settled } = await followed()
  const file = join(dir, 'a.org')
  writeFileSync(file, '* One\ntext\n')
  await settled()
  const { id } = runtime.store.query({ text: 'One' })[0]!
  save(file, '* Two\ntext\n')
  await settled()
  expect(runtime.store.get(id)?.title).toBe('Two')
})

const path = fc.constantFrom(
  'a.org',
  'b.org',
  'x/a.org',
  'x/c.org',
  'x/y/d.org',
  'z/e.org',
  '.h.org',
)
const note = fc.constantFrom(
  '* One\n',
  '* Two :t:\n** Three\ntext\n',
  '* Note\n:PROPERTIES:\n:ID: n1\n:END:\n',
  '#+title: T\n* A\nsome words\n* B\n',
  '',
)
const text = fc.array(note, { maxLength: 4 }).map((notes) => notes.join(''))
const step = fc.oneof(
  fc.record({ do: fc.constantFrom(...Object.keys(saves)), path, text }),
  fc.record({ do: fc.constant('remove'), path }),
  fc.record({ do: fc.constant('rename'), path, to: path }),
  fc.record({
    do: fc.constant('rename'),
    path: fc.constantFrom('x', 'x/y', 'z'),
    to: fc.constantFrom('w', 'x/v'),
  }),
  fc.record({ do: fc.constant('remove'), path: fc.constantFrom('x', 'x/y', 'z') }),
  fc.record({
    do: fc.constant('in place'),
    path: fc.constant('.passepartoutignore'),
    text: fc.constantFrom('', 'x/\n', 'c.org\n'),
  }),
  fc.record({ do: fc.constant('pause') }),
)

function act(dir: string, given: { do: string; path?: string; to?: string; text?: string }): void {
  const file = join(dir, given.path ?? '')
  try {
    if (given.do === 'remove') rmSync(file, { recursive: true })
    else if (given.do === 'rename') renameSync(file, join(dir, given.to!))
    else {
      mkdirSync(dirname(file), { recursive: true })
      saves[given.do]!(file, given.text!)
    }
  } catch {
    // A step that the file system refuses is no step.
  }
}

test('after any sequence the store is what a fresh one is', { timeout: 60_000 }, async () => {
  const { dir, settled } = await followed()
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), async (steps) => {
      for (const given of steps) {
        if (given.do === 'pause') await settled()
        else act(dir, given)
      }
      await settled()
    }),
    { numRuns: 40 },
  )
  expect(readdirSync(dir).length).toBeGreaterThan(0)
})
