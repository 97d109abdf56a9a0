import { hashText } from '../text/hash.ts'
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

/** A node that holds others. */
export interface OrgParent extends OrgContainer {
  children: OrgContent[]
}

/** The constructor of the nodes of one type. */
type NodeClass<N extends OrgNode> = new (
  type: N['type'],
  origin: Origin,
  begin: number,
  end?: number,
) => N

/** One `#+key[dual]: value` line above an element. `key` is upper case, as in Emacs. */
export class AffiliatedKeyword {
  readonly #line: OrgNode
  /** Upper case, with old names translated: `NAME` for `#+label:`. */
  readonly key: string
  readonly value: string
  /** The bracketed short form, as in `#+caption[short]: long`, or null. */
  readonly dual: string | null
  /** The value of a caption as objects; empty for any other keyword. */
  children: OrgObject[] = []
  /** The short form of a caption as objects; empty without one. */
  dualChildren: OrgObject[] = []

  constructor(line: OrgNode, key: string, value: string, dual: string | null) {
    this.#line = line
    this.key = key
    this.value = value
    this.dual = dual
  }

  /** The span of the keyword's line. */
  get position(): Position {
    return this.#line.position
  }
}

/** An element that may carry affiliated keywords. */
export interface AffiliatedNode extends OrgContainer {
  /** In source order; empty when there are none. */
  affiliated: readonly AffiliatedKeyword[]
  /** The value of `#+name:`, or null. */
  name: string | null
}

/** The same, with nodes inside. */
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

/** A run of text lines. */
export interface Paragraph extends AffiliatedParent {
  readonly type: 'paragraph'
  children: OrgObject[]
}
export const Paragraph = OrgContainer as NodeClass<Paragraph>

/** `#+begin_verse` … `#+end_verse`: a paragraph whose line ends matter. */
export interface VerseBlock extends AffiliatedParent {
  readonly type: 'verse-block'
  children: OrgObject[]
}
export const VerseBlock = OrgContainer as NodeClass<VerseBlock>

/** `#+begin_src language switches parameters` … `#+end_src`. */
export interface SrcBlock extends AffiliatedNode {
  readonly type: 'src-block'
  language: string | null
  /** Such as `-n -r -l "fmt"`, or null. */
  switches: string | null
  /** The header arguments as written on the line, or null. */
  parameters: string | null
  /** How lines are numbered: afresh from a number, or on from the block before. */
  numberLines: LineNumbers | null
  /** `-i`: the indentation is part of the code. */
  preserveIndent: boolean
  /** Labels such as `(ref:x)` stay in what is exported. */
  retainLabels: boolean
  /** Links to a label show the label and not the number of its line. */
  useLabels: boolean
  /** How labels are written, from `-l "…"`, or null. */
  labelFmt: string | null
  /** The body, without guarding commas, with its indentation and its final newline. */
  value: string
}
export const SrcBlock = OrgContainer as NodeClass<SrcBlock>

/** `#+begin_example` … `#+end_example`. */
export interface ExampleBlock extends AffiliatedNode {
  readonly type: 'example-block'
  switches: string | null
  numberLines: LineNumbers | null
  preserveIndent: boolean
  retainLabels: boolean
  useLabels: boolean
  labelFmt: string | null
  /** The body, without guarding commas, with its indentation and its final newline. */
  value: string
}
export const ExampleBlock = OrgContainer as NodeClass<ExampleBlock>

/** `-n 5` and `+n`: whether numbers begin anew, and how many come before the first. */
interface LineNumbers {
  type: 'new' | 'continued'
  offset: number
}

/** `#+begin_export backend` … `#+end_export`. */
export interface ExportBlock extends AffiliatedNode {
  readonly type: 'export-block'
  /** Upper case, as Emacs has it, or null. */
  backend: string | null
  value: string
}
export const ExportBlock = OrgContainer as NodeClass<ExportBlock>

/** `#+begin_comment` … `#+end_comment`. */
export interface CommentBlock extends AffiliatedNode {
  readonly type: 'comment-block'
  value: string
}
export const CommentBlock = OrgContainer as NodeClass<CommentBlock>

/** `#+key: value` that is not affiliated to anything. `key` is upper case. */
export interface Keyword extends AffiliatedNode {
  readonly type: 'keyword'
  key: string
  value: string
}
export const Keyword = OrgContainer as NodeClass<Keyword>

/** `#+call: name[header](arguments)[end header]`. */
export interface BabelCall extends AffiliatedNode {
  readonly type: 'babel-call'
  value: string
  call: string | null
  insideHeader: string | null
  arguments: string | null
  endHeader: string | null
}
export const BabelCall = OrgContainer as NodeClass<BabelCall>

