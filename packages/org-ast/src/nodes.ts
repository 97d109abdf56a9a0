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

/** What all nodes share. */
export interface OrgNode {
  type: string
  position: Position
  /** Blank lines after an element; white-space characters after an object. */
  postBlank: number
}

/** A node that holds others; both bounds are UTF-16 offsets. */
export interface OrgParent extends OrgNode {
  /** Where the contents start, or null when there are none. */
  contentsBegin: number | null
  /** Where the contents end (exclusive), or null when there are none. */
  contentsEnd: number | null
  children: OrgContent[]
}

/** One `#+key[dual]: value` line above an element. `key` is upper case, as in Emacs. */
export interface AffiliatedKeyword {
  key: string
  value: string
  /** The bracketed short form, as in `#+caption[short]: long`, or null. */
  dual: string | null
  /** 1-based line of the keyword. */
  line: number
}

/** The properties of any element that may carry affiliated keywords. */
export interface Affiliated {
  /** In source order; empty when there are none. */
  affiliated: AffiliatedKeyword[]
  /** The value of `#+name:`, or null. */
  name: string | null
  /** Offset of the element itself, after its affiliated keywords. */
  postAffiliated: number
}

/** The root. `todoKeywords` are those in force: the file's own, else TODO and DONE. */
export interface OrgData extends OrgParent {
  type: 'org-data'
  children: (Section | Headline)[]
  /** Keywords that mean "not done yet", in order. */
  todoKeywords: string[]
  /** Keywords that mean "done", in order. */
  doneKeywords: string[]
  /** Tags that `#+filetags:` gives to every headline. */
  filetags: string[]
}

/** The elements between a headline (or the start of the file) and the next headline. */
export interface Section extends OrgParent {
  type: 'section'
  children: OrgElement[]
}

/** A line of stars, and everything up to the next headline of the same or a higher level. */
export interface Headline extends OrgParent {
  type: 'headline'
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
  children: (Section | Headline)[]
}

/** The `SCHEDULED:`, `DEADLINE:` and `CLOSED:` line right under a headline. */
export interface Planning extends OrgNode {
  type: 'planning'
  scheduled: Timestamp | null
  deadline: Timestamp | null
  closed: Timestamp | null
}

/** The drawer that holds a headline's properties. */
export interface PropertyDrawer extends OrgParent {
  type: 'property-drawer'
  children: NodeProperty[]
}

/** One `:key: value` line of a property drawer. `key` keeps its case. */
export interface NodeProperty extends OrgNode {
  type: 'node-property'
  key: string
  value: string
}

/** `:NAME:` … `:END:` anywhere but directly under a headline. */
export interface Drawer extends OrgParent, Affiliated {
  type: 'drawer'
  drawerName: string
}

/** `#+begin_center` … `#+end_center`. */
export interface CenterBlock extends OrgParent, Affiliated {
  type: 'center-block'
}

/** `#+begin_quote` … `#+end_quote`. */
export interface QuoteBlock extends OrgParent, Affiliated {
  type: 'quote-block'
}

/** A block with any other name, such as `#+begin_warning`. */
export interface SpecialBlock extends OrgParent, Affiliated {
  type: 'special-block'
  blockType: string
  parameters: string | null
}

/** `#+begin: name arguments` … `#+end:`. */
export interface DynamicBlock extends OrgParent, Affiliated {
  type: 'dynamic-block'
  blockName: string
  arguments: string | null
}

/** `[fn:label] text` at the start of a line. */
export interface FootnoteDefinition extends OrgParent, Affiliated {
  type: 'footnote-definition'
  label: string
  preBlank: number
}

/** A list; its type is that of its first item. */
export interface PlainList extends OrgParent, Affiliated {
  type: 'plain-list'
  listType: 'ordered' | 'unordered' | 'descriptive'
  children: Item[]
}

/** One item. */
export interface Item extends OrgParent {
  type: 'item'
  /** The bullet with the white space that follows it, such as `- ` or `10. `. */
  bullet: string
  /** The number set by `[@5]`, or null. */
  counter: number | null
  checkbox: 'on' | 'off' | 'trans' | null
  /** The term before ` :: ` as objects, or null. */
  tag: OrgObject[] | null
  preBlank: number
}

/** A table. A `table.el` table keeps its text in `value` and has no rows. */
export interface Table extends OrgParent, Affiliated {
  type: 'table'
  tableType: 'org' | 'table.el'
  /** The text of each `#+tblfm:` line below the table. */
  tblfm: string[]
  value: string | null
  children: TableRow[]
}

/** A row; a rule has no cells. */
export interface TableRow extends OrgParent {
  type: 'table-row'
  rowType: 'standard' | 'rule'
  children: TableCell[]
}

/** A cell, with the spaces around it outside its contents. */
export interface TableCell extends OrgParent {
  type: 'table-cell'
  children: OrgObject[]
}

/** A run of text lines. */
export interface Paragraph extends OrgParent, Affiliated {
  type: 'paragraph'
  children: OrgObject[]
}

/** `#+begin_verse` … `#+end_verse`: a paragraph whose line ends matter. */
export interface VerseBlock extends OrgParent, Affiliated {
  type: 'verse-block'
  children: OrgObject[]
}

/** `#+begin_src language switches parameters` … `#+end_src`. */
export interface SrcBlock extends OrgNode, Affiliated {
  type: 'src-block'
  language: string | null
  /** Such as `-n -r -l "fmt"`, or null. */
  switches: string | null
  /** The header arguments as written on the line, or null. */
  parameters: string | null
  /** The body as written, commas and indentation included, with its final newline. */
  value: string
}

/** `#+begin_example` … `#+end_example`. */
export interface ExampleBlock extends OrgNode, Affiliated {
  type: 'example-block'
  switches: string | null
  value: string
}

