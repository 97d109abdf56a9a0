import type { ParseEnv } from '../environment/env.ts'
import { OrgContainer, OrgNode } from '../tree/base-node.ts'
import type { OrgObject } from '../tree/object-nodes.ts'
import { type ObjectContainer, restrictions } from './restrictions.ts'

/** Reads the objects of a range, of which there is none before `first`. */
type ReadObjects = (scan: Scan, first: number) => OrgObject[]

/** One range of text that is read for objects. */
export class Scan {
  readonly env: ParseEnv
  readonly text: string
  readonly begin: number
  readonly end: number
  readonly depth: number
  readonly allowed: number
  readonly #read: ReadObjects
  #slice: string | null = null
  #known: Map<string | RegExp, { from: number; at: number }> | null = null
  #pairs: Map<string, Map<number, number>> | null = null

  constructor(
    env: ParseEnv,
    begin: number,
    end: number,
    kind: ObjectContainer,
    depth: number,
    read: ReadObjects,
  ) {
    this.env = env
    this.text = env.text
    this.begin = begin
    this.end = end
    this.depth = depth
    this.allowed = restrictions[kind]
    this.#read = read
  }

  /** The text of the range. */
  get slice(): string {
    this.#slice ??= this.text.slice(this.begin, this.end)
    return this.#slice
  }

  /** The first `mark` (a global pattern) at or after `from`, or -1; no place is looked at twice. */
  find(mark: string | RegExp, from: number): number {
    const known = this.#known?.get(mark)
    if (known !== undefined && from >= known.from && (known.at === -1 || from <= known.at)) {
      return known.at
    }
    const index =
      typeof mark === 'string'
        ? this.slice.indexOf(mark, from - this.begin)
        : (this.match(mark, from)?.index ?? -1)
    const at = index === -1 ? -1 : index + this.begin
    this.#remember(mark, from, at)
    return at
  }

  /** What a sticky pattern matches at an offset, within the range; or null. */
  match(pattern: RegExp, at: number): RegExpExecArray | null {
    pattern.lastIndex = at - this.begin
    return pattern.exec(this.slice)
  }

  /** True when a search for `key` has failed at or before `from`. */
  failed(key: string, from: number): boolean {
    const known = this.#known?.get(key)
    return known !== undefined && from >= known.from
  }

  /** Remembers that a search for `key` fails from an offset on. */
  fail(key: string, from: number): void {
    this.#remember(key, from, -1)
  }

  #remember(key: string | RegExp, from: number, at: number): void {
    this.#known ??= new Map()
    this.#known.set(key, { from, at })
  }

  /** The offset of the bracket that closes the one at `at`, or -1. */
  partner(at: number, open: string, close: string): number {
    this.#pairs ??= new Map()
    let pairs = this.#pairs.get(open)
    if (pairs === undefined) {
      pairs = pairBrackets(this, open.charCodeAt(0), close.charCodeAt(0))
      this.#pairs.set(open, pairs)
    }
    return pairs.get(at) ?? -1
  }

  /**
   * The objects between two offsets, for a container of the given kind; `pair` is the bracket that
   * opens in front of them when the one that closes behind them is its partner.
   */
  inside(begin: number, end: number, kind: ObjectContainer, pair?: string): OrgObject[] {
    if (begin >= end) return []
    const scan = new Scan(this.env, begin, end, kind, this.depth + 1, this.#read)
    const known = pair === undefined ? undefined : this.#pairs?.get(pair)
    if (known !== undefined) scan.#pairs = new Map([[pair!, known]])
    return this.#read(scan, begin)
  }
}

/** An object in which nothing else can stand. */
export function leaf<Type extends OrgObject['type']>(
  scan: Scan,
  type: Type,
  begin: number,
  end: number,
): Extract<OrgObject, { type: Type }> {
  return new OrgNode(type, scan.env.origin, begin, end) as Extract<OrgObject, { type: Type }>
}

/** An object that may have others inside. */
export function container<Type extends OrgObject['type']>(
  scan: Scan,
  type: Type,
  begin: number,
  end: number,
): Extract<OrgObject, { type: Type }> {
  return new OrgContainer(type, scan.env.origin, begin, end) as Extract<OrgObject, { type: Type }>
}

function pairBrackets(scan: Scan, open: number, close: number): Map<number, number> {
  const pairs = new Map<number, number>()
  const stack: number[] = []
  for (let at = scan.begin; at < scan.end; at++) {
    const code = scan.text.charCodeAt(at)
    if (code === open) stack.push(at)
    else if (code === close && stack.length > 0) pairs.set(stack.pop()!, at)
  }
  return pairs
}
