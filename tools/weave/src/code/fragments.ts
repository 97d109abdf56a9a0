import type { Codebook, PlacedBlock } from './codebook.ts'

/** The blocks that others refer to. */
export interface Fragments {
  /** By the name in the reference, for each document. */
  named: Map<string, Map<string, PlacedBlock[]>>
  /** The blocks that refer to a block, each once. */
  users: Map<PlacedBlock, PlacedBlock[]>
}

/** A reference in the body of a block. */
interface Reference {
  /** Offset in the body, and the length with its brackets. */
  at: number
  length: number
  /** The line of the body, from 0, and whether nothing else is on it. */
  line: number
  isAlone: boolean
  blocks: readonly PlacedBlock[]
}

/** Collects the fragments of all pages. */
export function fragmentsOf({ blocks }: Codebook): Fragments {
  const fragments: Fragments = { named: new Map(), users: new Map() }
  for (const [{ file }, placed] of blocks) {
    const names = new Map<string, PlacedBlock[]>()
    const add = (name: string, block: PlacedBlock) =>
      names.set(name, [...(names.get(name) ?? []), block])
    for (const one of placed) {
      const shared = one.block.headers.get('noweb-ref') ?? ''
      if (shared !== '') add(shared, one)
    }
    const byRef = new Set(names.keys())
    for (const one of placed) {
      const { name } = one.block
      if (name !== null && !byRef.has(name) && !names.has(name)) add(name, one)
    }
    fragments.named.set(file, names)
    for (const user of placed) {
      for (const used of new Set(references(fragments, user).flatMap((found) => found.blocks))) {
        fragments.users.set(used, [...(fragments.users.get(used) ?? []), user])
      }
    }
  }
  return fragments
}

/** The references in a block, in the order of its text. */
export function references(fragments: Fragments, placed: PlacedBlock): Reference[] {
  const { block, page } = placed
  const said = block.headers.get('noweb') ?? ''
  if (!/(?:yes|tangle|export|strip)/.test(said) || said === 'no') return []
  const names = fragments.named.get(page.file)
  const found: Reference[] = []
  for (const [line, text] of block.code.text.split('\n').entries()) {
    for (const match of text.matchAll(/<<([^<>\n]+?)>>/g)) {
      const blocks = names?.get(match[1]!)?.filter((one) => one !== placed) ?? []
      if (blocks.length === 0) continue
      const isAlone = text.trim() === match[0]
      const at = startOf(block.body, line) + match.index
      found.push({ at, length: match[0].length, line, isAlone, blocks })
    }
  }
  return found
}

function startOf(text: string, line: number): number {
  let at = 0
  for (let count = 0; count < line; count++) at = text.indexOf('\n', at) + 1
  return at
}