/** `#+begin_export backend` … `#+end_export`. */
export interface ExportBlock extends OrgNode, Affiliated {
  type: 'export-block'
  /** Upper case, as Emacs has it, or null. */
  backend: string | null
  value: string
}

/** `#+begin_comment` … `#+end_comment`. */
export interface CommentBlock extends OrgNode, Affiliated {
  type: 'comment-block'
  value: string
}

/** `#+key: value` that is not affiliated to anything. `key` is upper case. */
export interface Keyword extends OrgNode, Affiliated {
  type: 'keyword'
  key: string
  value: string
}

/** `#+call: name[header](arguments)[end header]`. */
export interface BabelCall extends OrgNode, Affiliated {
  type: 'babel-call'
  value: string
  call: string | null
  insideHeader: string | null
  arguments: string | null
  endHeader: string | null
}

/** `# text` lines, without their marks. */
export interface Comment extends OrgNode {
  type: 'comment'
  value: string
}

/** `: text` lines, without their marks. */
export interface FixedWidth extends OrgNode, Affiliated {
  type: 'fixed-width'
  value: string
}

/** Five or more dashes. */
export interface HorizontalRule extends OrgNode, Affiliated {
  type: 'horizontal-rule'
}

/** `\begin{name}` … `\end{name}`. */
export interface LatexEnvironment extends OrgNode, Affiliated {
  type: 'latex-environment'
  value: string
}

/** `CLOCK: …`. */
export interface Clock extends OrgNode {
  type: 'clock'
  value: Timestamp | null
  duration: string | null
  status: 'running' | 'closed'
}

/** `%%(sexp)` at the start of a line. */
export interface DiarySexp extends OrgNode, Affiliated {
  type: 'diary-sexp'
  value: string
}

/** Text that is nothing else. */
export interface PlainText extends OrgNode {
  type: 'plain-text'
  value: string
}

/** Emphasis that contains other objects. */
export interface Emphasis extends OrgParent {
  type: 'bold' | 'italic' | 'underline' | 'strike-through'
  children: OrgObject[]
}

/** `=verbatim=` and `~code~`: text without objects. */
export interface Literal extends OrgNode {
  type: 'verbatim' | 'code'
  value: string
}

/** A link of any kind. `children` is its description. */
export interface Link extends OrgParent {
  type: 'link'
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
  /** Such as `emacs` in `file+emacs:`, or null. */
  application: string | null
  children: OrgObject[]
}

/** `<<target>>`. */
export interface Target extends OrgNode {
  type: 'target'
  value: string
}

/** `<<<radio target>>>`. */
export interface RadioTarget extends OrgParent {
  type: 'radio-target'
  value: string
  children: OrgObject[]
}

/** `{{{name(arguments)}}}`. `key` is lower case. */
export interface Macro extends OrgNode {
  type: 'macro'
  key: string
  value: string
  args: string[]
}

/** `\name`, or `\name{}`. */
export interface Entity extends OrgNode {
  type: 'entity'
  name: string
  useBracketsP: boolean
  /** What Emacs's table prints for UTF-8, such as `→`. */
  utf8: string
  html: string
  latex: string
}

/** `$…$`, `\(…\)`, `\[…\]`, `$$…$$`, or a LaTeX command. */
export interface LatexFragment extends OrgNode {
  type: 'latex-fragment'
  value: string
}

/** `[fn:label]`, or `[fn:label:definition]`. */
export interface FootnoteReference extends OrgParent {
  type: 'footnote-reference'
  label: string | null
  referenceType: 'standard' | 'inline'
  children: OrgObject[]
}

/** `\\` at the end of a line. */
export interface LineBreak extends OrgNode {
  type: 'line-break'
}

/** `[2/3]` or `[50%]`. */
export interface StatisticsCookie extends OrgNode {
  type: 'statistics-cookie'
  value: string
}

/** `_{…}` and `^{…}`. */
export interface Script extends OrgParent {
  type: 'subscript' | 'superscript'
  useBracketsP: boolean
  children: OrgObject[]
}

/** `@@backend:text@@`. */
export interface ExportSnippet extends OrgNode {
  type: 'export-snippet'
  backEnd: string
  value: string
}

/** `src_language[header]{body}`. */
export interface InlineSrcBlock extends OrgNode {
  type: 'inline-src-block'
  language: string
  parameters: string | null
  value: string
}

/** `call_name[header](arguments)[end header]`. */
export interface InlineBabelCall extends OrgNode {
  type: 'inline-babel-call'
  value: string
  call: string
  insideHeader: string | null
  arguments: string | null
  endHeader: string | null
}

/** `[cite/style:prefix @key suffix]`. */
export interface Citation extends OrgParent {
  type: 'citation'
  style: string | null
  prefix: OrgObject[] | null
  suffix: OrgObject[] | null
  children: OrgObject[]
}

/** `@key` inside a citation. */
export interface CitationReference extends OrgNode {
  type: 'citation-reference'
  key: string
  prefix: OrgObject[] | null
  suffix: OrgObject[] | null
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
}

/** `-3d`, `--3d`. */
export interface Warning {
  type: 'all' | 'first'
  value: number
  unit: 'hour' | 'day' | 'week' | 'month' | 'year'
}

/** A timestamp, or a range of two. */
export interface Timestamp extends OrgNode {
  type: 'timestamp'
  timestampType: 'active' | 'inactive' | 'active-range' | 'inactive-range' | 'diary'
  rawValue: string
  /** Null for a diary timestamp. */
  start: OrgDate | null
  /** The same as `start` unless the timestamp is a range. */
  end: OrgDate | null
  repeater: Repeater | null
  warning: Warning | null
}

/** Everything that can stand in a section. */
export type OrgElement =
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
