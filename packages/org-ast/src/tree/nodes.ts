import { hashText } from '../text/hash.ts'
import type { Position } from '../text/lines.ts'
import type { Origin } from '../text/origin.ts'
import { type NodeClass, OrgContainer, OrgNode } from './base-node.ts'
import type {
  AffiliatedNode,
  BabelCall,
  Clock,
  Comment,
  CommentBlock,
  DiarySexp,
  ExampleBlock,
  ExportBlock,
  FixedWidth,
  HorizontalRule,
  Keyword,
  LatexEnvironment,
  Paragraph,
  SrcBlock,
  VerseBlock,
} from './lesser-elements.ts'
import type { OrgObject, Timestamp } from './object-nodes.ts'

/** A node that holds others. */
export interface OrgParent extends OrgContainer {
  children: OrgContent[]
}

/** An element that holds nodes and may carry affiliated keywords. */
export interface AffiliatedParent extends AffiliatedNode {
  children: OrgContent[]
}

/** A node of the outline, whose end is that of the last text inside it. */
export class OutlineNode extends OrgContainer {
  declare children: (Section | Headline)[]
  #body: Origin = this.origin
  #last: Origin = this.origin
  #hash: string | null = null
  #memory: unknown = null

  /** Sets where the text below the headline is, and where the subtree ends; for parsers. */
  reach(body: Origin, last: Origin): void {
    this.#body = body
    this.#last = last
  }

  /** The origin of the text that is the node's own, below its headline; for parsers. */
  get body(): Origin {
    return this.#body
  }

  /** The origin of the last text inside; for parsers. */
  get last(): Origin {
    return this.#last
  }

  /** Keeps with the root of a tree what its maker needs to go on from it; for parsers. */
  remember(memory: unknown): void {
    this.#memory = memory
  }

  /** What the maker of the tree left with its root; null where nobody did. */
  get memory(): unknown {
    return this.#memory
  }

  override get endOffset(): number {
    return this.#last.end + this.#last.offset
  }

  override get contentsBegin(): number | null {
    return this.children[0]?.startOffset ?? super.contentsBegin
  }

  override get contentsEnd(): number | null {
    return this.children.length === 0 ? super.contentsEnd : this.endOffset
  }

  override get position(): Position {
    return { start: super.position.start, end: this.#last.point(this.#last.end) }
  }

  override get source(): string {
    return inOrder(this).map(ownText).join('')
  }

  /** SHA-256 of the subtree's text without its outermost stars, in hexadecimal. */
  get hash(): string {
    const unknown = inOrder(this, (node) => node.#hash === null)
    for (const node of unknown.reverse()) {
      const below = headlinesIn(node).map(
        (child) => `${child.level - starsOf(node)} ${child.#hash}`,
      )
      const own = hashText(ownText(node).slice(starsOf(node)))
      node.#hash = hashText([own, ...below].join('\n'))
    }
    return this.#hash!
  }
}

function inOrder(top: OutlineNode, wanted = (_node: OutlineNode) => true): OutlineNode[] {
  const found: OutlineNode[] = []
  const open = [top]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (!wanted(node)) continue
    found.push(node)
    for (const child of headlinesIn(node).reverse()) open.push(child)
  }
  return found
}

function headlinesIn(node: OutlineNode): Headline[] {
  return node.children.filter((child) => child.type === 'headline')
}

function starsOf(node: OutlineNode): number {
  return (node as Headline).level ?? 0
}

function ownText(node: OutlineNode): string {
  return node.origin.text + node.body.text
}

/** The root. `todoKeywords` are those in force: the file's own, else TODO and DONE. */
export interface OrgData extends OutlineNode {
  readonly type: 'org-data'
  /** Blank lines before the first visible one. */
  preBlank: number
  /** Keywords that mean "not done yet", in order. */
  todoKeywords: string[]
  /** Keywords that mean "done", in order. */
  doneKeywords: string[]
  /** Tags that `#+filetags:` gives to every headline. */
  filetags: string[]
}
export const OrgData = OutlineNode as NodeClass<OrgData>

/** The elements between a headline (or the start of the file) and the next headline. */
export class Section extends OrgContainer {
  declare readonly type: 'section'
  declare children: OrgElement[]
  #hash: string | null = null

