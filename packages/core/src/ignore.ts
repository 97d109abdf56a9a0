interface Rule {
  pattern: RegExp
  /** After an exclamation mark: what matches is looked at after all. */
  isBack: boolean
  foldersOnly: boolean
}

/** Whether a path, relative and with slashes, is left out. */
export type Ignore = (path: string, isFolder: boolean) => boolean

/** The patterns of a file in the syntax of gitignore(5). Never throws. */
export function parseIgnore(text: string): Ignore {
  const rules = text.split(/\r?\n/).flatMap((line) => ruleOf(line) ?? [])
  return (path, isFolder) => {
    const last = rules.findLast(
      ({ pattern, foldersOnly }) => (isFolder || !foldersOnly) && pattern.test(path),
    )
    return last !== undefined && !last.isBack
  }
}

function ruleOf(line: string): Rule | null {
  const trimmed = line.replace(/(?<!\\)\s+$/, '')
  if (trimmed === '' || trimmed.startsWith('#')) return null
  const isBack = trimmed.startsWith('!')
  const body = isBack ? trimmed.slice(1) : trimmed
  const foldersOnly = body.endsWith('/')
  const glob = foldersOnly ? body.slice(0, -1) : body
  const isTied = glob.includes('/')
  const source = expressionOf(glob.replace(/^\//, ''))
  try {
    return {
      pattern: new RegExp(`^${isTied ? '' : '(?:.*/)?'}${source}$`, 'su'),
      isBack,
      foldersOnly,
    }
  } catch {
    return null
  }
}

/** The tokens of a pattern: stars over folders, a class, an escaped letter, any letter. */
const tokens = /(^|\/)\*\*(\/|$)|\*+|\?|\[[!^]?\]?[^\]]*\]|\\(.)|(.)/gsu

function expressionOf(glob: string): string {
  return glob.replace(tokens, (token, before, after, escaped, letter) => {
    if (before !== undefined) return starsOf(before, after)
    if (token.startsWith('*')) return '[^/]*'
    if (token === '?') return '[^/]'
    if (token.startsWith('[') && token.length > 1) return classOf(token)
    return RegExp.escape(escaped ?? letter ?? token)
  })
}

function starsOf(before: string, after: string): string {
  if (after === '') return before === '' ? '.*' : '/.+'
  return before === '' ? '(?:.*/)?' : '/(?:.*/)?'
}

function classOf(token: string): string {
  const isNot = /^\[[!^]/.test(token)
  const inside = token.slice(isNot ? 2 : 1, -1).replace(/[\\[\]&~|^]/g, '\\$&')
  return `(?!/)[${isNot ? '^' : ''}${inside}]`
}
