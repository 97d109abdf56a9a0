import type { Element, ElementContent } from 'hast'
import { h } from 'hastscript'
import type { BlockRole } from 'org-ast'

/** Words that may lead somewhere. */
export interface Way {
  words: string
  href: string | null
}

/** A block on its way to the page. */
export interface BlockFacts {
  /** Its address within the page, or null. */
  id: string | null
  name: string | null
  /** What it is for: imports and fixtures are folded. */
  role: BlockRole
  /** How many lines of code it has. */
  lines: number
  /** The files it goes to. */
  targets: readonly Way[]
  /** Where it stands in its document. */
  line: Way | null
  caption: readonly ElementContent[]
  language: string
  /** The code itself, in one piece or in several. */
  code: readonly ElementContent[]
  /** What is said about it, below. */
  after: readonly ElementContent[]
}

/** The block as a figure. */
export function codeBlock(facts: BlockFacts): Element {
  const { id, name, role, targets, caption, language, code, after } = facts
  const isPlain = name === null && targets.length === 0 && caption.length === 0
  const attributes = id === null ? {} : { id }
  if (isPlain && language === 'text') {
    return h('figure', { className: 'code', ...attributes }, [...code, ...after])
  }
  return h('figure', { className: 'code', ...attributes }, [
    h('figcaption', bar(facts)),
    h('details', { className: 'fold', open: role === 'code' }, [h('summary', 'Code'), ...code]),
    ...after,
  ])
}

const roles = { imports: 'Imports', fixtures: 'Fixtures of the tests' }

function bar(facts: BlockFacts): ElementContent[] {
  const { name, role, lines, targets, line, caption, language } = facts
  const parts: ElementContent[] = []
  if (name !== null) parts.push(h('span', { className: 'name' }, name))
  const count = `${lines} ${lines === 1 ? 'line' : 'lines'}`
  if (role !== 'code') parts.push(h('span', { className: 'role' }, `${roles[role]}, ${count}`))
  for (const target of targets) parts.push(h('span', { className: 'target' }, way(target)))
  if (line !== null) parts.push(h('span', { className: 'line' }, way(line)))
  if (caption.length > 0) parts.push(h('span', { className: 'caption' }, [...caption]))
  return [...parts, h('span', { className: 'language' }, language)]
}

function way({ words, href }: Way): ElementContent {
  return href === null ? { type: 'text', value: words } : h('a', { href }, words)
}
