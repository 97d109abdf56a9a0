import type { Headline } from 'org-ast'
import { applyPatches, refile, refileTo } from 'org-ast/edit'
import { expect, test } from 'vitest'
import { askEmacs, hasEmacs, isOld, orRefused } from './emacs.ts'
import { atHeadline, type OutlineCase, outlines } from './outlines.ts'

interface RefileCase {
  name: string
  from: OutlineCase
  into: OutlineCase
  target: Headline | null
}

const files = outlines(150, 20)
const cases = files.flatMap((from, index): RefileCase[] => {
  const into = files[(index + 1) % files.length]!
  const sibling = from.all[(index * 7) % from.all.length]!
  return [
    { name: 'same file', from, into: from, target: sibling },
    { name: 'end of the file', from, into: from, target: null },
    { name: 'other file', from, into, target: into.headline },
    { name: 'end of another', from, into, target: null },
  ]
})

function command({ from, into, target }: RefileCase): string {
  const file = from === into ? '(buffer-file-name)' : '(expand-file-name "b.org")'
  const before = into.text.slice(0, target?.position.start.offset).replaceAll('\r\n', '\n')
  const position = target === null ? 'nil' : [...before].length + 1
  return atHeadline(
    from.headline,
    `(progn
      (with-current-buffer (find-file-noselect ${file}) (setq-local require-final-newline nil))
      (org-refile nil nil (list "target" ${file} nil ${position})))`,
  )
}

function attempt({ from, into, target }: RefileCase): Record<string, string> | 'refused' {
  return orRefused(() => {
    if (from === into) {
      const patches = refile(from.text, from.tree, from.headline, target)
      return { 'a.org': applyPatches(from.text, patches) }
    }
    const both = refileTo(from.text, from.headline, into, target)
    return {
      'a.org': applyPatches(from.text, both.source),
      'b.org': applyPatches(into.text, both.target),
    }
  })
}

function beforeItself({ from, into, target }: RefileCase): boolean {
  return from === into && target?.position.end.offset === from.headline.position.start.offset
}

test.skipIf(!hasEmacs)('as Emacs refiles', { timeout: 300_000 }, () => {
  const { version, results } = askEmacs(
    cases.map((at) => ({
      text: at.from.text,
      ...(at.from === at.into ? {} : { files: { 'b.org': at.into.text } }),
      at: 0,
      command: command(at),
    })),
  )
  const seen = new Map<string, number>()
  for (const [index, at] of cases.entries()) {
    if (isOld(version) && beforeItself(at)) continue
    const result = results[index]!
    const { name, from, into, target } = at
    const what = {
      name,
      text: from.text,
      title: from.headline.rawValue,
      to: [into.text, target?.rawValue],
    }
    const theirs = 'error' in result ? 'refused' : result
    expect({ ...what, after: attempt(at) }).toEqual({ ...what, after: theirs })
    seen.set(name, (seen.get(name) ?? 0) + 1)
  }
  expect(seen.size).toBe(4)
  for (const [name, count] of seen) expect(count, name).toBeGreaterThanOrEqual(100)
})
