import { type NodeClass, OrgContainer, OrgNode } from './base-node.ts'

/** Text that is nothing else. */
export interface PlainText extends OrgNode {
  readonly type: 'plain-text'
  value: string
}
export const PlainText = OrgNode as NodeClass<PlainText>

/** Emphasis that contains other objects. */
export interface Emphasis extends OrgContainer {
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
export interface Link extends OrgContainer {
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
export interface RadioTarget extends OrgContainer {
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
export interface FootnoteReference extends OrgContainer {
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
export interface Script extends OrgContainer {
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
export interface Citation extends OrgContainer {
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
