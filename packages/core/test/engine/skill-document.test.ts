import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  missingCapabilities,
  readSkillDocument,
  type SkillDocument,
} from '../../src/engine/skill-document.ts'

function read(...lines: string[]) {
  return readSkillDocument(lines.join('\n'), '/skills/night-guard.org')
}

function problems(...lines: string[]): string[] {
  const found = read(...lines)
  return found.ok ? [] : found.problems.map(({ line, message }) => `${line}: ${message}`)
}

function good(...lines: string[]): SkillDocument {
  const found = read(...lines)
  if (!found.ok) throw new Error(JSON.stringify(found.problems))
  return found.document
}

test('what is missing is what was asked and not granted', () => {
  expect(missingCapabilities(['tools', 'call:search'], ['tools'])).toEqual(['call:search'])
  expect(missingCapabilities(['tools'], ['tools', 'gates'])).toEqual([])
})

test('a document says what it is', () => {
  const document = good(
    '#+title: No mail at night',
    '#+description: Asks before mail between ten and six.',
    '#+DEPENDS_ON: clock-words, mail',
    '#+PRIORITY: 40',
    '#+CAPABILITIES: prompt call:search',
    '#+TRIGGER: mail, letter',
    '#+begin_mandate',
    'Never write to anybody at night.',
    '#+end_mandate',
  )
  expect(document).toMatchObject({
    name: 'night-guard',
    title: 'No mail at night',
    dependsOn: ['clock-words', 'mail'],
    priority: 40,
    capabilities: ['call:search', 'prompt'],
    triggers: ['mail', 'letter'],
    mandate: 'Never write to anybody at night.',
    prompt: '',
  })
  expect(document.hash).toMatch(/^[0-9a-f]{64}$/)
})

test('the code keeps its lines', () => {
  const { code, tests } = good(
    '* Prose',
    '#+begin_src typescript',
    'const one: number = 1',
    '',
    '#+end_src',
    'More prose.',
    '#+begin_src ts :test yes',
    'test("one", () => {})',
    '#+end_src',
    '  #+begin_src js',
    '  one',
    '  #+end_src',
    '#+begin_src ts :eval no',
    'an example',
    '#+end_src',
  )
  expect(code.text.split('\n').map((line) => line.trim())).toEqual([
    'const one         = 1',
    '',
    'one',
  ])
  expect(code.lines).toEqual([3, 4, 11])
  expect(tests).toEqual({ text: 'test("one", () => {})', lines: [8] })
})

test.each([
  ['a type error of grammar', ['const a: = 1'], /^2: /],
  ['a mistake on the second line', ['const a = 1', 'const b = ;'], /^3: /],
  ['an enum', ['enum A { b }'], /^2: .*enum/],
  ['an import', ['import a from "b"'], /^2: /],
  ['a dynamic import', ['const a = 1', 'import("node:fs")'], /^3: A skill can import nothing/],
  ['import.meta', ['import.meta.url'], /^2: /],
  ['a source import', ['const a = 1', "import.source('x')"], /^3: A skill can import nothing/],
  [
    'one on several lines',
    ['import', '', '.', 'source', "('x')"],
    /^2: A skill can import nothing/,
  ],
  ['one with comments', ['[...import/**/./**/source("x")]'], /^2: A skill can import nothing/],
  ['one that is spread', ['[...import("x")]'], /^2: A skill can import nothing/],
  ['an escaped word', ['import.s\\u006furce("x")'], /^2: /],
  ['an escaped import', ['\\u0069mport("x")'], /^2: /],
])('%s is told at its line', (_, code, expected) => {
  expect(problems('#+begin_src ts', ...code, '#+end_src').join()).toMatch(expected)
})

test('a name or a sentence with the word is no import', () => {
  good(
    '#+begin_src ts',
    "const said = ['Nothing to import.', 'import.org', 'the import of it']",
    'const imported = { import: said }',
    'imported.import(1), reimport(said)',
    'function reimport() {}',
    '#+end_src',
  )
})

test('what is asked for must exist', () => {
  expect(problems('', '#+CAPABILITIES: tools network').join()).toMatch(/^2: .*got network/)
  expect(problems('#+PRIORITY: high').join()).toMatch(/^1: .*got high/)
  expect(readSkillDocument('', '/skills/My Skill.org').ok).toBe(false)
})

test('any text is a document or has problems', () => {
  const piece = fc.constantFrom(
    '#+begin_src ts\n',
    '#+end_src\n',
    '#+CAPABILITIES: ',
    '<<a>>',
    '\n',
  )
  const text = fc.array(fc.oneof(piece, fc.string())).map((parts) => parts.join(''))
  fc.assert(
    fc.property(text, (given) => {
      const found = readSkillDocument(given, 'a.org')
      expect(found.ok || found.problems.length > 0).toBe(true)
    }),
  )
})

test('code that would be lost is a mistake', () => {
  const lost = '#+title: X\n#+description: d\n\n#+begin_src typescript\nconst a = 1\n'
  for (const [text, line] of [
    [lost, 4],
    ['#+title: X\n#+description: d\n<<<<<<<<< ours\n', 3],
  ] as const) {
    const read = readSkillDocument(text, '/skills/lost.org')
    expect(read).toMatchObject({ ok: false, problems: [{ line }] })
  }
})
