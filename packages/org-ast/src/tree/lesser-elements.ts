import type { Position } from '../text/lines.ts'
import { type NodeClass, OrgContainer, OrgNode } from './base-node.ts'
import type { OrgObject, Timestamp } from './object-nodes.ts'

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

/** A run of text lines. */
export interface Paragraph extends AffiliatedNode {
  readonly type: 'paragraph'
  children: OrgObject[]
}
export const Paragraph = OrgContainer as NodeClass<Paragraph>

/** `#+begin_verse` … `#+end_verse`: a paragraph whose line ends matter. */
export interface VerseBlock extends AffiliatedNode {
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