  /** SHA-256 of the section's text in UTF-8, in hexadecimal; the same wherever the text is. */
  get hash(): string {
    this.#hash ??= hashText(this.source)
    return this.#hash
  }
}

/** A line of stars, and everything up to the next headline of the same or a higher level. */
export interface Headline extends OutlineNode {
  readonly type: 'headline'
  /** Number of stars. */
  level: number
  /** The title as written: without stars, keyword, priority, and tags. */
  rawValue: string
  /** The title as objects. */
  title: OrgObject[]
  todoKeyword: string | null
  todoType: 'todo' | 'done' | null
  /** One letter, or digits, from `[#A]`; null without a cookie. */
  priority: string | null
  /** Own tags only; inherited ones come from a query. */
  tags: string[]
  /** The title starts with COMMENT: the subtree is neither exported nor tangled. */
  commentedp: boolean
  /** The own tags contain ARCHIVE. */
  archivedp: boolean
  /** The headline is the footnote section (titled "Footnotes"). */
  footnoteSectionP: boolean
  /** Blank lines between the headline's own line and its contents. */
  preBlank: number
}
export const Headline = OutlineNode as NodeClass<Headline>

/** A headline below all headlines, which interrupts a section and does not divide it. */
export interface Inlinetask extends OrgParent {
  readonly type: 'inlinetask'
  level: number
  rawValue: string
  title: OrgObject[]
  todoKeyword: string | null
  todoType: 'todo' | 'done' | null
  priority: string | null
  tags: string[]
  commentedp: boolean
  archivedp: boolean
  preBlank: number
  children: OrgElement[]
}
export const Inlinetask = OrgContainer as NodeClass<Inlinetask>

/** The `SCHEDULED:`, `DEADLINE:` and `CLOSED:` line right under a headline. */
export interface Planning extends OrgNode {
  readonly type: 'planning'
  scheduled: Timestamp | null
  deadline: Timestamp | null
  closed: Timestamp | null
}
export const Planning = OrgNode as NodeClass<Planning>

/** The drawer that holds a headline's properties. */
export interface PropertyDrawer extends OrgParent {
  readonly type: 'property-drawer'
  children: NodeProperty[]
}
export const PropertyDrawer = OrgContainer as NodeClass<PropertyDrawer>

/** One `:key: value` line of a property drawer. `key` keeps its case. */
export interface NodeProperty extends OrgNode {
  readonly type: 'node-property'
  key: string
  value: string
}
export const NodeProperty = OrgNode as NodeClass<NodeProperty>

/** `:NAME:` … `:END:` anywhere but directly under a headline. */
export interface Drawer extends AffiliatedParent {
  readonly type: 'drawer'
  drawerName: string
  /** Blank lines between the drawer's first line and its contents. */
  preBlank: number
}
export const Drawer = OrgContainer as NodeClass<Drawer>

/** `#+begin_center` … `#+end_center`. */
export interface CenterBlock extends AffiliatedParent {
  readonly type: 'center-block'
}
export const CenterBlock = OrgContainer as NodeClass<CenterBlock>

/** `#+begin_quote` … `#+end_quote`. */
export interface QuoteBlock extends AffiliatedParent {
  readonly type: 'quote-block'
}
export const QuoteBlock = OrgContainer as NodeClass<QuoteBlock>

/** A block with any other name, such as `#+begin_warning`. */
export interface SpecialBlock extends AffiliatedParent {
  readonly type: 'special-block'
  blockType: string
  parameters: string | null
}
export const SpecialBlock = OrgContainer as NodeClass<SpecialBlock>

/** `#+begin: name arguments` … `#+end:`. */
export interface DynamicBlock extends AffiliatedParent {
  readonly type: 'dynamic-block'
  blockName: string
  arguments: string | null
}
export const DynamicBlock = OrgContainer as NodeClass<DynamicBlock>

/** `[fn:label] text` at the start of a line. */
export interface FootnoteDefinition extends AffiliatedParent {
  readonly type: 'footnote-definition'
  label: string
  preBlank: number
}
export const FootnoteDefinition = OrgContainer as NodeClass<FootnoteDefinition>

/** A list; its type is that of its first item. */
export interface PlainList extends AffiliatedParent {
  readonly type: 'plain-list'
  listType: 'ordered' | 'unordered' | 'descriptive'
  children: Item[]
}
export const PlainList = OrgContainer as NodeClass<PlainList>

/** One item. */
export interface Item extends OrgParent {
  readonly type: 'item'
  /** The bullet with the white space that follows it, such as `- ` or `10. `. */
  bullet: string
  /** The number set by `[@5]`, or null. */
  counter: number | null
  checkbox: 'on' | 'off' | 'trans' | null
  /** The term before ` :: ` as objects, or null. */
  tag: OrgObject[] | null
  preBlank: number
}
export const Item = OrgContainer as NodeClass<Item>

/** A table. A `table.el` table keeps its text in `value` and has no rows. */
export interface Table extends AffiliatedParent {
  readonly type: 'table'
  tableType: 'org' | 'table.el'
  /** The text of each `#+tblfm:` line below the table. */
  tblfm: string[]
  value: string | null
  children: TableRow[]
}
export const Table = OrgContainer as NodeClass<Table>

/** A row; a rule has no cells. */
export interface TableRow extends OrgParent {
  readonly type: 'table-row'
  rowType: 'standard' | 'rule'
  children: TableCell[]
}
export const TableRow = OrgContainer as NodeClass<TableRow>

/** A cell, with the spaces around it outside its contents. */
export interface TableCell extends OrgParent {
  readonly type: 'table-cell'
  children: OrgObject[]
}
export const TableCell = OrgContainer as NodeClass<TableCell>

/** Everything that can stand in a section. */
export type OrgElement =
  | Inlinetask
  | Planning
  | PropertyDrawer
  | Drawer
  | CenterBlock
  | QuoteBlock
  | SpecialBlock
  | DynamicBlock
  | FootnoteDefinition
  | PlainList
  | Table
  | Paragraph
  | VerseBlock
  | SrcBlock
  | ExampleBlock
  | ExportBlock
  | CommentBlock
  | Keyword
  | BabelCall
  | Comment
  | FixedWidth
  | HorizontalRule
  | LatexEnvironment
  | Clock
  | DiarySexp

/** Any node but the root. */
export type OrgContent =
  | Section
  | Headline
  | OrgElement
  | NodeProperty
  | Item
  | TableRow
  | TableCell
  | OrgObject

/** Any node. */
export type AnyOrgNode = OrgData | OrgContent
