import type { Position } from '../text/lines.ts'
import type { Origin } from '../text/origin.ts'

/** What all nodes are made of. Offsets are UTF-16 indices into the text as it is now. */
export class OrgNode {
  declare readonly type: string
  /** Blank lines after an element; white-space characters after an object. */
  declare postBlank: number
  readonly #origin: Origin
  readonly #begin: number
  #end: number

  constructor(type: string, origin: Origin, begin: number, end: number = begin) {
    this.type = type
    this.postBlank = 0
    this.#origin = origin
    this.#begin = begin
    this.#end = end
  }

  /** Offset of the first character, affiliated keywords included. */
  get startOffset(): number {
    return this.#begin + this.#origin.offset
  }

  /** Offset past the last character, blank lines or blanks behind the node included. */
  get endOffset(): number {
    return this.#end + this.#origin.offset
  }

  /** Offset of what is inside, or null when there is nothing. */
  get contentsBegin(): number | null {
    return null
  }

  /** Offset past what is inside, or null when there is nothing. */
  get contentsEnd(): number | null {
    return null
  }

  /** Offset of the element itself, behind its affiliated keywords. */
  get postAffiliated(): number {
    return this.startOffset
  }

  /** The span between those two, with lines and columns. */
  get position(): Position {
    return { start: this.#origin.point(this.#begin), end: this.#origin.point(this.#end) }
  }

  /** The characters of the span, as they were parsed. */
  get source(): string {
    return this.#origin.lines.text.slice(this.#begin, this.#end)
  }

  /** The origin that the node was made with; for parsers. */
  get origin(): Origin {
    return this.#origin
  }

  /** Sets where the node ends; for parsers. */
  endAt(end: number, postBlank: number): void {
    this.#end = end
    this.postBlank = postBlank
  }

  /** The node with its places, for `JSON.stringify`. */
  toJSON(): Record<string, unknown> {
    const { type, ...properties } = this
    const { position, contentsBegin, contentsEnd } = this
    return { type, position, contentsBegin, contentsEnd, ...properties }
  }
}

/** A node that may have something inside, or affiliated keywords above it. */
export class OrgContainer extends OrgNode {
  #contentsBegin = -1
  #contentsEnd = -1
  #postAffiliated = -1

  override get contentsBegin(): number | null {
    return this.#contentsBegin === -1 ? null : this.#contentsBegin + this.origin.offset
  }

  override get contentsEnd(): number | null {
    return this.#contentsEnd === -1 ? null : this.#contentsEnd + this.origin.offset
  }

  override get postAffiliated(): number {
    const at = this.#postAffiliated
    return at === -1 ? this.startOffset : at + this.origin.offset
  }

  /** Sets what is inside; for parsers. */
  contain(begin: number, end: number): void {
    this.#contentsBegin = begin
    this.#contentsEnd = end
  }

  /** Sets where the element itself begins; for parsers. */
  affiliate(at: number): void {
    this.#postAffiliated = at
  }
}

/** The constructor of the nodes of one type. */
export type NodeClass<N extends OrgNode> = new (
  type: N['type'],
  origin: Origin,
  begin: number,
  end?: number,
) => N
