import { hashText } from './hash.ts'
import { type Origin, startOfFile } from './origin.ts'
import type { Parsed } from './parse.ts'

/** A place in the text. `line` and `column` are 1-based, `offset` is a 0-based UTF-16 index. */
export interface Point {
  line: number
  column: number
  offset: number
}

/** A half-open span of text: `start` is the node's first character, `end` is past its last. */
export interface Position {
  start: Point
  end: Point
}

/** What all nodes are made of. Offsets are UTF-16 indices into the text as it is now. */
export class OrgNode {
  readonly type: string
  /** Blank lines after an element; white-space characters after an object. */
  postBlank: number
  readonly #origin: Origin
  readonly #begin: number
  #end: number
  #contentsBegin: number
  #contentsEnd: number
  #postAffiliated: number

  constructor(type: string, origin: Origin, begin: number, end: number = begin) {
    this.type = type
    this.postBlank = 0
    this.#origin = origin
    this.#begin = begin
    this.#end = end
    this.#contentsBegin = -1
    this.#contentsEnd = -1
    this.#postAffiliated = begin
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
    return this.#contentsBegin === -1 ? null : this.#contentsBegin + this.#origin.offset
  }

  /** Offset past what is inside, or null when there is nothing. */
  get contentsEnd(): number | null {
    return this.#contentsEnd === -1 ? null : this.#contentsEnd + this.#origin.offset
  }

  /** Offset of the element itself, behind its affiliated keywords. */
  get postAffiliated(): number {
    return this.#postAffiliated + this.#origin.offset
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

  /** Sets what is inside; for parsers. */
  contain(begin: number, end: number): void {
    this.#contentsBegin = begin
    this.#contentsEnd = end
  }

  /** Sets where the element itself begins; for parsers. */
  affiliate(at: number): void {
    this.#postAffiliated = at
  }

  /** The node with its places, for `JSON.stringify`. */
  toJSON(): Record<string, unknown> {
    const { type, ...properties } = this
    const { position, contentsBegin, contentsEnd } = this
    return { type, position, contentsBegin, contentsEnd, ...properties }
  }
}

/** A node that holds others. */
export class OrgParent extends OrgNode {
  declare children: OrgContent[]
}

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
export class AffiliatedNode extends OrgNode {
  /** In source order; empty when there are none. */
  declare affiliated: readonly AffiliatedKeyword[]
  /** The value of `#+name:`, or null. */
  declare name: string | null
}

/** The same, with nodes inside. */
export class AffiliatedParent extends AffiliatedNode {
  declare children: OrgContent[]
}

/** A node of the outline, whose end is that of the last text inside it. */
export class OutlineNode extends OrgParent {
  declare children: (Section | Headline)[]
  #body: Origin = this.origin
  #last: Origin = this.origin
  #hash: string | null = null

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

  /** SHA-256 of the subtree's text without its outermost stars, in hexadecimal. */
  get hash(): string {
    const open: OutlineNode[] = this.#hash === null ? [this] : []
    for (const node of open) {
      for (const child of headlinesIn(node)) if (child.#hash === null) open.push(child)
    }
    for (const node of open.reverse()) {
      const below = headlinesIn(node).map(
        (child) => `${child.level - levelOf(node)} ${child.#hash}`,
      )
      node.#hash = hashText([hashText(ownText(node)), ...below].join('\n'))
    }
    return this.#hash!
  }
}

function headlinesIn(node: OutlineNode): Headline[] {
  return node.children.filter((child) => child instanceof Headline)
}

function levelOf(node: OutlineNode): number {
  return node instanceof Headline ? node.level : 0
}

function ownText(node: OutlineNode): string {
  const title = node instanceof Headline ? node.origin.text.slice(node.level) : ''
  return title + node.body.text
}

/** The root. `todoKeywords` are those in force: the file's own, else TODO and DONE. */
export class OrgData extends OutlineNode {
  declare readonly type: 'org-data'
  /** Blank lines before the first visible one. */
  declare preBlank: number
  /** Keywords that mean "not done yet", in order. */
  declare todoKeywords: string[]
  /** Keywords that mean "done", in order. */
  declare doneKeywords: string[]
  /** Tags that `#+filetags:` gives to every headline. */
  declare filetags: string[]
  #parsed: Parsed | null = null

  constructor(type: string) {
    super(type, startOfFile(), 0)
  }

  /** What a later parse needs to go on from this tree; null when no parser left it. */
  get parsed(): Parsed | null {
    return this.#parsed
  }

  /** Keeps what a later parse needs; for parsers. */
  remember(parsed: Parsed): void {
    this.#parsed = parsed
  }