/** `# text` lines, without their marks. */
export interface Comment extends OrgNode {
  readonly type: 'comment'
  value: string
}
export const Comment = OrgNode as NodeClass<Comment>

/** `: text` lines, without their marks. */
export interface FixedWidth extends AffiliatedNode {
  readonly type: 'fixed-width'
  value: string
}
export const FixedWidth = OrgContainer as NodeClass<FixedWidth>

/** Five or more dashes. */
export interface HorizontalRule extends AffiliatedNode {
  readonly type: 'horizontal-rule'
}
export const HorizontalRule = OrgContainer as NodeClass<HorizontalRule>

/** `\begin{name}` … `\end{name}`. */
export interface LatexEnvironment extends AffiliatedNode {
  readonly type: 'latex-environment'
  value: string
}
export const LatexEnvironment = OrgContainer as NodeClass<LatexEnvironment>

/** `CLOCK: …`. */
export interface Clock extends OrgNode {
  readonly type: 'clock'
  value: Timestamp | null
  duration: string | null
  status: 'running' | 'closed'
}
export const Clock = OrgNode as NodeClass<Clock>

/** `%%(sexp)` at the start of a line. */
export interface DiarySexp extends AffiliatedNode {
  readonly type: 'diary-sexp'
  value: string
}
export const DiarySexp = OrgContainer as NodeClass<DiarySexp>

/** Text that is nothing else. */
export interface PlainText extends OrgNode {
  readonly type: 'plain-text'
  value: string
}
export const PlainText = OrgNode as NodeClass<PlainText>

/** Emphasis that contains other objects. */
export interface Emphasis extends OrgParent {
  readonly type: 'bold' | 'italic' | 'underline' | 'strike-through'
  children: OrgObject[]
}
export const Emphasis = OrgContainer as NodeClass<Emphasis>

/** `=verbatim=` and `~code~`: text without objects. */
export interface Literal extends OrgNode {
  readonly type: 'verbatim' | 'code'
  value: string
}
export const Literal = OrgNode as NodeClass<Literal>

/** A link of any kind. `children` is its description. */
export interface Link extends OrgParent {
  readonly type: 'link'
  /** `bracket` for `[[…]]`, `angle` for `<…>`, `plain` for a bare address. */
  format: 'bracket' | 'angle' | 'plain'
  /** `file`, `https`, `id`, `custom-id`, `fuzzy`, `coderef`, `radio`, … */
  linkType: string
  /** The target without its type, unescaped. */
  path: string
  /** The target as written. */
  rawLink: string
  /** What follows `::` in a file link, or null. */
  searchOption: string | null
  /** The type is written in the link, as in `https:` and `file:`. */
  typeExplicitP: boolean
  /** Such as `emacs` in `file+emacs:`, or null. */
  application: string | null
  children: OrgObject[]
}
export const Link = OrgContainer as NodeClass<Link>

/** `<<target>>`. */
export interface Target extends OrgNode {
  readonly type: 'target'
  value: string
}
export const Target = OrgNode as NodeClass<Target>

/** `<<<radio target>>>`. */
export interface RadioTarget extends OrgParent {
  readonly type: 'radio-target'
  value: string
  children: OrgObject[]
}
export const RadioTarget = OrgContainer as NodeClass<RadioTarget>

/** `{{{name(arguments)}}}`. `key` is lower case. */
export interface Macro extends OrgNode {
  readonly type: 'macro'
  key: string
  value: string
  args: string[]
}
export const Macro = OrgNode as NodeClass<Macro>

/** `\name`, or `\name{}`. */
export interface Entity extends OrgNode {
  readonly type: 'entity'
  name: string
  useBracketsP: boolean
  /** What Emacs's table prints for UTF-8, such as `→`. */
  utf8: string
  html: string
  latex: string
  /** The LaTeX form needs math mode. */
  latexMathP: boolean
  ascii: string
  latin1: string
}
export const Entity = OrgNode as NodeClass<Entity>

/** `$…$`, `\(…\)`, `\[…\]`, `$$…$$`, or a LaTeX command. */
export interface LatexFragment extends OrgNode {
  readonly type: 'latex-fragment'
  value: string
}
export const LatexFragment = OrgNode as NodeClass<LatexFragment>

