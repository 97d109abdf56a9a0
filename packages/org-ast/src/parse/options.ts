import type { OrgData } from '../tree/nodes.ts'
import { walk } from '../tree/query.ts'
import { parse } from './parse.ts'
import type { ReadFile } from './settings.ts'

type Values = Map<string, string[]>

function collect(
  tree: OrgData,
  values: Values,
  readFile: ReadFile | null,
  seen: Set<string>,
): void {
  walk(tree, (node) => {
    if (node.type !== 'keyword') return node.type !== 'paragraph' && node.type !== 'table'
    const path = node.value.replace(/^"(.*)"$/s, '$1')
    if (node.key !== 'SETUPFILE') {
      values.set(node.key, [...(values.get(node.key) ?? []), node.value])
    } else if (readFile !== null && path !== '' && !seen.has(path)) {
      seen.add(path)
      const text = readFile(path)
      if (text !== null) collect(parse(text), values, readFile, seen)
    }
    return false
  })
}

const startupWords = {
  folded:
    'fold overview nofold showall show2levels show3levels show4levels show5levels showeverything content',
  indented: 'indent=yes noindent=no',
  numerated: 'num=yes nonum=no',
  hideStars: 'hidestars=yes showstars=no',
  oddLevels: 'odd=yes oddeven=no',
  alignTables: 'align=yes noalign=no',
  shrinkTables: 'shrink=yes',
  descriptiveLinks: 'descriptivelinks=yes literallinks=no',
  linkPreviews: 'inlineimages=yes linkpreviews=yes noinlineimages=no nolinkpreviews=no',
  latexPreview: 'latexpreview=yes nolatexpreview=no',
  customTimes: 'customtime=yes',
  logDone: 'logdone=time lognotedone=note nologdone=no',
  logNoteClockOut: 'lognoteclock-out=yes nolognoteclock-out=no',
  logRepeat: 'logrepeat=state lognoterepeat=note nologrepeat=no',
  logIntoDrawer: 'logdrawer=yes nologdrawer=no',
  logStatesReversed: 'logstatesreversed=yes nologstatesreversed=no',
  logReschedule: 'logreschedule=time lognotereschedule=note nologreschedule=no',
  logRedeadline: 'logredeadline=time lognoteredeadline=note nologredeadline=no',
  logRefile: 'logrefile=time lognoterefile=note nologrefile=no',
  footnotesInline: 'fninline=yes nofninline=no',
  footnoteSection: 'fnlocal=no',
  footnoteLabels: 'fnauto=yes fnprompt=no fnconfirm=confirm fnplain=plain fnanon=anonymous',
  footnotesAdjusted: 'fnadjust=yes nofnadjust=no',
  unitSystem: 'constcgs=cgs constsi=SI',
  persistentTags: 'noptag=no',
  hideBlocks: 'hideblocks=yes nohideblocks=no',
  hideDrawers: 'hidedrawers=yes nohidedrawers=no',
  beamer: 'beamer=yes',
  prettyEntities: 'entitiespretty=yes entitiesplain=no',
} as const

/** A switch that `#+STARTUP` can set. */
export type StartupSwitch = keyof typeof startupWords

/** The switches that a file sets, to true, false, or a word. */
export type Startup = Readonly<Partial<Record<StartupSwitch, boolean | string>>>

function startupOf(values: readonly string[]): Startup {
  const meanings = new Map<string, [string, boolean | string]>()
  for (const [name, words] of Object.entries(startupWords)) {
    for (const entry of words.split(' ')) {
      const [word, value = word] = entry.split('=') as [string, string?]
      meanings.set(word, [name, value === 'yes' || (value === 'no' ? false : value)])
    }
  }
  const words = values.flatMap((value) => value.toLowerCase().split(/\s+/))
  return Object.fromEntries(
    words.map((word) => meanings.get(word)).filter((meaning) => meaning !== undefined),
  )
}

/** A value in `#+OPTIONS`: of symbols, `t` and `nil` are truth values, others are strings. */
export type ExportValue = boolean | number | string | readonly ExportValue[]

const namePattern = /[ \t\r\f]*(.+?):/sy
const tokenPattern =
  /[ \t\r\f]*(?:([([])|([)\]])|"((?:[^"\\]|\\.)*)"|(['`,@])|((?:[^\s()"'`,;[\]\\]|\\.)+))/sy

function readOptions(line: string, into: Map<string, ExportValue>): void {
  let at = 0
  for (;;) {
    namePattern.lastIndex = at
    const name = namePattern.exec(line)
    if (name === null) return
    at = namePattern.lastIndex
    if (at === line.length || /\s/.test(line.charAt(at))) continue
    const read = readLisp(line, at)
    if (read === null) return
    into.set(name[1]!.toLowerCase(), read.value)
    at = read.after
  }
}