  override get source(): string {
    return this.#parsed === null ? super.source : this.#parsed.text
  }
}

/** The elements between a headline (or the start of the file) and the next headline. */
export class Section extends OrgParent {
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
export class Headline extends OutlineNode {
  declare readonly type: 'headline'
  /** Number of stars. */
  declare level: number
  /** The title as written: without stars, keyword, priority, and tags. */
  declare rawValue: string
  /** The title as objects. */
  declare title: OrgObject[]
  declare todoKeyword: string | null
  declare todoType: 'todo' | 'done' | null
  /** One letter, or digits, from `[#A]`; null without a cookie. */
  declare priority: string | null
  /** Own tags only; inherited ones come from a query. */
  declare tags: string[]
  /** The title starts with COMMENT: the subtree is neither exported nor tangled. */
  declare commentedp: boolean
  /** The own tags contain ARCHIVE. */
  declare archivedp: boolean
  /** The headline is the footnote section (titled "Footnotes"). */
  declare footnoteSectionP: boolean
  /** Blank lines between the headline's own line and its contents. */
  declare preBlank: number
}

/** A headline below all headlines, which interrupts a section and does not divide it. */
export class Inlinetask extends OrgParent {
  declare readonly type: 'inlinetask'
  declare level: number
  declare rawValue: string
  declare title: OrgObject[]
  declare todoKeyword: string | null
  declare todoType: 'todo' | 'done' | null
  declare priority: string | null
  declare tags: string[]
  declare commentedp: boolean
  declare archivedp: boolean
  declare preBlank: number
  declare children: OrgElement[]
}

/** The `SCHEDULED:`, `DEADLINE:` and `CLOSED:` line right under a headline. */
export class Planning extends OrgNode {
  declare readonly type: 'planning'
  declare scheduled: Timestamp | null
  declare deadline: Timestamp | null
  declare closed: Timestamp | null
}

/** The drawer that holds a headline's properties. */
export class PropertyDrawer extends OrgParent {
  declare readonly type: 'property-drawer'
  declare children: NodeProperty[]
}

/** One `:key: value` line of a property drawer. `key` keeps its case. */
export class NodeProperty extends OrgNode {
  declare readonly type: 'node-property'
  declare key: string
  declare value: string
}

/** `:NAME:` … `:END:` anywhere but directly under a headline. */
export class Drawer extends AffiliatedParent {
  declare readonly type: 'drawer'
  declare drawerName: string
  /** Blank lines between the drawer's first line and its contents. */
  declare preBlank: number
}

/** `#+begin_center` … `#+end_center`. */
export class CenterBlock extends AffiliatedParent {
  declare readonly type: 'center-block'
}

/** `#+begin_quote` … `#+end_quote`. */
export class QuoteBlock extends AffiliatedParent {
  declare readonly type: 'quote-block'
}

/** A block with any other name, such as `#+begin_warning`. */
export class SpecialBlock extends AffiliatedParent {
  declare readonly type: 'special-block'
  declare blockType: string
  declare parameters: string | null
}

/** `#+begin: name arguments` … `#+end:`. */
export class DynamicBlock extends AffiliatedParent {
  declare readonly type: 'dynamic-block'
  declare blockName: string
  declare arguments: string | null
}

/** `[fn:label] text` at the start of a line. */
export class FootnoteDefinition extends AffiliatedParent {
  declare readonly type: 'footnote-definition'
  declare label: string
  declare preBlank: number
}

/** A list; its type is that of its first item. */
export class PlainList extends AffiliatedParent {
  declare readonly type: 'plain-list'
  declare listType: 'ordered' | 'unordered' | 'descriptive'
  declare children: Item[]
}

/** One item. */
export class Item extends OrgParent {
  declare readonly type: 'item'
  /** The bullet with the white space that follows it, such as `- ` or `10. `. */
  declare bullet: string
  /** The number set by `[@5]`, or null. */
  declare counter: number | null
  declare checkbox: 'on' | 'off' | 'trans' | null
  /** The term before ` :: ` as objects, or null. */
  declare tag: OrgObject[] | null
  declare preBlank: number
}

/** A table. A `table.el` table keeps its text in `value` and has no rows. */
export class Table extends AffiliatedParent {
  declare readonly type: 'table'
  declare tableType: 'org' | 'table.el'
  /** The text of each `#+tblfm:` line below the table. */
  declare tblfm: string[]
  declare value: string | null
  declare children: TableRow[]
}

/** A row; a rule has no cells. */
export class TableRow extends OrgParent {
  declare readonly type: 'table-row'
  declare rowType: 'standard' | 'rule'
  declare children: TableCell[]
}

/** A cell, with the spaces around it outside its contents. */
export class TableCell extends OrgParent {
  declare readonly type: 'table-cell'
  declare children: OrgObject[]
}

/** A run of text lines. */
export class Paragraph extends AffiliatedParent {
  declare readonly type: 'paragraph'
  declare children: OrgObject[]
}

/** `#+begin_verse` … `#+end_verse`: a paragraph whose line ends matter. */
export class VerseBlock extends AffiliatedParent {
  declare readonly type: 'verse-block'
  declare children: OrgObject[]
}

/** `#+begin_src language switches parameters` … `#+end_src`. */
export class SrcBlock extends AffiliatedNode {
  declare readonly type: 'src-block'
  declare language: string | null
  /** Such as `-n -r -l "fmt"`, or null. */
  declare switches: string | null
  /** The header arguments as written on the line, or null. */
  declare parameters: string | null
  /** How lines are numbered: afresh from a number, or on from the block before. */
  declare numberLines: LineNumbers | null
  /** `-i`: the indentation is part of the code. */
  declare preserveIndent: boolean
  /** Labels such as `(ref:x)` stay in what is exported. */
  declare retainLabels: boolean
  /** Links to a label show the label and not the number of its line. */
  declare useLabels: boolean
  /** How labels are written, from `-l "…"`, or null. */
  declare labelFmt: string | null
  /** The body, without guarding commas, with its indentation and its final newline. */
  declare value: string
}

/** `#+begin_example` … `#+end_example`. */
export class ExampleBlock extends AffiliatedNode {
  declare readonly type: 'example-block'
  declare switches: string | null
  declare numberLines: LineNumbers | null
  declare preserveIndent: boolean
  declare retainLabels: boolean
  declare useLabels: boolean
  declare labelFmt: string | null
  /** The body, without guarding commas, with its indentation and its final newline. */
  declare value: string
}

/** `-n 5` and `+n`: whether numbers begin anew, and how many come before the first. */
export interface LineNumbers {
  type: 'new' | 'continued'
  offset: number
}

/** `#+begin_export backend` … `#+end_export`. */
export class ExportBlock extends AffiliatedNode {
  declare readonly type: 'export-block'
  /** Upper case, as Emacs has it, or null. */
  declare backend: string | null
  declare value: string
}

/** `#+begin_comment` … `#+end_comment`. */
export class CommentBlock extends AffiliatedNode {
  declare readonly type: 'comment-block'
  declare value: string
}

/** `#+key: value` that is not affiliated to anything. `key` is upper case. */
export class Keyword extends AffiliatedNode {
  declare readonly type: 'keyword'
  declare key: string
  declare value: string
}

/** `#+call: name[header](arguments)[end header]`. */
export class BabelCall extends AffiliatedNode {
  declare readonly type: 'babel-call'
  declare value: string
  declare call: string | null
  declare insideHeader: string | null
  declare arguments: string | null
  declare endHeader: string | null
}

/** `# text` lines, without their marks. */
export class Comment extends OrgNode {
  declare readonly type: 'comment'
  declare value: string
}

/** `: text` lines, without their marks. */
export class FixedWidth extends AffiliatedNode {
  declare readonly type: 'fixed-width'
  declare value: string
}

/** Five or more dashes. */
export class HorizontalRule extends AffiliatedNode {
  declare readonly type: 'horizontal-rule'
}

/** `\begin{name}` … `\end{name}`. */
export class LatexEnvironment extends AffiliatedNode {
  declare readonly type: 'latex-environment'
  declare value: string
}

/** `CLOCK: …`. */
export class Clock extends OrgNode {
  declare readonly type: 'clock'
  declare value: Timestamp | null
  declare duration: string | null
  declare status: 'running' | 'closed'
}

/** `%%(sexp)` at the start of a line. */
export class DiarySexp extends AffiliatedNode {
  declare readonly type: 'diary-sexp'
  declare value: string
}

/** Text that is nothing else. */
export class PlainText extends OrgNode {
  declare readonly type: 'plain-text'
  declare value: string
}

/** Emphasis that contains other objects. */
export class Emphasis extends OrgParent {
  declare readonly type: 'bold' | 'italic' | 'underline' | 'strike-through'
  declare children: OrgObject[]
}

/** `=verbatim=` and `~code~`: text without objects. */
export class Literal extends OrgNode {
  declare readonly type: 'verbatim' | 'code'
  declare value: string
}

/** A link of any kind. `children` is its description. */
export class Link extends OrgParent {
  declare readonly type: 'link'
  /** `bracket` for `[[…]]`, `angle` for `<…>`, `plain` for a bare address. */
  declare format: 'bracket' | 'angle' | 'plain'
  /** `file`, `https`, `id`, `custom-id`, `fuzzy`, `coderef`, `radio`, … */
  declare linkType: string
  /** The target without its type, unescaped. */
  declare path: string
  /** The target as written. */
  declare rawLink: string
  /** What follows `::` in a file link, or null. */
  declare searchOption: string | null
  /** The type is written in the link, as in `https:` and `file:`. */
  declare typeExplicitP: boolean
  /** Such as `emacs` in `file+emacs:`, or null. */
  declare application: string | null
  declare children: OrgObject[]
}

/** `<<target>>`. */
export class Target extends OrgNode {
  declare readonly type: 'target'
  declare value: string
}

/** `<<<radio target>>>`. */
export class RadioTarget extends OrgParent {
  declare readonly type: 'radio-target'
  declare value: string
  declare children: OrgObject[]
}

/** `{{{name(arguments)}}}`. `key` is lower case. */
export class Macro extends OrgNode {
  declare readonly type: 'macro'
  declare key: string
  declare value: string
  declare args: string[]
}

/** `\name`, or `\name{}`. */
export class Entity extends OrgNode {
  declare readonly type: 'entity'
  declare name: string
  declare useBracketsP: boolean
  /** What Emacs's table prints for UTF-8, such as `→`. */
  declare utf8: string
  declare html: string
  declare latex: string
  /** The LaTeX form needs math mode. */
  declare latexMathP: boolean
  declare ascii: string
  declare latin1: string
}

/** `$…$`, `\(…\)`, `\[…\]`, `$$…$$`, or a LaTeX command. */
export class LatexFragment extends OrgNode {
  declare readonly type: 'latex-fragment'
  declare value: string
}

/** `[fn:label]`, or `[fn:label:definition]`. */
export class FootnoteReference extends OrgParent {
  declare readonly type: 'footnote-reference'
  declare label: string | null
  declare referenceType: 'standard' | 'inline'
  declare children: OrgObject[]
}

/** `\\` at the end of a line. */
export class LineBreak extends OrgNode {
  declare readonly type: 'line-break'
}

/** `[2/3]` or `[50%]`. */
export class StatisticsCookie extends OrgNode {
  declare readonly type: 'statistics-cookie'
  declare value: string
}

/** `_{…}` and `^{…}`. */
export class Script extends OrgParent {
  declare readonly type: 'subscript' | 'superscript'
  declare useBracketsP: boolean
  declare children: OrgObject[]
}

/** `@@backend:text@@`. */
export class ExportSnippet extends OrgNode {
  declare readonly type: 'export-snippet'
  declare backEnd: string
  declare value: string
}

/** `src_language[header]{body}`. */
export class InlineSrcBlock extends OrgNode {
  declare readonly type: 'inline-src-block'
  declare language: string
  declare parameters: string | null
  declare value: string
}

/** `call_name[header](arguments)[end header]`. */
export class InlineBabelCall extends OrgNode {
  declare readonly type: 'inline-babel-call'
  declare value: string
  declare call: string
  declare insideHeader: string | null
  declare arguments: string | null
  declare endHeader: string | null
}

/** `[cite/style:prefix @key suffix]`. */
export class Citation extends OrgParent {
  declare readonly type: 'citation'
  declare style: string | null
  declare prefix: OrgObject[] | null
  declare suffix: OrgObject[] | null
  declare children: OrgObject[]
}

/** `@key` inside a citation. */
export class CitationReference extends OrgNode {
  declare readonly type: 'citation-reference'
  declare key: string
  declare prefix: OrgObject[] | null
  declare suffix: OrgObject[] | null
}

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
export interface DiaryTimes {
  hour: number
  minute: number
  endHour: number | null
  endMinute: number | null
}

/** A timestamp, or a range of two. */
export class Timestamp extends OrgNode {
  declare readonly type: 'timestamp'
  declare timestampType: 'active' | 'inactive' | 'active-range' | 'inactive-range' | 'diary'
  /** Whether a range is written with two dates or with two times of one day; null for none. */
  declare rangeType: 'daterange' | 'timerange' | null
  declare rawValue: string
  /** The expression of a diary timestamp, or null. */
  declare diarySexp: string | null
  /** The times behind the expression of a diary timestamp, or null. */
  declare diaryTimes: DiaryTimes | null
  /** Null for a diary timestamp. */
  declare start: OrgDate | null
  /** The same as `start` unless the timestamp is a range. */
  declare end: OrgDate | null
  declare repeater: Repeater | null
  declare warning: Warning | null
}

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
