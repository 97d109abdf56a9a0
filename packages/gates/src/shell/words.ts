import type { ArithmeticExpression, Word, WordPart } from 'unbash'

/** One argument that a word may become. */
export interface Field {
  /** Without quotes; a hole (U+0000) for each part that is not known. */
  value: string
  /** The whole of it is known: no hole and no pattern. */
  known: boolean
  /** The shell would expand it into the names of files. */
  glob: boolean
  /** It may become no argument or several, as an unquoted variable does. */
  splits: boolean
  /** A hole may be a secret, or anything at all: a variable nobody has set, an indirection. */
  doubtful: boolean
  /** One of several values that a variable takes in turn. */
  varying: boolean
  /** It begins with a hole or a pattern that cannot be a dash. */
  word?: boolean
}

/** What is known about a variable of the command line: its values, or that it holds mere data. */
export type Variables = ReadonlyMap<string, readonly (string | Field)[] | 'data'>

/** What is known about what a substituted command prints. */
type Substituted = { get(part: WordPart): readonly Field[] | undefined }

const harmlessVariables = new Set(
  (
    'PWD OLDPWD USER LOGNAME SHELL PATH LANG TERM HOSTNAME UID EUID PPID RANDOM SECONDS LINENO COLUMNS ' +
    'LINES OSTYPE MACHTYPE HOSTTYPE BASH_VERSION SHLVL EDITOR PAGER TZ TMPDIR DISPLAY LC_ALL LC_CTYPE ' +
    'XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME XDG_CACHE_HOME XDG_RUNTIME_DIR XDG_SESSION_TYPE XDG_CURRENT_DESKTOP ' +
    'NODE_ENV CI VIRTUAL_ENV CONDA_PREFIX GOPATH GOROOT JAVA_HOME PYTHONPATH MANPATH LD_LIBRARY_PATH COLORTERM HISTSIZE ' +
    'BASH ZSH_VERSION BASHPID EPOCHSECONDS IFS ? # $ ! 0 - PIPESTATUS'
  ).split(' '),
)

const wordsMax = 64

/** The arguments that a word may become, at least one. Total: what cannot be known is a hole. */
export function fieldsOf(
  word: Word,
  variables: Variables,
  home: string,
  substituted?: Substituted,
): Field[] {
  const parts = word.parts
  const start = /^~(?=\/|$)/.test(word.text) ? home + word.value.slice(1) : word.value
  if (parts === undefined) return [plainField(start)]
  const known: Known = { variables, home, substituted }
  let drafts: Field[] = [plainField('')]
  for (const [index, part] of parts.entries()) {
    const isTilde = index === 0 && /^~(?=\/|$)/.test(word.text)
    const pieces = piecesOf(part, known, isTilde)
    drafts = drafts.flatMap((draft) => pieces.map((piece) => joined(draft, piece)))
    if (drafts.length > wordsMax) return [hole({ splits: true, doubtful: true })]
  }
  const fields = drafts.flatMap((draft) => splitField(draft))
  const [first, ...more] = parts
  const isValue = first?.type === 'Literal' && /^--[a-z][\w-]*=/.test(first.value)
  if (!isValue || !more.every(({ type }) => alwaysThere.has(type))) return fields
  return fields.map((field) => ({ ...field, varying: false }))
}

const alwaysThere = new Set(['Literal', 'Glob', 'SingleQuoted', 'BraceExpansion'])

interface Known {
  variables: Variables
  home: string
  substituted: Substituted | undefined
}

/** A field that is known and nothing else. */
export function plainField(value: string): Field {
  return { value, known: true, glob: false, splits: false, doubtful: false, varying: false }
}

function hole(fields: Partial<Field>): Field {
  return { ...plainField('\0'), known: false, ...fields }
}

function joined(a: Field, b: Field): Field {
  return {
    value: a.value + b.value,
    known: a.known && b.known,
    glob: a.glob || b.glob,
    splits: a.splits || b.splits,
    doubtful: a.doubtful || b.doubtful,
    varying: a.varying || b.varying,
    ...((a.value === '' ? b.word : a.word) === true && { word: true }),
  }
}

function piecesOf(part: WordPart, known: Known, isTilde: boolean): readonly Field[] {
  const { variables, home } = known
  switch (part.type) {
    case 'Literal':
      return [plainField(isTilde ? home + part.value.slice(1) : part.value)]
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return [plainField(part.value)]
    case 'DoubleQuoted':
    case 'LocaleString': {
      const inner = part.parts.map((child) => piecesOf(child, known, false))
      return inner
        .reduce(
          (fields, next) => fields.flatMap((a) => next.map((b) => joined(a, b))),
          [plainField('')],
        )
        .slice(0, wordsMax)
        .map((field) => ({ ...field, splits: false }))
    }
    case 'Glob':
      return [{ ...plainField(part.text), known: false, glob: true }]
    case 'SimpleExpansion':
      return variable(part.text.slice(1), variables, home)
    case 'ParameterExpansion':
      if (part.prefix === undefined && part.index === undefined && part.operation === undefined) {
        return variable(part.parameter, variables, home)
      }
      return [hole({ splits: true, doubtful: true })]
    case 'CommandExpansion':
      return known.substituted?.get(part) ?? [hole({ splits: true })]
    case 'ArithmeticExpansion':
      return [hole({ doubtful: !isNumeric(part.expression) })]
    case 'BraceExpansion':
      return braces(part.text)
    default:
      return [hole({ splits: true, doubtful: true })]
  }
}

