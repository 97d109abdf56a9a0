import { type Headline, type OrgData, OutlineNode, type Section } from './nodes.ts'
import type { Origin } from './origin.ts'

/** A node on the way to an entry, and how many of its children are kept. */
export interface Step {
  node: OrgData | Headline
  kept: number
}

/** The way from the root to the headline that begins at an offset. */
export function pathTo(root: OrgData, offset: number): Step[] {
  const path: Step[] = [{ node: root, kept: 0 }]
  for (;;) {
    const step = path.at(-1)!
    const { children } = step.node
    let low = 0
    let high = children.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (children[middle]!.startOffset <= offset) low = middle
      else high = middle - 1
    }
    step.kept = low + 1
    const node = children[low] as Headline
    path.push({ node, kept: node.children[0]?.type === 'section' ? 1 : 0 })
    if (node.startOffset === offset) return path
  }
}

/** A tree in the making. */
export class Outline {
  readonly #open: (OrgData | Headline)[]
  readonly #kept: number[]
  #own: number
  #last: Origin

  private constructor(path: readonly Step[], own: number, last: Origin) {
    this.#open = path.map(({ node }) => node)
    this.#kept = path.map(({ kept }) => kept)
    this.#own = own
    this.#last = last
  }

  /** A new tree with this root. */
  static of(root: OrgData): Outline {
    return new Outline([{ node: root, kept: 0 }], 1, root.origin)
  }

  /** Goes on in a tree, without what it has behind a path; `last` is the last text kept. */
  static after(path: readonly Step[], last: Origin): Outline {
    const outline = new Outline(path, 0, last)
    const cut = path.findLastIndex(({ node, kept }) => node.children.length > kept)
    outline.#ownUntil(cut + 1)
    return outline
  }

  /** Adds a headline behind all others. */
  add(headline: Headline): void {
    this.#close(headline.level)
    this.#ownUntil(this.#open.length)
    this.#open.at(-1)!.children.push(headline)
    this.#open.push(headline)
    this.#own++
  }

  /** Says what is below the last headline, or above all when there is none. */
  fill(section: Section | null, body: Origin): void {
    this.#ownUntil(this.#open.length)
    const node = this.#open.at(-1)!
    node.children = section === null ? [] : [section]
    node.preBlank = blankLines(body)
    node.postBlank = 0
    node.reach(body, body)
    this.#last = body
  }

  /** Takes over subtrees that were beside each other in another tree. */
  graft(siblings: readonly Headline[]): void {
    for (let from = 0; from < siblings.length; ) {
      this.#close(siblings[from]!.level)
      this.#ownUntil(this.#open.length)
      const parent = this.#open.at(-1)!
      const above = parent.type === 'headline' ? parent.level : 0
      let to = siblings.length
      // Beside each other, stars can only get fewer, so the last one speaks for all.
      if (siblings[to - 1]!.level <= above) {
        to = siblings.findIndex(({ level }) => level <= above)
      }
      parent.children = parent.children.concat(siblings.slice(from, to))
      this.#last = siblings[to - 1]!.last
      from = to
    }
  }

  /** Ends all that is open. The root is the one given when nothing changed. */
  finish(): OrgData {
    this.#close(0)
    const root = this.#open[0] as OrgData
    if (this.#own === 0) return root
    root.reach(root.body, this.#last)
    if (root.children.length === 0) {
      const { text } = root.body
      root.contain(text.lastIndexOf('\n') + 1, text.length)
    }
    return root
  }

  #close(level: number): void {
    const open = this.#open
    for (let at = open.length - 1; at > 0; at--) {
      const node = open[at] as Headline
      if (node.level < level) return
      open.pop()
      if (at >= this.#own) continue
      this.#own = at
      node.reach(node.body, this.#last)
      if (node.children.length > 0) continue
      node.postBlank = node.preBlank
      node.preBlank = 0
    }
  }

  #ownUntil(count: number): void {
    for (; this.#own < count; this.#own++) {
      const copy = copied(this.#open[this.#own]!, this.#kept[this.#own]!)
      if (this.#own > 0) this.#open[this.#own - 1]!.children.splice(-1, 1, copy as Headline)
      this.#open[this.#own] = copy
    }
  }
}

function copied<Node extends OrgData | Headline>(node: Node, kept: number): Node {
  const begin = node.startOffset - node.origin.offset
  const copy = Object.assign(new OutlineNode(node.type, node.origin, begin), node)
  copy.children = node.children.slice(0, kept)
  copy.preBlank = node.preBlank + node.postBlank
  copy.postBlank = 0
  copy.reach(node.body, node.body)
  return copy
}

function blankLines(body: Origin): number {
  const { lines, begin, end } = body
  if (begin === end) return 0
  const first = lines.lineAt(begin)
  let line = first
  while (line < lines.count && lines.starts[line]! < end && lines.isBlank(line)) line++
  return line - first
}
