import type { Element, ElementContent } from 'hast'
import { h } from 'hastscript'
import { type BundledLanguage, bundledLanguages, createHighlighter } from 'shiki'

/** Turns code into a `pre` element. An unknown language comes without colours. */
export type Colours = (code: string, language: string) => Element

const aliases = new Map([
  ['sh', 'bash'],
  ['shell', 'bash'],
  ['emacs-lisp', 'lisp'],
  ['elisp', 'lisp'],
])

const colorReplacements = { '#6e7781': '#57606a' }

function grammarOf(language: string): BundledLanguage | null {
  const name = aliases.get(language) ?? language
  return name in bundledLanguages ? (name as BundledLanguage) : null
}

/** Loads the grammars for these languages. */
export async function createColours(languages: Iterable<string>): Promise<Colours> {
  const langs = [...new Set([...languages].flatMap((language) => grammarOf(language) ?? []))]
  const themes = { light: 'github-light-default', dark: 'github-dark-default' } as const
  const highlighter = await createHighlighter({ themes: Object.values(themes), langs })
  return (code, language) => {
    const lang = grammarOf(language)
    if (lang === null || !langs.includes(lang)) return h('pre', { tabIndex: 0 }, h('code', code))
    const options = {
      lang,
      themes,
      defaultColor: false,
      tokenizeTimeLimit: 0,
      colorReplacements,
    } as const
    const [pre] = highlighter.codeToHast(code, options).children as ElementContent[]
    const inner = (pre as Element).children
    return h('pre', { className: 'coloured', tabIndex: 0 }, inner)
  }
}
