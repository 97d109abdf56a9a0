import { lastAtMost } from '../text/lines.ts'
import type { Origin } from '../text/origin.ts'
import { type Headline, type OrgData, OutlineNode, type Section } from './nodes.ts'
import { Outline } from './outline.ts'

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
    const at = lastAtMost(children.length, offset, (child) => children[child]!.startOffset)
    step.kept = at + 1
    const node = children[at] as Headline
    path.push({ node, kept: node.children[0]?.type === 'section' ? 1 : 0 })
    if (node.startOffset === offset) return path
  }
}

/** A tree that is built on from another one. */
export class Graft extends Outline {
  readonly #kept: number[]
  #own = 0

  /** Goes on in a tree, without what it has behind a path; `last` is the last text kept. */
  constructor(path: readonly Step[], last: Origin) {
    super(path[0]!.node as OrgData)
    for (const { node } of path.slice(1)) this.open.push(node)
    this.last = last
    this.#kept = path.map(({ kept }) => kept)
    const cut = path.findLastIndex(({ node, kept }) => node.children.length > kept)
    this.#ownUntil(cut + 1)
  }

  override add(headline: Headline): void {
    this.close(headline.level)
    this.#ownUntil(this.open.length)
    super.add(headline)
    this.#own++
  }

  override fill(section: Section | null, body: Origin): void {
    this.#ownUntil(this.open.length)
    super.fill(section, body)
  }

  override end(node: Headline): void {
    if (this.open.length >= this.#own) return
    this.#own = this.open.length
    super.end(node)
  }

  /** Takes over subtrees that were beside each other in another tree. */
  take(siblings: readonly Headline[]): void {
    for (let from = 0; from < siblings.length; ) {
      this.close(siblings[from]!.level)
      this.#ownUntil(this.open.length)
      const parent = this.open.at(-1)!
      const above = parent.type === 'headline' ? parent.level : 0
      let to = siblings.length
      if (siblings[to - 1]!.level <= above) {
        to = siblings.findIndex(({ level }) => level <= above)
      }
      parent.children = parent.children.concat(siblings.slice(from, to))
      this.last = siblings[to - 1]!.last
      from = to
    }
  }

  /** Ends all that is open. The root is the one given when nothing changed. */
  override finish(): OrgData {
    this.close(0)
    return this.#own === 0 ? (this.open[0] as OrgData) : super.finish()
  }

  #ownUntil(count: number): void {
    const { open } = this
    for (; this.#own < count; this.#own++) {
      const copy = copied(open[this.#own]!, this.#kept[this.#own]!)
      if (this.#own > 0) open[this.#own - 1]!.children.splice(-1, 1, copy as Headline)
      open[this.#own] = copy
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
