import { dedent, OrgSourceError, type SourceBlock } from './source.ts'

/** A block's code with its references replaced. */
export interface Expansion {
  text: string
  /** For each line of `text`, the 1-based line of the document it comes from. */
  lines: number[]
  /** References that no block answers, with the line they stand on. */
  missing: { name: string; line: number }[]
}

const expanding = new Set(['yes', 'tangle', 'no-export', 'strip-export'])

/**
 * The block's code as it is tangled. `blocks` are all blocks of the document, in order.
 * Throws an OrgSourceError when references go in a circle.
 */
export function expandNoweb(block: SourceBlock, blocks: readonly SourceBlock[]): Expansion {
  const expansion = { text: '', lines: [], missing: [] }
  const lines = expandLines(block, { targets: targetsOf(blocks), missing: expansion.missing }, [])
  const text = dedent(lines.map((line) => line.text).join('\n'))
  return { ...expansion, text, lines: lines.map((line) => line.line) }
}

interface Line {
  text: string
  line: number
}

interface Book {
  targets: ReadonlyMap<string, SourceBlock[]>
  missing: { name: string; line: number }[]
}

function targetsOf(blocks: readonly SourceBlock[]): Map<string, SourceBlock[]> {
  const named = new Map<string, SourceBlock[]>()
  const shared = new Map<string, SourceBlock[]>()
  for (const block of blocks) {
    if (block.commented) continue
    if (block.name !== null && !named.has(block.name)) named.set(block.name, [block])
    const name = block.headers.get('noweb-ref')
    if (name) shared.set(name, [...(shared.get(name) ?? []), block])
  }
  return new Map([...shared, ...named])
}

const reference = /<<([^ \t\n].*?[^ \t\n])>>/g

function expandLines(block: SourceBlock, book: Book, path: readonly SourceBlock[]): Line[] {
  if (path.includes(block)) {
    const names = [...path.slice(path.indexOf(block)), block].map(({ name }) => name ?? 'unnamed')
    throw new OrgSourceError(block.line, `These blocks contain one another: ${names.join(' → ')}`)
  }
  const own = block.body.split('\n').map((text, index) => ({ text, line: block.bodyLine + index }))
  const mode = block.headers.get('noweb') ?? 'no'
  if (mode === 'strip-tangle') {
    return own.map(({ text, line }) => ({ text: text.replace(reference, ''), line }))
  }
  if (!expanding.has(mode)) return own
  const repeat = block.headers.get('noweb-prefix') !== 'no'
  return own.flatMap((line) => expandLine(line, repeat, book, [...path, block]))
}

function expandLine(own: Line, repeat: boolean, book: Book, path: readonly SourceBlock[]): Line[] {
  const result: Line[] = [{ text: '', line: own.line }]
  let at = 0
  for (const match of own.text.matchAll(reference)) {
    const before = own.text.slice(at, match.index)
    at = match.index + match[0].length
    const inserted = referenced(match[1]!, own.line, book, path)
    const last = result.at(-1)!
    last.text += before + (inserted[0]?.text ?? '')
    if (last.text.trim() === (inserted[0]?.text ?? '').trim())
      last.line = inserted[0]?.line ?? own.line
    for (const { text, line } of inserted.slice(1)) {
      result.push({ text: repeat ? before + text : text, line })
    }
  }
  result.at(-1)!.text += own.text.slice(at)
  return result
}

function referenced(name: string, line: number, book: Book, path: readonly SourceBlock[]): Line[] {
  const targets = book.targets.get(name)
  if (targets === undefined) {
    book.missing.push({ name, line })
    return []
  }
  const result: Line[] = []
  for (const [index, target] of targets.entries()) {
    const lines = expandLines(target, book, path)
    const before = targets[index - 1]
    if (before === undefined) result.push(...lines)
    else {
      const [head = '', ...middle] = (before.headers.get('noweb-sep') ?? '\n').split('\n')
      const [first, ...rest] = lines
      result.at(-1)!.text += head
      for (const text of middle) result.push({ text, line: target.line })
      const last = result.at(-1)!
      last.text += first?.text ?? ''
      if (last.text === first?.text) last.line = first.line
      result.push(...rest)
    }
  }
  return result
}
