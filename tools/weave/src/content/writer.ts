import type { ElementContent } from 'hast'
import type { FootnoteReference, OrgContent } from 'org-ast'
import type { Colours } from '../code/highlight.ts'
import type { PageCode } from '../code/literate.ts'
import type { Page } from '../pages/pages.ts'
import type { Directory } from './links.ts'
import type { PageScan } from './page-scan.ts'

/** A formula as MathML, or why it cannot be set; `offset` is where in the formula. */
export type SetFormula = { html: string } | { why: string; offset: number }

/** Sets formulas. `preamble` is what the document defines for all of them. */
export type Formulas = (tex: string, isDisplay: boolean, preamble: string) => SetFormula

/** Draws a diagram as SVG, or says why it cannot. */
export type Diagrams = (code: string) => { svg: string; width: number; height: number } | string

/** A source as BibTeX and CSL-JSON have it; only what is shown in the text. */
export interface SourceEntry {
  id: string
  type?: string
  title?: string
  keyword?: string
  author?: readonly { family?: string; literal?: string; given?: string }[]
  editor?: SourceEntry['author']
  issued?: { 'date-parts'?: readonly (readonly (number | string)[])[]; literal?: string }
}

/** Reads files of entries and prints them. */
export interface Citations {
  /** The entries in a text of BibTeX or CSL-JSON. Throws for anything else. */
  read: (text: string, kind: 'bib' | 'json') => SourceEntry[]
  /** The entries as HTML, by key. */
  print(entries: readonly SourceEntry[], style: CitationStyle): Map<string, string>
}

/** How sources are printed. */
export interface CitationStyle {
  name: string
  /** The style itself, from a file of the folder; null for a style of that name. */
  csl: string | null
}

/** What is set by a library. */
export interface Typesetting {
  formulas?: Formulas
  citations?: Citations
  diagrams?: Diagrams
  /** Pictures that were drawn, by their path on the site. */
  pictures?: Map<string, string>
}

/** A page with what is needed to write it. */
export interface ContentContext {
  /** Tangle targets are shown relative to this folder; absolute. */
  root: string
  page: Page
  directory: Directory
  colours: Colours
  /** What is known of the page's code; absent where nothing is. */
  code?: PageCode
  /** What is set by a library; without it sources are shown. */
  typesetting?: Typesetting
  /** Takes what is wrong with the document, with its 1-based line. */
  problem: (line: number, message: string) => void
}

/** A list of HTML nodes. */
export type Content = ElementContent[]

/** What is known of the citations of one page. */
export interface PageCitations {
  entries: ReadonlyMap<string, SourceEntry>
  /** Keys in the order of their first citation. */
  cited: readonly string[]
  isPrinted: boolean
  isNumeric: boolean
  style: CitationStyle
  /** The style of a citation that names none, such as `note/bare`; empty for the usual one. */
  usual: string
}

/** The notes a page has met so far, in order: a label, the reference itself, or what it says. */
export type Notes = (string | FootnoteReference | { said: Content })[]

/** What is known while a page is written. */
export interface Writer extends ContentContext {
  scan: PageScan
  /** What the page cites; null when it cites nothing, or nobody reads the files. */
  citations: PageCitations | null
  notes: Notes
  /** True while the notes are written. */
  isInNote?: boolean
  /** What is said of the next image; null when nothing is. */
  image: { alt: string; width?: string } | null
  elements(nodes: readonly OrgContent[]): Content
  objects(nodes: readonly OrgContent[]): Content
}
