import { ancestors, headlines, parse } from 'org-ast'
import { applyPatches, archiveSubtree, archiveToSibling, toggleArchiveTag } from 'org-ast/edit'
import { expect, test } from 'vitest'
import { askEmacs, hasEmacs, isOld, orRefused } from './emacs.ts'
import { atHeadline, type OutlineCase, outlines } from './outlines.ts'

const now = new Date(2026, 10, 21, 9, 5)

interface ArchiveCase {
  name: string
  at: OutlineCase
  /** The archive's name, when it is another file, and its text, when it is there. */
  other: string | null
  archive: string | null
}

const locations: [name: string, lines: string, other: string | null][] = [
  ['default', '', 'a.org_archive'],
  ['other file', '#+ARCHIVE: b.org::\n', 'b.org'],
  ['heading in another file', '#+ARCHIVE: b.org::* Old things\n#+ARCHIVE: c.org::\n', 'b.org'],
  ['lower heading', '#+PROPERTY: ARCHIVE b.org::** From %s\n', 'b.org'],
  ['same file', '#+ARCHIVE: ::\n', null],
  ['drawer of the file', ':PROPERTIES:\n:ARCHIVE: b.org::* x\n:END:\n', 'b.org'],
  ['heading in the same file', '#+ARCHIVE: ::* Old\n', null],
  ['date tree', '#+ARCHIVE: b.org::datetree/\n', 'b.org'],
  ['date tree, heading', '#+ARCHIVE: b.org::datetree/* Done\n', 'b.org'],
  ['date tree in the same file', '#+ARCHIVE: ::datetree/\n', null],
]

const archives = [
  null,
  '',
  'Text',
  '* Old things  :t:\n\n\n** z\n\n\n* y\n',
  '#+STARTUP: odd\r\n* x\r\n\r\n* old THINGS\r\n\r\n*** z\r\n',
  '* x\n** From a.org :t:\n*** z\n** w\n',
  '* 2025\n\n* 2026\n** 2026-01 January\n*** 2026-01-02 Friday\n**** Done\n***** z\n\n* 2027\n',
  'Text.\n\n* 2026\n\n** 2026-11 November\n\n*** 2026-11-20 Friday\n\n*** 2026-11-22 Sunday\ny',
]

const withoutCookies = (text: string) => text.replaceAll('[1/2]', '(1/2)')

function isCounted({ tree, headline }: OutlineCase): boolean {
  const parent = ancestors(tree, headline).at(-1)
  const section = parent?.children[0]
  const boxes =
    section?.type === 'section' && section.children.some(({ type }) => type === 'plain-list')
  return parent !== undefined && parent.children.at(-1) !== headline && !boxes
}

function located(at: OutlineCase, lines: string): OutlineCase {
  const { headline } = at
  const text = isCounted(at) ? at.text : withoutCookies(at.text)
  const newline = text.includes('\r\n') ? '\r\n' : '\n'
  const line = lines.replaceAll('\n', newline)
  const whole = line + text
  const tree = parse(whole)
  const all = [...headlines(tree)]
  const offset = headline.position.start.offset + line.length
  return { text: whole, tree, all, headline: all.find((n) => n.position.start.offset === offset)! }
}

const cases = locations.flatMap(([name, lines, other], seed): ArchiveCase[] =>
  outlines(120, 40 + seed).map((file, index) => ({
    name,
    at: located(file, lines),
    other,
    archive: other === null ? null : archives[index % archives.length]!,
  })),
)

function oldDiffers({ name, at: { text, tree, headline } }: ArchiveCase): boolean {
  const { start, end } = headline.children[0]?.position ?? headline.position
  const own = text.slice(start.offset, end.offset)
  const indented = /^[ \t]+(?:CLOSED|DEADLINE|:PROPERTIES:)/m.test(own)
  const commented = ancestors(tree, headline).some(({ commentedp }) => commentedp)
  const newer = name.startsWith('date tree') || name === 'drawer of the file'
  return newer || indented || commented
}

