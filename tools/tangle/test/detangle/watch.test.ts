import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type WatchEvent, watchProject } from '../../src/detangle/watch.ts'
import { tangle } from '../../src/run/tangle.ts'

const block = (target: string, body: string) =>
  `#+begin_src sh :tangle ${target} :mkdirp yes\n${body}\n#+end_src\n`

type Saved = Record<string, string | Buffer>

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
  async save(files: Saved): Promise<WatchEvent> {
    const said = once(this.#events, 'said')
    for (const [name, text] of Object.entries(files)) writeFileSync(join(this.root, name), text)
    const [event] = await said
    return (event as CustomEvent<WatchEvent>).detail
  }

  /** The same, until something of this kind is said. */
  async saveUntil(files: Saved, kind: WatchEvent['kind']): Promise<WatchEvent> {
    let event = await this.save(files)
    while (event.kind !== kind) event = await this.save({})
    return event
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

test('a conflict is over when it is settled', async () => {
  const project = await watched({ 'a.org': block('src/a', 'one') })
  await project.save({ 'a.org': block('src/a', 'eins'), 'src/a': 'un\n' })
  const settled = { kind: 'carried-back', written: [], refusals: [] }
  expect(await project.saveUntil({ 'src/a': 'eins\n' }, 'carried-back')).toMatchObject(settled)
  expect(await project.save({ 'src/a': 'zwei\n' })).toMatchObject({ kind: 'carried-back' })
  expect(project.read('a.org')).toBe(block('src/a', 'zwei'))
})

test('a fragment of two files is edited in both', async () => {
  const fragment = `#+name: f\n#+begin_src sh\none\n#+end_src\n`
  const uses = ['src/a', 'src/b'].map((path) => block(`${path} :noweb yes`, '<<f>>'))
  const project = await watched({ 'a.org': uses.join('') + fragment })
  await project.saveUntil({ 'src/a': 'uno\n', 'src/b': 'uno\n' }, 'carried-back')
  expect(project.read('a.org')).toContain('\nuno\n')
})

test('documents come and go', async () => {
  const project = await watched({ 'a.org': block('src/a', 'one'), 'b.org': block('src/b', 'two') })
  renameSync(join(project.root, 'a.org'), join(project.root, 'c.org'))
  const renamed = await project.saveUntil({ 'c.org': block('src/a', 'uno') }, 'tangled')
  expect(renamed.file).toBe(join(project.root, 'c.org'))
  expect(project.read('src/a')).toBe('uno\n')
  const greedy = await project.save({ 'c.org': block('b.org', 'uno') })
  expect(greedy).toMatchObject({ kind: 'conflict', written: [] })
  expect(project.read('b.org')).toBe(block('src/b', 'two'))
  const other = await project.save({ 'c.org': block('src/b', 'uno') })
  expect(other.refusals[0]?.message).toContain('described by b.org')
})

test('what git ignores is no document, and what is no UTF-8 is no text', async () => {
  const project = await watched({ 'a.org': block('src/a', 'one'), '.gitignore': 'ignored.org\n' })
  mkdirSync(join(project.root, '.git'))
  writeFileSync(join(project.root, 'ignored.org'), block('src/i', 'one'))
  expect(await project.save({ 'src/a': Buffer.from([0x61, 0xff, 0x0a]) })).toMatchObject({
    kind: 'problem',
    refusals: [{ message: expect.stringContaining('UTF-8') }],
  })
  expect(project.read('a.org')).toBe(block('src/a', 'one'))
  expect(existsSync(join(project.root, 'src/i'))).toBe(false)
})

test("a file that the document left is nobody's", async () => {
  const project = await watched({ 'a.org': block('src/a', 'one') })
  await project.save({ 'a.org': block('src/b', 'two') })
  writeFileSync(join(project.root, 'src/a'), 'stale\n')
  expect(await project.save({ 'src/b': 'three\n' })).toMatchObject({
    file: join(project.root, 'src/b'),
    kind: 'carried-back',
  })
  expect(project.read('a.org')).toBe(block('src/b', 'three'))
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
