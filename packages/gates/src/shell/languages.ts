import type { Argument, Role } from './options.ts'
import { type OptionRule, readOptions } from './options.ts'
import { isPrintedNumber } from './printed.ts'
import { type Field, plainField } from './words.ts'

/** What was understood of an argument list. */
export interface Understood {
  found: Argument[]
  /** Commands that would be run, with the folders that their files come from. */
  runs?: { argv: Field[]; roots: Field[] }[]
}

/** Reads an argument list; a string is the word that was not understood. */
export type LanguageReader = (fields: readonly Field[]) => Understood | string

function operand(role: Role, field: Field): Argument {
  return { role, field, option: null }
}

const findTests: Record<string, number> = Object.fromEntries([
  ...(
    '-print -print0 -ls -prune -quit -true -false -empty -depth -d -daystart -follow -mount -xdev -not -a ' +
    '-and -o -or -readable -writable -executable -nouser -nogroup -noleaf -ignore_readdir_race ( ) ! , ' +
    '-warn -nowarn'
  )
    .split(' ')
    .map((test) => [test, 0]),
  ...(
    '-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -type -xtype -size ' +
    '-mtime -atime -ctime -mmin -amin -cmin -newer -anewer -cnewer -newermt -newerct -newerat -perm -user ' +
    '-group -uid -gid -maxdepth -mindepth -links -inum -samefile -printf -regextype -fstype -used -context'
  )
    .split(' ')
    .map((test) => [test, 1]),
])

function readFind(fields: readonly Field[]): Understood | string {
  const found: Argument[] = []
  const runs: { argv: Field[]; roots: Field[] }[] = []
  let index = 0
  while (/^-([HLP]|O\d)$/.test(fields[index]?.value ?? '')) index++
  const roots: Field[] = []
  for (; index < fields.length; index++) {
    const field = fields[index]
    if (field === undefined || /^([-(!,]|\)$)/.test(field.value)) break
    if (field.value.startsWith('\0') || /^[*?[]/.test(field.value) || field.splits)
      return field.value
    roots.push(field)
    found.push(operand('name', field))
  }
  while (index < fields.length) {
    const test = fields[index++]
    if (test === undefined || !test.known || test.varying) return test?.value ?? ''
    if (/^-exec(dir)?$/.test(test.value)) {
      const end = fields.findIndex(({ value }, at) => {
        if (at < index) return false
        return value === ';' || (value === '+' && fields[at - 1]?.value === '{}')
      })
      if (end === -1) return test.value
      runs.push({ argv: fields.slice(index, end), roots })
      index = end + 1
      continue
    }
    const arity = findTests[test.value]
    if (arity === undefined) return test.value
    if (arity === 0) continue
    const value = fields[index++]
    if (value === undefined || value.splits || value.doubtful) return test.value
    if (test.value === '-perm' && /[4-7]\d{3}|s/.test(value.value)) return value.value
    if (value.glob && !/^[*?]*[.\w]/.test(value.value)) return value.value
    found.push({ role: findRole(test.value), field: value, option: test.value })
  }
  return runs.length === 0 ? { found } : { found, runs }
}

function findRole(test: string): Role {
  if (/name$|path$|regex$/.test(test)) return 'pattern'
  return /newer$|^-samefile$/.test(test) ? 'name' : 'text'
}

/** Whether a sed script only prints, deletes and substitutes. */
export function isSafeSed(script: string): boolean {
  let at = 0
  const skipPart = (delimiter: string): boolean => {
    const start = at
    for (; at < script.length && script[at] !== delimiter; at++) {
      if (script[at] === '\n') return false
      if (script[at] === '\\') at++
    }
    const part = script.slice(start, at++)
    return at <= script.length && !/\[[^\]]*$/.test(part)
  }
  const skipAddress = (): boolean => {
    if (script[at] === '\\' || script[at] === '/') {
      if (script[at] === '\\') at++
      const delimiter = script[at++] ?? ''
      if (!skipPart(delimiter)) return false
      while (/[IM]/.test(script[at] ?? '')) at++
      return true
    }
    at += /^(\d+|\$)?([~+]\d+)?/.exec(script.slice(at))?.[0].length ?? 0
    return true
  }
  while (at < script.length) {
    if (/[\s;{}]/.test(script[at] ?? '')) {
      at++
      continue
    }
    if (!skipAddress()) return false
    if (script[at] === ',') {
      at++
      if (!skipAddress()) return false
    }
    at += /^\s*!?\s*/.exec(script.slice(at))?.[0].length ?? 0
    const command = script[at++]
    if (command === undefined) return false
    if (command === '{') continue
    if (command === 's' || command === 'y') {
      const delimiter = script[at++] ?? ''
      if (!/[^\w\s\\]/.test(delimiter) || !skipPart(delimiter) || !skipPart(delimiter)) return false
      const flags = /^[a-zA-Z0-9]*/.exec(script.slice(at))?.[0] ?? ''
      if (!/^[gpiI0-9]*$/.test(flags) || (command === 'y' && flags !== '')) return false
      at += flags.length
    } else if (!/[pPdDqQnNgGhHxzl=]/.test(command)) return false
    else if (/[qQl]/.test(command)) at += /^\s*\d*/.exec(script.slice(at))?.[0].length ?? 0
    if (!/^\s*([;}\n]|$)/.test(script.slice(at))) return false
  }
  return true
}