/** `[fn:label]`, or `[fn:label:definition]`. */
export interface FootnoteReference extends OrgParent {
  readonly type: 'footnote-reference'
  label: string | null
  referenceType: 'standard' | 'inline'
  children: OrgObject[]
}
export const FootnoteReference = OrgContainer as NodeClass<FootnoteReference>

/** `\\` at the end of a line. */
export interface LineBreak extends OrgNode {
  readonly type: 'line-break'
}
export const LineBreak = OrgNode as NodeClass<LineBreak>

/** `[2/3]` or `[50%]`. */
export interface StatisticsCookie extends OrgNode {
  readonly type: 'statistics-cookie'
  value: string
}
export const StatisticsCookie = OrgNode as NodeClass<StatisticsCookie>

/** `_{…}` and `^{…}`. */
export interface Script extends OrgParent {
  readonly type: 'subscript' | 'superscript'
  useBracketsP: boolean
  children: OrgObject[]
}
export const Script = OrgContainer as NodeClass<Script>

/** `@@backend:text@@`. */
export interface ExportSnippet extends OrgNode {
  readonly type: 'export-snippet'
  backEnd: string
  value: string
}
export const ExportSnippet = OrgNode as NodeClass<ExportSnippet>

/** `src_language[header]{body}`. */
export interface InlineSrcBlock extends OrgNode {
  readonly type: 'inline-src-block'
  language: string
  parameters: string | null
  value: string
}
export const InlineSrcBlock = OrgNode as NodeClass<InlineSrcBlock>

/** `call_name[header](arguments)[end header]`. */
export interface InlineBabelCall extends OrgNode {
  readonly type: 'inline-babel-call'
  value: string
  call: string
  insideHeader: string | null
  arguments: string | null
  endHeader: string | null
}
export const InlineBabelCall = OrgNode as NodeClass<InlineBabelCall>

/** `[cite/style:prefix @key suffix]`. */
export interface Citation extends OrgParent {
  readonly type: 'citation'
  style: string | null
  prefix: OrgObject[] | null
  suffix: OrgObject[] | null
  children: OrgObject[]
}
export const Citation = OrgContainer as NodeClass<Citation>

/** `@key` inside a citation. */
export interface CitationReference extends OrgNode {
  readonly type: 'citation-reference'
  key: string
  prefix: OrgObject[] | null
  suffix: OrgObject[] | null
}
export const CitationReference = OrgNode as NodeClass<CitationReference>

/** A date as written, with a time of day when there is one. */
export interface OrgDate {
  year: number
  /** 1 to 12. */
  month: number
  day: number
  /** 0 to 24, or null. */
  hour: number | null
  minute: number | null
}

/** `+1w`, `++2d`, `.+1m`. */
export interface Repeater {
  type: 'cumulate' | 'catch-up' | 'restart'
  value: number
  unit: 'hour' | 'day' | 'week' | 'month' | 'year'
  /** A habit's upper bound, the `/3d` of `+2d/3d`, or null. */
  deadline?: { value: number; unit: Repeater['unit'] } | null
}

/** `-3d`, `--3d`. */
export interface Warning {
  type: 'all' | 'first'
  value: number
  unit: 'hour' | 'day' | 'week' | 'month' | 'year'
}

/** When something happens on the days that a diary expression stands for. */
interface DiaryTimes {
  hour: number
  minute: number
  endHour: number | null
  endMinute: number | null
}

/** A timestamp, or a range of two. */
export interface Timestamp extends OrgNode {
  readonly type: 'timestamp'
  timestampType: 'active' | 'inactive' | 'active-range' | 'inactive-range' | 'diary'
  /** Whether a range is written with two dates or with two times of one day; null for none. */
  rangeType: 'daterange' | 'timerange' | null
  rawValue: string
  /** The expression of a diary timestamp, or null. */
  diarySexp: string | null
  /** The times behind the expression of a diary timestamp, or null. */
  diaryTimes: DiaryTimes | null
  /** Null for a diary timestamp. */
  start: OrgDate | null
  /** The same as `start` unless the timestamp is a range. */
  end: OrgDate | null
  repeater: Repeater | null
  warning: Warning | null
}
export const Timestamp = OrgNode as NodeClass<Timestamp>

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

/** Everything that can stand in a line of text. */
export type OrgObject =
  | PlainText
  | Emphasis
  | Literal
  | Link
  | Target
  | RadioTarget
  | Macro
  | Entity
  | LatexFragment
  | FootnoteReference
  | LineBreak
  | StatisticsCookie
  | Script
  | ExportSnippet
  | InlineSrcBlock
  | InlineBabelCall
  | Citation
  | CitationReference
  | Timestamp

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
