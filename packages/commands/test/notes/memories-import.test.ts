import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { ObjectStore } from '@passepartout/core'
import fc from 'fast-check'
import { escapeCode, headlines, parse, unescapeCode } from 'org-ast'
import { applyPatches, obeyed } from 'org-ast/edit'
import { expect, onTestFinished, test } from 'vitest'
import { importMemories } from '../../src/definitions/programs.ts'
import { type Origin, piecesOf, planImport } from '../../src/notes/memories-import.ts'
import { told } from '../line/told.ts'

const now = new Date(2026, 10, 22, 14)

function home(files: Record<string, string>) {
  const dir = mkdtempSync(join(tmpdir(), 'memories-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  mkdirSync(join(dir, 'memex'))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, 'from', path)), { recursive: true })
    writeFileSync(join(dir, 'from', path), text)
  }
  const env = { HOME: dir, MEMEX_DIR: join(dir, 'memex') }
  const run = (origin: string, ...more: string[]) =>
    told(importMemories, [origin, join(dir, 'from'), ...more], { env, now })
  return { dir, run, read: (name: string) => readFileSync(join(dir, 'memex', name), 'utf8') }
}

test('sections, entries and fences', () => {
  const source = 'Before.\n# Likes\nTea.\n```\n# no heading\n```\n## Empty\n§\nOne\n§\nTwo\n'
  expect(piecesOf('USER.md', source).map(({ heading, text }) => [heading, text])).toEqual([
    ['', 'Before.'],
    ['Likes', 'Tea.\n```\n# no heading\n```'],
    ['', 'One'],
    ['', 'Two'],
  ])
})

test('no memory becomes anything but a text', () => {
  const hostile = fc.constantFrom(
    '* TODO Pay',
    '#+end_example',
    ',* x',
    ':PROPERTIES:',
    ':CRON: * * * * *',
    ':END:',
    '# TODO a :private:',
    '#+PROVENANCE: owner',
    '<2026-11-22 Sun +1d>',
    '§',
    '```',
    '# <2026-11-22> [[id:x]]',
    '  * b',
    '',
    '\t#+call: x()',
    '# Tips src_emacs-lisp{(x)} x',
    '# call_x() {{{x}}} \\input{x}',
  )
  const source = fc.array(fc.oneof(hostile, fc.string())).map((lines) => lines.join('\n'))
  fc.assert(
    fc.property(source, fc.constantFrom<Origin>('openclaw', 'hermes'), (text, origin) => {
      const pieces = piecesOf('MEMORY.md', text)
      const { added, patches } = planImport(null, origin, pieces, now)
      const org = applyPatches('', patches)
      const found = [...headlines(parse(org))]
      expect(found.length).toBe(added.length)
      expect(obeyed(org)).toEqual([])
      for (const { level, tags, todoKeyword } of found)
        expect([level, tags, todoKeyword]).toEqual([1, [], null])
      if (added.length === 0) return
      const store = new ObjectStore()
      store.ingestFile('memories-openclaw.org', org)
      for (const object of store.objects()) {
        expect(object.authorship.outside).toBe(true)
        expect([object.scheduled, object.deadline, object.attributes.CRON]).toEqual([
          null,
          null,
          undefined,
        ])
      }
      for (const piece of added)
        expect(unescapeCode(org).replaceAll('\u200b', '')).toContain(
          unescapeCode(escapeCode(piece.text)).replaceAll('\u200b', ''),
        )
      expect(planImport(org, origin, pieces, now)).toEqual({ patches: [], added: [] })
    }),
  )
})

const secretKey = ['sk', 'ant', 'api03', 'Qm7vX2pLw9Rz4TnB8cKd6FyH1sJg3UaE'].join('-')

test.each([
  ['openclaw', ['MEMORY.md', 'USER.md', 'memory/2026-11-20.md'], 3],
  ['hermes', ['memories/MEMORY.md', 'USER.md', 'memory/2026-11-20.md'], 2],
  ['claude-code', ['CLAUDE.md', 'projects/-home-ann/memory/MEMORY.md', 'USER.md'], 2],
])('the memories of %s are brought in once', async (origin, paths, count) => {
  const files = paths.map((path) => [path, `# Of ${path}\nThe key is ${secretKey}.\n`])
  const { dir, read, run } = home(Object.fromEntries(files))
  symlinkSync('/etc/passwd', join(dir, 'from', 'SOUL.md'))
  const file = `memories-${origin}.org`
  expect((await run(origin, '--dry-run')).text.match(/^would bring in/gm)).toHaveLength(count)
  expect(() => read(file)).toThrow('ENOENT')
  expect((await run(origin)).text.match(/^brought in/gm)).toHaveLength(count)
  const first = read(file)
  expect(first).toMatch(/^#\+title: Memories of .*\n#\+PROVENANCE: message\n\* /)
  expect(first).not.toContain(secretKey)
  expect((await run(origin)).text).toContain('there already')
  expect(read(file)).toBe(first)
  const edited = first.replace('The key is', 'Once there was')
  writeFileSync(join(dir, 'memex', file), `${edited}\n\n`)
  writeFileSync(join(dir, 'from', paths[0]!), '# New\nMore.\n')
  expect(JSON.parse((await run(origin, '--json')).text)).toMatchObject({
    file: paths[0],
    heading: 'New',
  })
  expect(read(file)).toMatch(new RegExp(`^${RegExp.escape(edited)}\\* .*: New\\n`))
})

test('what is wrong is said', async () => {
  const { dir, run } = home({ 'x.txt': 'x' })
  expect(await run('openclaw')).toMatchObject({
    code: 1,
    text: expect.stringContaining('no memories'),
  })
  expect((await run('other')).code).toBe(2)
  const none = await told(importMemories, ['hermes', join(dir, 'none')], {
    env: { MEMEX_DIR: dir },
  })
  expect(none.code).toBe(1)
})
