import type { BundledLanguage, ThemeRegistration } from 'shiki'
import { bundledLanguages } from 'shiki/langs'
import { bundledThemes } from 'shiki/themes'

/** A block as it is coloured. */
export interface Code {
  language: string
  body: string
}

/** The two themes in one. */
interface Palette {
  theme: ThemeRegistration
  /** A light and a dark colour; the index is the number of the class. */
  pairs: string[][]
}

const replaced: Record<string, string> = { '#6e7781': '#57606a' }

async function themeNamed(name: 'github-light-default' | 'github-dark-default') {
  return (await bundledThemes[name]()).default
}

/** The theme of numbers, and what they stand for. */
export async function palette(): Promise<Palette> {
  const light = await themeNamed('github-light-default')
  const dark = await themeNamed('github-dark-default')
  const pairs: string[][] = [['', '']]
  const ink = [light, dark].map(({ colors }) => colors?.['editor.foreground']?.toLowerCase())
  const rules = (light.tokenColors ?? []).flatMap(({ scope, settings }, index) => {
    const pale = settings.foreground?.toLowerCase()
    const other = dark.tokenColors?.[index]?.settings.foreground?.toLowerCase()
    if (pale === undefined || other === undefined || scope === undefined) return []
    const pair = [replaced[pale] ?? pale, other]
    const isInk = pair.join() === ink.join()
    let number = isInk ? 0 : pairs.findIndex((known) => known.join() === pair.join())
    if (number < 0) number = pairs.push(pair) - 1
    return [{ scope, settings: { foreground: numbered(number) } }]
  })
  const theme = { name: 'numbers', fg: numbered(0), bg: '#ffffff', tokenColors: rules }
  return { theme: { ...theme, type: 'light' }, pairs }
}

const numbered = (number: number) => `#${number.toString(16).padStart(6, '0')}`

/** The letter of a run is at the place of its class. */
export const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

type Run = [kind: number, length: number]

function pack(runs: readonly Run[]): string {
  const packed: Run[] = []
  for (const [kind, length] of runs) {
    const last = packed.at(-1)
    if (last?.[0] === kind) last[1] += length
    else packed.push([kind, length])
  }
  return packed.map(([kind, length]) => `${letters[kind]}${length}`).join('')
}

const aliases = new Map([
  ['sh', 'bash'],
  ['shell', 'bash'],
  ['emacs-lisp', 'lisp'],
  ['elisp', 'lisp'],
])

/** The grammar that Shiki has for a language of Org, or null. */
export function grammarOf(language: string): BundledLanguage | null {
  const name = aliases.get(language) ?? language
  return Object.hasOwn(bundledLanguages, name) ? (name as BundledLanguage) : null
}

/** The runs of each of these blocks, packed. */
export async function tokenise(waiting: readonly Code[]): Promise<string[]> {
  if (waiting.length === 0) return []
  const { createHighlighter } = await import('shiki')
  const { theme } = await palette()
  const langs = [...new Set(waiting.flatMap(({ language }) => grammarOf(language) ?? []))]
  const highlighter = await createHighlighter({ themes: [theme], langs })
  const numbers = highlighter.getTheme('numbers' as never)
  const rows = waiting.map(({ language, body }) => {
    const lang: BundledLanguage | 'text' = grammarOf(language) ?? 'text'
    const options = { lang, theme: numbers, tokenizeTimeLimit: 0 }
    const runs: Run[] = []
    let at = 0
    for (const { offset, content, color } of highlighter.codeToTokensBase(body, options).flat()) {
      if (offset > at) runs.push([0, offset - at])
      const kind = Number.parseInt(color?.slice(1) ?? '0', 16)
      runs.push([content.trim() === '' ? (runs.at(-1)?.[0] ?? 0) : kind, content.length])
      at = offset + content.length
    }
    if (body.length > at) runs.push([0, body.length - at])
    return pack(runs)
  })
  highlighter.dispose()
  return rows
}
