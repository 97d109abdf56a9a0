import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { applyPatches } from 'org-ast/edit'
import { expect, onTestFinished, test } from 'vitest'
import { openMemex } from '../../src/memex/memex.ts'
import { editNotes, inverse } from '../../src/memex/note-edit.ts'
import { byOwner } from '../../src/memory/history.ts'
import { ObjectStore } from '../../src/memory/store.ts'
import { handClock } from '../base/hand-clock.ts'

function desk(files: Record<string, string>) {
  const dir = mkdtempSync(join(tmpdir(), 'note-edit-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text)
  const clock = handClock()
  const author = { by: 'agent' as const, signal: 's', outside: false }
  const made = { memex: openMemex(dir), store: new ObjectStore(clock), clock, author }
  const read = (name: string) => readFileSync(join(dir, name), 'utf8')
  return { ...made, made, dir, read }
}

const atEnd = (text: string, put: string) => [{ begin: text.length, end: text.length, text: put }]

test('patches and their inverse cancel out', () => {
  const cuts = fc.array(fc.nat(40), { minLength: 2, maxLength: 8 })
  fc.assert(
    fc.property(fc.string({ minLength: 40, maxLength: 60 }), cuts, fc.string(), (text, at, put) => {
      const ends = [...new Set(at)].sort((a, b) => a - b)
      const patches = ends.flatMap((begin, index) => {
        const end = ends[index + 1]
        return index % 2 === 1 || end === undefined ? [] : [{ begin, end, text: put }]
      })
      const after = applyPatches(text, patches)
      expect(applyPatches(after, inverse(text, patches))).toBe(text)
    }),
  )
})

const program = '#+begin_src sh :tangle x\necho\n#+end_src\n'
const head = '#+property: header-args :noweb-ref all\n* A\n'

test.each([
  program,
  '#+include: "/etc/passwd"\n',
  '[[elisp:(x)]]\n',
  '# Local Variables:\n# eval: (x)\n# End:\n',
  ':PROPERTIES:\n:header-args: :tangle x\n:END:\n',
  'a\x1b[31m\n',
  '#+begin_src sh :tangle no :eval never\n#+end_src\n',
])('an agent does not write %j, and its owner may', async (text) => {
  const { made, read } = desk({ 'a.org': head })
  const edit = (more: object = {}) =>
    editNotes(made, (file) => [
      { path: 'a.org', text: file('a.org'), patches: atEnd(file('a.org'), text), ...more },
    ])
  await expect(edit()).rejects.toThrow(/^a\.org was not changed: Emacs would obey ".*plain text/)
  expect(read('a.org')).toBe(head)
  await edit({ restores: true })
  Object.assign(made, { author: byOwner })
  await edit()
  expect(read('a.org')).toBe(head + text + text)
})

test('an edit is looked at where it is, in the middle of a long file too', async () => {
  const own = `* A\n${program}`.repeat(3)
  const text = `#+title: T\n${own}* Here\nWords.\n${own}`
  const { made, read } = desk({ 'a.org': text })
  const at = text.indexOf('Words.')
  const put = (words: string) =>
    editNotes(made, (file) => [
      { path: 'a.org', text: file('a.org'), patches: [{ begin: at, end: at, text: words }] },
    ])
  for (const bad of [
    program,
    `\n* A\n${program}`,
    '#+include: "x"\n',
    '* B\n#+begin_src sh\n#+end_src\n* C\n',
  ]) {
    await expect(put(bad)).rejects.toThrow('Emacs would obey')
  }
  await put('More. ')
  expect(read('a.org')).toBe(text.replace('Words.', 'More. Words.'))
})

test('what the owner has may be changed and moved, and not doubled', async () => {
  const { made, read } = desk({ 'a.org': program, 'b.org': '' })
  const place = (begin: number, end: number, text: string) => [{ begin, end, text }]
  const body = program.indexOf('echo')
  await editNotes(made, () => [
    { path: 'a.org', text: program, patches: place(body, body, 'x=1\n') },
  ])
  const now = read('a.org')
  const twice = () =>
    editNotes(made, () => [{ path: 'a.org', text: now, patches: atEnd(now, now) }])
  await expect(twice()).rejects.toThrow('Emacs would obey')
  await editNotes(made, () => [
    { path: 'a.org', text: now, patches: place(0, now.length, '') },
    { path: 'b.org', text: '', patches: atEnd('', now) },
  ])
  expect([read('a.org'), read('b.org')]).toEqual(['', now])
})

test.each([
  [2, '* A\n01agent'],
  [9, '* A\n01234567'],
])('%d changes underneath', async (times, expected) => {
  const { made, dir, store, read } = desk({ 'a.org': '* A\n' })
  let plans = 0
  const edited = editNotes(made, (readNote) => {
    const text = readNote('a.org')
    if (plans < times) writeFileSync(join(dir, 'a.org'), `${text}${plans}`)
    plans++
    return [{ path: 'a.org', text, patches: atEnd(text, 'agent') }]
  })
  if (times === 9) await expect(edited).rejects.toThrow('in the meantime')
  else await edited
  expect(read('a.org')).toBe(expected)
  const authors = store.history
    .changes(store.query({ type: 'headline' })[0]!.id)
    .map(({ by }) => by)
  expect(authors).toEqual(
    times === 9 ? Array(8).fill('owner') : ['owner', 'owner', 'owner', 'agent'],
  )
})

test.each([true, false])('a note that is open in an editor is waited for (%s)', async (saves) => {
  const { made, dir, clock, read } = desk({ 'a.org': '* A\n' })
  const lock = join(dir, '.#a.org')
  symlinkSync(`ann@${hostname()}.${process.ppid}:1`, lock)
  const edited = editNotes(made, (readNote) => {
    const text = readNote('a.org')
    return [{ path: 'a.org', text, patches: atEnd(text, 'agent') }]
  })
  const outcome = edited.then(
    () => 'written',
    (error: Error) => error.message,
  )
  expect(made.author).toBe(byOwner)
  if (saves) {
    writeFileSync(join(dir, 'a.org'), '* A\nann\n')
    rmSync(lock)
  }
  for (let at = 0; at < 25; at++) {
    clock.pass(250)
    await Promise.resolve().then(() => {})
  }
  expect(await outcome).toMatch(saves ? 'written' : `by ann on ${hostname()} (process`)
  expect(read('a.org')).toBe(saves ? '* A\nann\nagent' : '* A\n')
  expect([made.author.by, clock.pending()]).toEqual(['agent', 0])
})

test('all files or none', async () => {
  const { made, read } = desk({ 'a.org': '* A\n', 'b.org': '* B\n' })
  const both = (second: string | null) =>
    editNotes(made, () => [
      { path: 'a.org', text: '* A\n', patches: atEnd('* A\n', 'x') },
      { path: 'b.org', text: second, patches: atEnd(second ?? '', 'y') },
    ])
  for (const wrong of ['* C\n', null]) {
    await expect(both(wrong)).rejects.toThrow('b.org')
    expect([read('a.org'), read('b.org')]).toEqual(['* A\n', '* B\n'])
  }
  expect((await both('* B\n')).map(({ path }) => path)).toEqual(['b.org', 'a.org'])
  await editNotes(made, () => [{ path: 'c.org', text: null, patches: atEnd('', '* C\n') }])
  expect([read('a.org'), read('b.org'), read('c.org')]).toEqual(['* A\nx', '* B\ny', '* C\n'])
})
