import type { Element, ElementContent, Text } from 'hast'
import { h } from 'hastscript'
import type { KatexOptions } from 'katex'
import type { LatexEnvironment, LatexFragment } from 'org-ast'
import type { Page } from '../pages/pages.ts'
import type { Content, Formulas, SetFormula, Writer } from './writer.ts'

const lengthMax = 20_000
const errorColor = '#c00e0d'
const limits: KatexOptions = {
  output: 'mathml',
  trust: false,
  strict: 'ignore',
  throwOnError: true,
  maxExpand: 1000,
  maxSize: 50,
  errorColor,
}

/** True for a page that KaTeX is needed for. */
export function hasFormula({ text }: Pick<Page, 'text'>): boolean {
  return /\$|\\[([]|\\begin\{|\\[A-Za-z]+\{/.test(text)
}

/** Loads KaTeX. */
export async function loadFormulas(): Promise<Formulas> {
  const { default: katex } = await import('katex')
  const macros = new Map<string, object>()
  const macrosOf = (preamble: string) => {
    const known = macros.get(preamble)
    if (known !== undefined) return known
    const made = {}
    try {
      if (preamble !== '')
        katex.renderToString(preamble, { ...limits, macros: made, globalGroup: true })
    } catch {}
    macros.set(preamble, made)
    return made
  }
  return (tex, displayMode, preamble) => {
    if (tex.length > lengthMax) return { why: 'it is too long', offset: 0 }
    try {
      const options = { ...limits, displayMode, macros: { ...macrosOf(preamble) } }
      return checked(katex.renderToString(tex, options))
    } catch (error) {
      return failure(error)
    }
  }
}

function checked(html: string): SetFormula {
  const refused = html.indexOf(errorColor)
  const command = refused < 0 ? null : /<mtext>([^<]*)/.exec(html.slice(refused))
  if (command !== null) return { why: `${command[1]} is not allowed`, offset: 0 }
  const inner = html.replace(/^<span class="katex">/, '').replace(/<\/span>$/, '')
  return { html: inner.replaceAll('class ="', 'class="') }
}

function failure(error: unknown): SetFormula {
  if (!(error instanceof Error) || error instanceof RangeError)
    return { why: 'it is too deep', offset: 0 }
  const offset = 'position' in error ? Number(error.position) || 0 : 0
  const [words = ''] = error.message
    .replace('KaTeX parse error: ', '')
    .split(/ at (?:position|end)/)
  return { why: words, offset }
}

/** The id of a labelled equation. */
function equationId(label: string): string {
  return `_equation-${(label.match(/[\p{L}\p{N}]+/gu) ?? ['x']).join('-')}`
}

/** An environment of LaTeX. */
export function environment(node: LatexEnvironment, writer: Writer): Content {
  const found = writer.scan.equations.get(node)
  const { labels = [] } = found ?? {}
  const ids = labels.map(([label]) => h('span', { id: equationId(label) }))
  const tex = node.value.replace(/\\label\{[^{}]*\}/g, '').trim()
  const set = settled(node, tex, true, writer)
  if (set === null) return hidden(node.value, writer)
  if (set.tagName === 'code') return [h('pre', { className: 'latex', tabIndex: 0 }, set)]
  const { first = 0, count = 0 } = found ?? {}
  const number = count === 0 ? '' : count === 1 ? `(${first})` : `(${first}–${first + count - 1})`
  const shown = number === '' ? [] : [h('span', { className: 'number' }, number)]
  return [h('div', { className: 'formula', tabIndex: 0 }, [...ids, set, ...shown])]
}

function hidden(value: string, writer: Writer): Content {
  return writer.page.options.latex === 'verbatim'
    ? [h('pre', { tabIndex: 0 }, h('code', value))]
    : []
}

const delimiters = /^(?:\\\(([\s\S]*)\\\)|\\\[([\s\S]*)\\\]|\$\$([\s\S]*)\$\$|\$([\s\S]*)\$)$/

/** A formula in a line of text, or a command of LaTeX. */
export function fragment(node: LatexFragment, writer: Writer): Content {
  const text = (value: string): ElementContent => ({ type: 'text', value })
  const { latex } = writer.page.options
  if (latex !== true) return latex === 'verbatim' ? [text(node.value)] : []
  const match = delimiters.exec(node.value)
  if (match === null) return [command(node.value, writer) ?? text(node.value)]
  const [, round, square, dollars, dollar] = match
  const display = square ?? dollars
  const set = settled(node, display ?? round ?? dollar ?? '', display !== undefined, writer)
  if (set === null) return []
  return [
    display === undefined || set.tagName === 'code'
      ? set
      : h('span', { className: 'formula', tabIndex: 0 }, set),
  ]
}

function command(value: string, writer: Writer): Element | null {
  const [, kind, label = ''] = /^\\(eqref|ref)\{([^{}]+)\}$/.exec(value) ?? []
  if (kind === undefined) return null
  const number = writer.scan.equationLabels.get(label)
  if (number === undefined) return null
  return h('a', { href: `#${equationId(label)}` }, kind === 'ref' ? `${number}` : `(${number})`)
}

function settled(
  node: LatexEnvironment | LatexFragment,
  tex: string,
  isDisplay: boolean,
  writer: Writer,
): Element | null {
  if (writer.page.options.latex !== true) return null
  const formulas = writer.typesetting?.formulas
  const source = h('code', { className: 'latex' }, node.value.trim())
  if (formulas === undefined) return source
  const set = formulas(tex, isDisplay, writer.scan.preamble)
  if ('why' in set) {
    const line = node.position.start.line + tex.slice(0, set.offset).split('\n').length - 1
    writer.problem(line, `this formula cannot be set: ${set.why}`)
    return source
  }
  const raw = { type: 'raw', value: set.html } as unknown as Text
  return { type: 'element', tagName: 'span', properties: { className: ['math'] }, children: [raw] }
}