function variable(name: string, variables: Variables, home: string): Field[] {
  const values = variables.get(name)
  if (values === 'data') return [hole({ splits: true })]
  if (values !== undefined) {
    return values.map((value) => valueIn(value, values.length > 1))
  }
  if (name === 'HOME') return [plainField(home)]
  if (/^[?#$!]$/.test(name)) return [{ ...plainField('0'), varying: true }]
  return [hole({ splits: true, doubtful: !harmlessVariables.has(name) })]
}

function valueIn(value: string | Field, varying: boolean): Field {
  if (typeof value !== 'string') return { ...value, varying: varying || value.varying }
  return {
    ...plainField(value),
    known: !value.includes('\0') && !/[*?[]/.test(value),
    glob: /[*?[]/.test(value),
    splits: /[\s\0]/.test(value),
    varying,
  }
}

function splitField(field: Field): Field[] {
  if (!field.splits || !/\s/.test(field.value)) return [field]
  return field.value
    .split(/\s+/)
    .filter((value) => value !== '')
    .map((value) => ({ ...field, value }))
}

function braces(text: string): Field[] {
  if (/[\\'"$`]/.test(text)) return [hole({ splits: true, doubtful: true })]
  const values = expandBraces(text)
  if (values === null) return [hole({ splits: true, doubtful: true })]
  return values.map((value) => ({
    ...plainField(value),
    known: !/[*?[]/.test(value),
    glob: /[*?[]/.test(value),
    varying: true,
  }))
}

function expandBraces(text: string): string[] | null {
  const range = /^\{(\d{1,3}|[a-z])\.\.(\d{1,3}|[a-z])(?:\.\.(\d{1,2}))?\}$/i.exec(text)
  if (range !== null) return rangeOf(range[1] ?? '', range[2] ?? '', Number(range[3] ?? 1), text)
  if (text.includes('..')) return null
  const inner = splitTop(text.slice(1, -1))
  const values = inner.flatMap((piece) => expandNested(piece))
  return values.length > wordsMax ? null : [...values, text]
}

function rangeOf(first: string, last: string, step: number, text: string): string[] | null {
  const isNumber = /^\d/.test(first)
  if (isNumber !== /^\d/.test(last) || step === 0) return null
  const codeOf = (value: string) => (isNumber ? Number(value) : value.charCodeAt(0))
  const [from, to] = [codeOf(first), codeOf(last)]
  const length = Math.floor(Math.abs(to - from) / step) + 1
  if (length > wordsMax) return null
  const width = [first, last].some((each) => /^0\d/.test(each))
    ? Math.max(first.length, last.length)
    : 0
  const values = Array.from({ length }, (_, index) => from + (from < to ? 1 : -1) * index * step)
  const words = values.map((value) =>
    isNumber ? String(value).padStart(width, '0') : String.fromCharCode(value),
  )
  return words.every((word) => /^\w+$/.test(word)) ? [...words, text] : null
}

function splitTop(text: string): string[] {
  const pieces = ['']
  let depth = 0
  for (const character of text) {
    if (character === '{') depth++
    if (character === '}') depth--
    if (character === ',' && depth === 0) pieces.push('')
    else pieces[pieces.length - 1] += character
  }
  return pieces
}

function expandNested(piece: string): string[] {
  const open = piece.indexOf('{')
  const close = piece.lastIndexOf('}')
  if (open === -1 || close < open) return [piece]
  const inner = expandBraces(piece.slice(open, close + 1)) ?? [`\0`]
  return inner
    .map((value) => piece.slice(0, open) + value + piece.slice(close + 1))
    .slice(0, wordsMax)
}

/** Whether an arithmetic expression is made of nothing but numbers and operators. */
function isNumeric(expression: ArithmeticExpression | undefined): boolean {
  if (expression === undefined) return false
  switch (expression.type) {
    case 'ArithmeticWord':
      return /^\d{1,18}$/.test(expression.value)
    case 'ArithmeticUnary':
      return isNumeric(expression.operand) && !/\+\+|--/.test(expression.operator)
    case 'ArithmeticBinary':
      return isNumeric(expression.left) && isNumeric(expression.right)
    case 'ArithmeticGroup':
      return isNumeric(expression.expression)
    default:
      return false
  }
}
