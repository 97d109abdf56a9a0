import type { Origin } from '../text/origin.ts'
import type { Headline, OrgData, Section } from './nodes.ts'

/** A tree in the making. */
export class Outline {
  /** The nodes that have not ended: the root and, in it, a headline in a headline. */
  readonly open: (OrgData | Headline)[]
  /** The last text that was added. */
  last: Origin

  constructor(root: OrgData) {
    this.open = [root]
    this.last = root.origin
  }

  /** Adds a headline behind all others. */
  add(headline: Headline): void {
    this.close(headline.level)
    this.open.at(-1)!.children.push(headline)
    this.open.push(headline)
  }

  /** Says what is below the last headline, or above all when there is none. */
  fill(section: Section | null, body: Origin): void {
    const node = this.open.at(-1)!
    node.children = section === null ? [] : [section]
    node.preBlank = blankLines(body)
    node.postBlank = 0
    node.reach(body, body)
    this.last = body
  }

  /** Ends the headlines that cannot hold one with this many stars. */
  close(level: number): void {
    const { open } = this
    for (let at = open.length - 1; at > 0; at--) {
      const node = open[at] as Headline
      if (node.level < level) return
      open.pop()
      this.end(node)
    }
  }

  /** Ends a headline that was just taken from those that are open. */
  end(node: Headline): void {
    node.reach(node.body, this.last)
    if (node.children.length > 0) return
    node.postBlank = node.preBlank
    node.preBlank = 0
  }

  /** Ends all that is open, and gives back the root. */
  finish(): OrgData {
    this.close(0)
    const root = this.open[0] as OrgData
    root.reach(root.body, this.last)
    if (root.children.length === 0) {
      const { text } = root.body
      root.contain(text.lastIndexOf('\n') + 1, text.length)
    }
    return root
  }
}

function blankLines(body: Origin): number {
  const { lines, begin, end } = body
  if (begin === end) return 0
  const first = lines.lineAt(begin)
  let line = first
  while (line < lines.count && lines.starts[line]! < end && lines.isBlank(line)) line++
  return line - first
}