/** Whether an awk program does nothing but compare and print. */
export function isSafeAwk(program: string): boolean {
  if (/system|getline|close|fflush|@|environ|arg[vc]|procinfo|\\\n/i.test(program)) return false
  if (/(?<!\|)\|(?!\|)|\|\|\|/.test(program)) return false
  const brace = program.indexOf('{')
  return !program.slice(brace === -1 ? program.length : brace).includes('>')
}

/** Whether a jq filter keeps to its input. */
export function isSafeJq(filter: string): boolean {
  return !/(?<![.\w$])env\b|\$(ENV|__prog)|\b(import|include|modulemeta|input_line_number|get_search_list|getpath\("env)|\$__loc__/.test(
    filter,
  )
}

const sedRule: OptionRule = {
  options:
    '-nErsuz -e: --quiet --silent --regexp-extended --null-data --separate --posix --sandbox --expression: --unbuffered',
  operands: 'script path*',
  instead: '-e --expression',
}

const awkRule: OptionRule = { options: '-F: -v: --', operands: 'script path*' }

const jqRule: OptionRule = {
  options:
    '-rcnsSMCaje --raw-output --compact-output --null-input --slurp --sort-keys --tab --indent: ' +
    '--exit-status --ascii-output --join-output --monochrome-output --color-output --stream --seq --raw-input -R',
  operands: 'script path*',
}

const yqRule: OptionRule = {
  options: '-rPjMC -o: -p: -I: --output-format: --input-format: --prettyPrint --no-colors',
  operands: 'script path*',
}

/** `--arg name value` gives a filter a value of its own, under a name. */
function readJq(fields: readonly Field[]): Understood | string {
  const rest: Field[] = []
  for (let index = 0; index < fields.length; index++) {
    const field = fields[index] as Field
    const [name, value] = [fields[index + 1], fields[index + 2]]
    if (!/^--arg(json)?$/.test(field.value)) rest.push(field)
    else if (
      name?.known !== true ||
      !/^\w+$/.test(name.value) ||
      value === undefined ||
      value.splits
    )
      return field.value
    else if (value.doubtful || value.varying) return value.value
    else index += 2
  }
  return withScript(jqRule, isSafeJq)(rest)
}

function withScript(
  rule: OptionRule,
  isSafe: (script: string) => boolean,
  scriptOptions: readonly string[] = [],
): LanguageReader {
  return (fields) => {
    const found = readOptions(rule, fields)
    if (typeof found === 'string') return found
    for (const { role, field, option } of found) {
      const isScript = role === 'script' || scriptOptions.includes(option ?? '')
      if (isScript && (!field.known || field.varying || !isSafe(field.value))) return field.value
      if (option === '-v' && !/^\w+=/.test(field.value)) return field.value
    }
    return { found }
  }
}

const isSafeYq = (filter: string) =>
  !/^(e|ea|eval|eval-all|help|completion|shell-completion)$/.test(filter) &&
  /^[.\w[\]"'|\s()-]*$/.test(filter) &&
  !/\b(env|strenv|load\w*|system|envsubst|eval)\b/.test(filter.replace(/\.\w+/g, ''))

const unaryTests = /^-[abcdefghkLnNOGprsStuwxz]$/
const binaryTests = /^(=|==|!=|-eq|-ne|-lt|-le|-gt|-ge|-nt|-ot|-ef|-a|-o)$/

/** Whether a word is an operator of `test` that needs no more than its operands. */
function isTestOperator(word: string): boolean {
  return unaryTests.test(word) || binaryTests.test(word)
}

/** What stands behind a hole that could be `-v` must leave it no operand. */
function mayBeOperator(next: string | undefined): boolean {
  return next !== undefined && !binaryTests.test(next) && next !== ')'
}

function readTest(fields: readonly Field[]): Understood | string {
  const found: Argument[] = []
  const words = fields.at(-1)?.value === ']' ? fields.slice(0, -1) : fields
  for (const [index, field] of words.entries()) {
    const { value } = field
    const before = words[index - 1]?.value ?? ''
    const isNumber = /^\d+$/.test(value)
    if (field.splits || field.doubtful || (field.varying && !isNumber)) return value
    if (isTestOperator(value) || /^[!()]$/.test(value)) continue
    if (/^-[a-zA-Z]$/.test(value) || value.startsWith('-\0')) return value
    if (
      /^-(eq|ne|lt|le|gt|ge)$/.test(before) ||
      /^-(eq|ne|lt|le|gt|ge)$/.test(words[index + 1]?.value ?? '')
    ) {
      if (!/^-?\d+$/.test(value) && !isPrintedNumber(field)) return value
    }
    if (value.startsWith('\0') && field.word !== true && mayBeOperator(words[index + 1]?.value))
      return value
    found.push(operand(unaryTests.test(before) && !/^-[nz]$/.test(before) ? 'name' : 'text', field))
  }
  return { found }
}

function readEcho(fields: readonly Field[]): Understood {
  return { found: fields.map((field) => operand('text', field)) }
}

function readPrintf(fields: readonly Field[]): Understood | string {
  const [format, ...rest] = fields[0]?.value === '--' ? fields.slice(1) : fields
  if (format === undefined || format.value.startsWith('-') || format.value.startsWith('\0')) {
    return format?.value ?? 'nothing behind it'
  }
  if (!format.known || format.varying || /%[^a-zA-Z%]*[hlLjztq]*n|%\(/.test(format.value))
    return format.value
  return { found: rest.map((field) => operand('text', field)) }
}

function readTar(fields: readonly Field[]): Understood | string {
  const [mode, ...rest] = fields
  if (mode === undefined || !/^-?[tvfzjJ]*t[tvzjJ]*f?$/.test(mode.value)) return mode?.value ?? ''
  const options: OptionRule = { options: '-vzjJ -f: -C@ --wildcards --exclude:', operands: 'path*' }
  const found = readOptions(options, rest)
  if (typeof found === 'string') return found
  const archive = found.find(({ field }) => /[:\0]/.test(field.value) || !field.known)
  if (archive !== undefined) return archive.field.value
  return {
    found: found.map((argument) =>
      argument.option === '-f' ? { ...argument, role: 'path' } : argument,
    ),
  }
}

function readUnzip(fields: readonly Field[]): Understood | string {
  if (!/^-[lZ][12vqshm]*$/.test(fields[0]?.value ?? ''))
    return fields[0]?.value ?? 'nothing behind it'
  const found = readOptions({ options: '-lZ12vqshm', operands: 'path text*' }, fields)
  return typeof found === 'string' ? found : { found }
}

function readPdftotext(fields: readonly Field[]): Understood | string {
  if (fields.at(-1)?.value !== '-') return fields.at(-1)?.value ?? 'nothing behind it'
  const options = '=-layout =-raw =-nopgbrk =-table =-simple -q -f: -l:'
  const found = readOptions({ options, operands: 'path path', least: 2 }, fields)
  return typeof found === 'string' ? found : { found }
}

const pandocRule: OptionRule = {
  options:
    '-s -f: -t: -r: -w: --from: --to: --read: --write: --standalone --toc --wrap: --columns: --number-sections ' +
    '--shift-heading-level-by: --sandbox',
  operands: 'path*',
  shape: /^(?!\w+:)/,
}

function readPandoc(fields: readonly Field[]): Understood | string {
  const found = readOptions(pandocRule, fields)
  if (typeof found === 'string') return found
  const odd = found.find(
    ({ option, field }) => option !== null && !(field.known && /^[\w+-]+$/.test(field.value)),
  )
  return odd?.field.value ?? { found }
}

function readSyntaxCheck(fields: readonly Field[]): Understood | string {
  const [flag, ...scripts] = fields
  if (flag?.value !== '-n') return flag?.value ?? 'nothing behind it'
  const odd = scripts.find(({ known, value }) => !known || /^[-+]/.test(value))
  if (odd !== undefined || scripts.length === 0) return odd?.value ?? 'nothing behind it'
  return { found: scripts.map((script) => operand('path', script)) }
}

function readXargs(fields: readonly Field[]): Understood | string {
  const flags = /^(-0|-r|-t|-x|--null|--no-run-if-empty|--verbose)$/
  const valued = /^(-n|-P|-L|-d|-s|-I|--max-args|--max-procs|--delimiter)$/
  let index = 0
  let hole: string | null = null
  for (; fields[index]?.value.startsWith('-') === true; index++) {
    const { value, known } = fields[index] as Field
    if (!known) return value
    if (flags.test(value) || /^-[nPLds]\S+$/.test(value)) continue
    if (/^-I./.test(value)) hole = value.slice(2)
    else if (valued.test(value)) {
      index++
      if (value === '-I') hole = fields[index]?.value ?? null
    } else return value
  }
  const argv = fields.slice(index)
  if (argv.length === 0) argv.push(plainField('echo'))
  const file: Field = { ...plainField('\0'), known: false, glob: true, varying: true }
  if (hole === null) return { found: [], runs: [{ argv: [...argv, file], roots: [] }] }
  const name = hole
  if (name === '' || argv[0]?.value.includes(name) === true) return name
  const filled = argv.map((field) =>
    field.value.includes(name) ? { ...file, value: field.value.replaceAll(name, '\0') } : field,
  )
  return { found: [], runs: [{ argv: filled, roots: [] }] }
}

function wrapper(options: OptionRule, before: number): LanguageReader {
  return (fields) => {
    let end = 0
    while (end < fields.length && fields[end]?.value.startsWith('-') === true) {
      const option = fields[end]?.value ?? ''
      const takesNext = options.options.split(' ').includes(`${option}:`)
      end += takesNext ? 2 : 1
    }
    const found = readOptions(options, fields.slice(0, end + before))
    if (typeof found === 'string') return found
    const argv = fields.slice(end + before)
    if (argv.length === 0) return 'nothing behind it'
    return { found, runs: [{ argv, roots: [] }] }
  }
}

function readCommand(fields: readonly Field[]): Understood | string {
  if (!/^-[vV]$/.test(fields[0]?.value ?? ''))
    return wrapper({ options: '-p', operands: '' }, 0)(fields)
  const found = readOptions({ options: '-vV', operands: 'text*' }, fields)
  return typeof found === 'string' ? found : { found }
}

function readEnv(fields: readonly Field[]): Understood | string {
  const first = fields.findIndex(({ value }) => !/^[A-Z_]+=/.test(value))
  if (first === -1) return 'env'
  const settings = fields.slice(0, first)
  const unknown = settings.find((field) => !field.known || !isHarmlessSetting(field.value))
  if (unknown !== undefined) return unknown.value
  if (fields[first]?.value.startsWith('-') === true) return fields[first]?.value ?? ''
  return { found: [], runs: [{ argv: fields.slice(first), roots: [] }] }
}

/** Whether setting this variable, as `NAME=value`, changes nothing but how something is shown. */
export function isHarmlessSetting(setting: string): boolean {
  return (
    /^(LC_[A-Z]+|LANG|LANGUAGE)=[\w.@-]*$/.test(setting) ||
    /^TZ=[A-Z][\w+/-]*$/.test(setting) ||
    /^(NO_COLOR|FORCE_COLOR|CLICOLOR|COLUMNS|LINES|GIT_OPTIONAL_LOCKS|TERM)=[\w-]*$/.test(
      setting,
    ) ||
    /^(GIT_PAGER|PAGER|MANPAGER|SYSTEMD_PAGER)=(cat)?$/.test(setting)
  )
}

/** The programs that are read by a function, by name. */
export const languages: ReadonlyMap<string, LanguageReader> = new Map<string, LanguageReader>([
  ['find', readFind],
  ['sed', withScript(sedRule, isSafeSed, ['-e', '--expression'])],
  ['gsed', withScript(sedRule, isSafeSed, ['-e', '--expression'])],
  ...['awk', 'gawk', 'mawk', 'nawk'].map((name) => [name, withScript(awkRule, isSafeAwk)] as const),
  ['jq', readJq],
  ['yq', withScript(yqRule, isSafeYq)],
  ['test', readTest],
  ['[', readTest],
  ['echo', readEcho],
  ['printf', readPrintf],
  ['tar', readTar],
  ['unzip', readUnzip],
  [
    'zipinfo',
    (fields) =>
      readUnzip([
        { value: '-Z', known: true, glob: false, splits: false, doubtful: false, varying: false },
        ...fields,
      ]),
  ],
  ['pdftotext', readPdftotext],
  ['pandoc', readPandoc],
  ['bash', readSyntaxCheck],
  ['sh', readSyntaxCheck],
  ['xargs', readXargs],
  ['command', readCommand],
  ['env', readEnv],
  ['nice', wrapper({ options: '-n: -#', operands: '' }, 0)],
  [
    'timeout',
    wrapper(
      {
        options: '-k: -s: --foreground --preserve-status',
        operands: 'text',
        shape: /^\d+(\.\d+)?[smh]?$/,
      },
      1,
    ),
  ],
  ['stdbuf', wrapper({ options: '-i: -o: -e:', operands: '' }, 0)],
  ['time', wrapper({ options: '-p -v', operands: '' }, 0)],
])