function attempt({ at, other, archive }: ArchiveCase): Record<string, string> | 'refused' {
  const request = { file: '/folder/a.org', now, archive }
  return orRefused(() => {
    const { source, target } = archiveSubtree(at.text, at.tree, at.headline, request)
    const rest = { 'a.org': applyPatches(at.text, source) }
    return other === null ? rest : { ...rest, [other]: applyPatches(archive ?? '', target) }
  })
}

test.skipIf(!hasEmacs)('as Emacs archives', { timeout: 300_000 }, () => {
  const { version, results } = askEmacs(
    cases.map(({ at, other, archive }) => ({
      text: at.text,
      ...(other === null || archive === null ? {} : { files: { [other]: archive } }),
      at: 0,
      command: atHeadline(at.headline, '(org-archive-subtree)'),
    })),
  )
  const seen = new Map<string, number>()
  for (const [index, at] of cases.entries()) {
    if (isOld(version) && oldDiffers(at)) continue
    const result = results[index]!
    const theirs = 'error' in result ? 'refused' : result
    const what = { name: at.name, text: at.at.text, title: at.at.headline.rawValue, to: at.archive }
    expect({ ...what, after: attempt(at) }).toEqual({ ...what, after: theirs })
    seen.set(at.name, (seen.get(at.name) ?? 0) + 1)
  }
  for (const [name, count] of seen) expect(count, name).toBeGreaterThanOrEqual(30)
  expect(seen.size).toBeGreaterThanOrEqual(6)
})

function isOrphan({ tree, headline }: OutlineCase): boolean {
  return headline.level > 1 && ancestors(tree, headline).length === 0
}

interface LocalCase {
  name: string
  at: OutlineCase
}

function withArchive({ text, headline }: OutlineCase, index: number): OutlineCase {
  const newline = text.includes('\r\n') ? '\r\n' : '\n'
  const stars = '*'.repeat(headline.level)
  const line = index % 2 === 0 ? '' : `${stars} Archive  :ARCHIVE:${newline}`
  const { offset } = headline.position.start
  const at = index % 4 === 1 ? offset : text.indexOf(`\n${stars} `) + 1
  const whole = text.slice(0, at) + line + text.slice(at)
  const tree = parse(whole)
  const all = [...headlines(tree)]
  const moved = offset + (at <= offset ? line.length : 0)
  return { text: whole, tree, all, headline: all.find((n) => n.position.start.offset === moved)! }
}

const local: LocalCase[] = [
  ...outlines(120, 60).map((at) => ({ name: 'tag', at })),
  ...outlines(280, 61).map((at, index) => ({ name: 'sibling', at: withArchive(at, index) })),
]

function attemptLocal({ name, at: { text, tree, headline } }: LocalCase): string {
  return orRefused(() => {
    if (name === 'tag') return applyPatches(text, toggleArchiveTag(text, headline))
    return applyPatches(text, archiveToSibling(text, tree, headline, { now }))
  })
}

test.skipIf(!hasEmacs)('as Emacs archives in the file', { timeout: 300_000 }, () => {
  const commands = { tag: '(org-toggle-archive-tag)', sibling: '(org-archive-to-archive-sibling)' }
  const { version, results } = askEmacs(
    local.map(({ name, at }) => ({
      text: at.text,
      at: 0,
      command: atHeadline(at.headline, commands[name as 'tag']),
    })),
  )
  const seen = new Map<string, number>()
  for (const [index, at] of local.entries()) {
    const { name } = at
    if (isOld(version) && name === 'sibling' && oldDiffers({ ...at, other: null, archive: null })) {
      continue
    }
    if (name === 'sibling' && isOrphan(at.at)) continue
    const result = results[index]!
    const what = { name, text: at.at.text, title: at.at.headline.rawValue }
    const theirs = 'error' in result ? 'refused' : result['a.org']
    expect({ ...what, after: attemptLocal(at) }).toEqual({ ...what, after: theirs })
    seen.set(name, (seen.get(name) ?? 0) + 1)
  }
  for (const [name, count] of seen) expect(count, name).toBeGreaterThanOrEqual(50)
})
