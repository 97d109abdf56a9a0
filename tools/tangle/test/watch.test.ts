import { once } from 'node:events'
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { tangle } from '../src/tangle.ts'
import { type WatchEvent, watchProject } from '../src/watch.ts'

const block = (target: string, body: string) =>
  `#+begin_src sh :tangle ${target} :mkdirp yes\n${body}\n#+end_src\n`

class Watched {
  readonly root: string
  readonly #events = new EventTarget()

  constructor(root: string) {
    this.root = root
  }

  read(name: string): string {
    return readFileSync(join(this.root, name), 'utf8')
  }

  /** Writes files at once and gives what the watcher says next. */
  async save(files: Record<string, string>): Promise<WatchEvent> {
    const said = once(this.#events, 'said')
    for (const [name, text] of Object.entries(files)) writeFileSync(join(this.root, name), text)
    const [event] = await said
    return (event as CustomEvent<WatchEvent>).detail
  }

  async start(signal: AbortSignal): Promise<void> {
    const ready = once(this.#events, 'said')
    const onEvent = (detail: WatchEvent) =>
      this.#events.dispatchEvent(new CustomEvent('said', { detail }))
    const ended = watchProject({ cwd: this.root, signal, onEvent })
    onTestFinished(() => ended)
    await Promise.race([ready, ended])
  }
}

async function watched(documents: Record<string, string>): Promise<Watched> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'watch-')))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const settings = { 'org-tangle': { sources: ['.'], owns: ['src'] } }
  writeFileSync(join(root, 'package.json'), JSON.stringify(settings))
  for (const [name, text] of Object.entries(documents)) writeFileSync(join(root, name), text)
  await tangle({ cwd: root })
  const control = new AbortController()
  const project = new Watched(root)
  await project.start(control.signal)
  onTestFinished(() => control.abort())
  return project
}

test('what is saved on one side goes to the other', async () => {
  const project = await watched({ 'a.org': block('src/a', 'one') })
  const tangled = await project.save({ 'a.org': block('src/a', 'uno') })
  expect(tangled).toMatchObject({ kind: 'tangled', written: [join(project.root, 'src/a')] })
  expect(project.read('src/a')).toBe('uno\n')
  const carried = await project.save({ 'src/a': 'uno\ndue\n' })
  expect(carried).toMatchObject({ kind: 'carried-back', written: [join(project.root, 'a.org')] })
  expect(project.read('a.org')).toBe(block('src/a', 'uno\ndue'))
})

test('an edit on both sides is left to a person', async () => {
  const project = await watched({ 'a.org': block('src/a', 'one') })
  const both = { 'a.org': block('src/a', 'eins'), 'src/a': 'un\n' }
  expect(await project.save(both)).toMatchObject({ kind: 'conflict', written: [] })
  expect(project.read('src/a')).toBe('un\n')
  expect(project.read('a.org')).toBe(both['a.org'])
})

test('new files are watched, and mistakes are told', async () => {
  const project = await watched({ 'a.org': block('src/a', 'one') })
  const more = block('src/a', 'one') + block('src/b', 'two')
  expect(await project.save({ 'a.org': more })).toMatchObject({ kind: 'tangled' })
  expect(await project.save({ 'src/b': 'three\n' })).toMatchObject({ kind: 'carried-back' })
  expect(project.read('a.org')).toContain('three')
  const broken = await project.save({ 'a.org': block('(f)', 'one') })
  expect(broken).toMatchObject({ kind: 'problem', refusals: [{ places: [{ line: 1 }] }] })
})