function readLisp(line: string, from: number): { value: ExportValue; after: number } | null {
  const open: ExportValue[][] = []
  tokenPattern.lastIndex = from
  for (;;) {
    const token = tokenPattern.exec(line)
    if (token === null) return null
    const [, opening, closing, string, quote, symbol] = token
    if (quote !== undefined) continue
    if (opening !== undefined) {
      open.push([])
      continue
    }
    let value: ExportValue | undefined
    if (closing !== undefined) {
      value = open.pop()
      if (value === undefined) return null
      if ((value as ExportValue[]).length === 0) value = false
    } else value = symbol === undefined ? unescaped(string!) : symbolValue(symbol)
    if (open.length === 0) return { value, after: tokenPattern.lastIndex }
    open.at(-1)!.push(value)
  }
}

function unescaped(string: string): string {
  return string.replace(/\\(.)/gs, (_, char: string) => (char === 'n' ? '\n' : char))
}

function symbolValue(symbol: string): ExportValue {
  if (symbol === 't' || symbol === 'nil') return symbol === 't'
  const isNumber = /^[-+]?(?:\d+\.?|\d*\.\d+(?:e[-+]?\d+)?|\d+e[-+]?\d+)$/.test(symbol)
  return isNumber ? Number(symbol) : symbol.replace(/\\(.)/gs, '$1')
}

/** What a file declares for its readers. */
export interface FileOptions {
  /** `#+PRIORITIES:`, as letters or digits; A, C and B when the file has none. */
  priorities: { highest: string; lowest: string; default: string }
  /** The switches of `#+STARTUP:`. */
  startup: Startup
  /** `#+OPTIONS:` by name, in lower case. */
  exportOptions: ReadonlyMap<string, ExportValue>
  /** `#+ARCHIVE:`, or null. */
  archive: string | null
  /** `#+CATEGORY:`, or null. */
  category: string | null
  /** `#+COLUMNS:`, or null. */
  columns: string | null
  /** `#+CONSTANTS:` by name. */
  constants: ReadonlyMap<string, string>
  /** `#+PROPERTY:` by name in upper case, with what `NAME+` adds. */
  properties: ReadonlyMap<string, string>
}

/** Reads what a file declares, from its tree and from the setup files it names. */
export function fileOptions(tree: OrgData, readFile?: ReadFile): FileOptions {
  const [own, all]: Values[] = [new Map(), new Map()]
  collect(tree, own!, null, new Set())
  collect(tree, all!, readFile ?? null, new Set())
  const first = (key: string) => all!.get(key)?.[0] ?? null
  const exportOptions = new Map<string, ExportValue>()
  for (const line of all!.get('OPTIONS') ?? []) readOptions(line, exportOptions)
  return {
    priorities: prioritiesOf(first('PRIORITIES') ?? ''),
    startup: startupOf(all!.get('STARTUP') ?? []),
    exportOptions,
    archive: first('ARCHIVE'),
    category: own!.get('CATEGORY')?.at(-1) ?? first('CATEGORY'),
    columns: first('COLUMNS'),
    constants: constantsOf(all!.get('CONSTANTS') ?? []),
    properties: propertiesOf(all!.get('PROPERTY') ?? []),
  }
}

function prioritiesOf(line: string): FileOptions['priorities'] {
  const words = line.split(/\s+/).filter((word) => word !== '')
  const [highest, lowest, fallback] = words.map((word) => /\d+/.exec(word)?.[0] ?? [...word][0]!)
  if (fallback === undefined) return { highest: 'A', lowest: 'C', default: 'B' }
  return { highest: highest!, lowest: lowest!, default: fallback }
}

function constantsOf(values: readonly string[]): Map<string, string> {
  const words = values.flatMap((value) => value.split(/\s+/))
  const found = words.map((word) => /^([a-zA-Z0][_a-zA-Z0-9]*)=(.*)/s.exec(word))
  return new Map(found.filter((match) => match !== null).map((match) => [match[1]!, match[2]!]))
}

function propertiesOf(values: readonly string[]): Map<string, string> {
  const found = new Map<string, string>()
  for (const value of values) {
    const match = /(\S+)[ \t]+(.*)/s.exec(value)
    if (match === null) continue
    const name = match[1]!.toUpperCase().replace(/\+$/, '')
    const old = match[1]!.endsWith('+') ? found.get(name) : undefined
    found.set(name, old === undefined ? match[2]! : `${old} ${match[2]}`)
  }
  return found
}
