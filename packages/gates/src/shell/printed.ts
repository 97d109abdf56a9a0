import type { PathPlaces } from '../paths/paths.ts'
import { judgeRead } from '../paths/secret.ts'
import { gitRuleOf } from './git.ts'
import { type Argument, flagsOf } from './options.ts'
import { programs } from './programs.ts'
import { type Field, plainField } from './words.ts'

/** A command of a pipeline, as it was understood. */
export interface Stage {
  program: string
  found: readonly Argument[]
  words: readonly string[]
  /** It reads something else than what the stage before it prints. */
  fed: boolean
}

/** What a command can print. */
export interface Printed {
  roots: readonly string[]
  shapes: readonly Field[]
}

/** A stage about which nothing is known. */
export const opaque: Stage = { program: '', found: [], words: [], fed: true }

/** Where the line stands: its folders, and the places that paths are judged in. */
interface Standing {
  folders: ReadonlySet<string>
  places: PathPlaces
}

const keepsWith: Record<string, RegExp> = {
  head: /^(-n|--lines|-q|-\d+)$/,
  tail: /^(-n|--lines|-q|-\d+)$/,
  sort: /^-|^$/,
  uniq: /^(-[diuz]|--repeated|--unique|--ignore-case)$/,
  tac: /^$/,
  grep: /^(-[ivEFGPwxe]|--invert-match|--ignore-case|--regexp|--extended-regexp|--fixed-strings)$/,
}

function keepsLines(stage: Stage): boolean {
  const name = stage.program.replace(/^[ef]grep$/, 'grep')
  const allowed = keepsWith[name]
  if (allowed === undefined || stage.fed) return false
  if (stage.found.some(({ role }) => role === 'path' || role === 'tree')) return false
  const flags = flagsOfProgram(stage)
  if (flags === null || ![...flags].every((flag) => allowed.test(flag))) return false
  return name !== 'grep' || flags.has('-v') || flags.has('--invert-match') || !picksSecret(stage)
}

function flagsOfProgram({ program, words }: Stage): ReadonlySet<string> | null {
  const rule = programs().get(program)
  return rule === undefined ? null : flagsOf(rule, words)
}

const secretNames =
  '.env .env.local .env.production .netrc .pgpass .npmrc .git-credentials .htpasswd id_rsa id_ed25519 server.key cert.pem ' +
  'credentials.json secrets.yaml wallet.dat token.txt shadow .bash_history .aws/credentials .ssh/config service-account.json'
const plainNames =
  'notes.org main.ts README.md src/app.js package.json data.csv a.txt docs/index.html lib/b.py Makefile image.png config.yaml'

function picksSecret({ found }: Stage): boolean {
  const patterns = found.filter(({ role, option }) => role === 'pattern' || option !== null)
  return patterns.some(({ field }) => keepsOnlySecrets(field.value))
}

function keepsOnlySecrets(source: string): boolean {
  if (source.length > 80 || /[)\]}*+?][*+?{]|\)\W*[*+{]/.test(source)) return true
  if ((source.match(/[*+{]/g)?.length ?? 0) > 3) return true
  try {
    const expression = new RegExp(source.replaceAll('\\|', '|'), 'i')
    const keeps = (names: string) =>
      names.split(' ').some((name) => expression.test(`./${name}`) || expression.test(name))
    return keeps(secretNames) && !keeps(plainNames)
  } catch {
    return true
  }
}

function fieldOf(value: string, word = false): Field {
  return { ...plainField(value), known: false, glob: true, ...(word && { word }) }
}

function below(root: string): Field[] {
  const folder = root.endsWith('/') ? root : `${root}/`
  return [fieldOf(`${folder}\0`), fieldOf(root)]
}

function isKnown({ known, glob }: Field): boolean {
  return known || glob
}

function operandsOf({ found }: Stage, roles: RegExp): Field[] | null {
  const fields = found
    .filter(({ role, option }) => option === null && roles.test(role))
    .map(({ field }) => field)
  return fields.every(isKnown) ? fields : null
}

function namesUnder(stage: Stage, roles: RegExp, places: PathPlaces): Printed | null {
  const roots = operandsOf(stage, roles)?.map(({ value }) => value)
  if (roots === undefined || isNeedle(stage, places)) return null
  if (roots.length > 0) return { roots, shapes: roots.flatMap(below) }
  return { roots: ['.'], shapes: stage.program === 'find' ? below('.') : [fieldOf('\0')] }
}

/** Whether a command looks for names that only secrets have. */
export function isNeedle(
  { found, program, words }: Pick<Stage, 'found' | 'program' | 'words'>,
  places: PathPlaces,
): boolean {
  const expressions = program === 'find' ? soughtByFind(words, /^-i?regex$/) : []
  if (program.startsWith('fd')) {
    const sought = found.filter(({ role, option }) => role === 'pattern' && option === null)
    expressions.push(...sought.map(({ field }) => field.value))
  }
  if (expressions.some(keepsOnlySecrets)) return true
  const globs = found.filter(({ option }) => /^(-g|--glob|--iglob|--include)$/.test(option ?? ''))
  const names =
    program === 'find'
      ? soughtByFind(words, /^-i?(name|path|wholename)$/)
      : globs.map(({ field }) => field.value)
  return names.some((name) => namesNeedle(name, places))
}

/** A star at the beginning stands for a dot as well, unlike in a shell. */
function namesNeedle(name: string, places: PathPlaces): boolean {
  const inside = name
    .replace(/^!.*/, '')
    .replace(/^(\*+\/|\.\/)+/, '')
    .replace(/\/\*+$/, '')
  return [inside, inside.replace(/^[*?]/, '.')].some(
    (each) => judgeRead(each, { ...places, privateFiles: undefined }).level !== 'plain',
  )
}

/** The names that find is to look for, without those that it is to leave out. */
function soughtByFind(words: readonly string[], tests: RegExp): string[] {
  return words.flatMap((word, index) => {
    const isName = tests.test(word)
    const isLeftOut = /^(-not|!)$/.test(words[index - 1] ?? '') || words[index + 2] === '-prune'
    return isName && !isLeftOut ? [words[index + 1] ?? ''] : []
  })
}

const listsNames: Record<string, RegExp> = {
  rg: /^(-[liwFsSPuU.]|--files|--files-with-matches|--fixed-strings|--ignore-case|--word-regexp|--hidden|--no-ignore|-[egtT]|--glob|--type|--type-not|--iglob|--sort|--sortr|--null|-0|--no-messages|--max-depth|-d)$/,
  grep: /^(-[lirRwxEFGPIsZeh]|--files-with-matches|--recursive|--include|--exclude|--exclude-dir|--ignore-case|--null)$/,
  fd: /^(?!-l$|--list-details$|-x$|-X$)-/,
  ls: /^(-[1dtrSUXvcupF]|--sort|--reverse|--directory|--group-directories-first)$/,
}

function namesOf(stage: Stage, places: PathPlaces): Printed | null {
  const program = stage.program.replace(/^[ef]grep$/, 'grep').replace('fdfind', 'fd')
  if (program === 'find') {
    if (stage.words.some((word) => /^-(printf|ls|fls|fprint)/.test(word))) return null
    return namesUnder(stage, /^name$/, places)
  }
  const allowed = listsNames[program]
  const flags = flagsOfProgram(stage)
  if (allowed === undefined || flags === null || ![...flags].every((flag) => allowed.test(flag)))
    return null
  if (program === 'fd') return namesUnder(stage, /^name$/, places)
  if (program === 'ls') return listed(stage, flags.has('-d'))
  const saysNames = ['-l', '--files', '--files-with-matches'].some((flag) => flags.has(flag))
  if (!saysNames) return null
  if (program === 'rg') return namesUnder(stage, /^tree$/, places)
  const files = operandsOf(stage, /^(path|tree)$/)
  if (files === null || isNeedle(stage, places)) return null
  const walks = ['-r', '-R', '--recursive'].some((flag) => flags.has(flag))
  if (walks) return namesUnder(stage, /^(path|tree)$/, places)
  return files.length === 0
    ? null
    : { roots: [], shapes: files.map((field) => fieldOf(field.value)) }
}

function listed(stage: Stage, itself: boolean): Printed | null {
  const given = operandsOf(stage, /^name$/)
  if (given === null) return null
  const shapes = given.map(({ value }) => fieldOf(value))
  const isFolder = !itself && !given.every(({ value }) => /\.\w{1,4}$/.test(value))
  return isFolder || given.length === 0
    ? { roots: ['.'], shapes: [...shapes, fieldOf('\0')] }
    : { roots: [], shapes }
}

const gitNames: Record<string, RegExp> = {
  'ls-files':
    /^(-[cdomuz]|--cached|--deleted|--others|--modified|--exclude-standard|--exclude|-x)$/,
  diff: /^(--name-only|--cached|--staged|-z|--diff-filter|--relative|--no-renames|--merge-base)$/,
  grep: /^(-[liwEFGPIev]|--files-with-matches|--name-only|--cached|--ignore-case|--word-regexp)$/,
}

const digest = fieldOf('[0-9a-f]', true)
const reference = fieldOf('\0', true)

function printedByGit(stage: Stage, standing: Standing): Printed | null {
  const at = stage.words.findIndex(
    (word, index) => !word.startsWith('-') && stage.words[index - 1] !== '-C',
  )
  const command = stage.words[at] ?? ''
  const rule = gitRuleOf(command)
  const flags = rule === null ? null : flagsOf(rule, stage.words.slice(at + 1))
  if (flags === null || stage.words.includes('-C')) return null
  const has = (...names: string[]) => names.some((name) => flags.has(name))
  const only = (allowed: RegExp) => [...flags].every((flag) => allowed.test(flag))
  const names = gitNames[command]
  if (names !== undefined) {
    const says = command === 'ls-files' || has('--name-only', '-l', '--files-with-matches')
    const given = operandsOf(stage, /^(name|revision)$/)
    if (
      !says ||
      !only(names) ||
      given === null ||
      given.some(({ value }) => /^:|\.\.(\/|$)/.test(value))
    )
      return null
    if (given.some(({ value }) => judgeRead(value, standing.places).level !== 'plain')) return null
    return { roots: ['.', ...given.map(({ value }) => value)], shapes: [fieldOf('\0')] }
  }
  if (command === 'rev-parse') return parsed(stage, flags, standing)
  if (command === 'merge-base' && flags.size === 0) return { roots: [], shapes: [digest] }
  if (
    command === 'rev-list' &&
    only(/^(-n|-\d+|--max-count|--all|--count|--since|--until|--reverse|--first-parent)$/)
  )
    return { roots: [], shapes: [digest] }
  if (command === 'branch' && flags.size === 1 && has('--show-current'))
    return { roots: ['.'], shapes: [reference] }
  if (command === 'describe') return { roots: ['.'], shapes: [reference] }
  return command === 'log' ? formatted(stage, flags) : null
}

function parsed(
  stage: Stage,
  flags: ReadonlySet<string>,
  { folders, places }: Standing,
): Printed | null {
  const given = operandsOf(stage, /^revision$/)
  if (given === null) return null
  if (flags.size === 1 && flags.has('--show-toplevel') && given.length === 0) {
    return { roots: [], shapes: [...folders].flatMap((folder) => upwards(folder, places.home)) }
  }
  const allowed = /^(--short|--verify|--abbrev-ref|-q|--quiet|--symbolic-full-name)$/
  if (![...flags].every((flag) => allowed.test(flag))) return null
  if (!given.every(({ value }) => /^(HEAD|@|\w[\w-]*(\/\w[\w-]*)*)([~^]\d*)*$/.test(value)))
    return null
  return {
    roots: ['.'],
    shapes: [...given.map(({ value }) => fieldOf(value, true)), digest, reference],
  }
}

function upwards(folder: string, home: string): Field[] {
  const parts = folder.split('/').filter((part) => part !== '')
  const all = parts.map((_, index) => `/${parts.slice(0, parts.length - index).join('/')}`)
  const inHome = all.filter((each) => each === home || each.startsWith(`${home}/`))
  return (inHome.length > 0 ? inHome : [...all, '/']).map((each) => ({
    ...plainField(each),
    varying: all.length > 1,
  }))
}

function formatted(stage: Stage, flags: ReadonlySet<string>): Printed | null {
  const format = stage.found.find(({ option }) => option === '--format' || option === '--pretty')
  const allowed =
    /^(-n|-\d+|--max-count|--format|--pretty|--since|--until|--author|--all|--reverse|--first-parent|--merges|--no-merges|-s|--no-patch)$/
  const plain = /^(format:)?(%[hHtT]|%[ac][ts])$/.test(format?.field.value ?? '')
  return plain && [...flags].every((flag) => allowed.test(flag))
    ? { roots: [], shapes: [digest] }
    : null
}

const widths: Record<string, string> = {
  F: '####-##-##',
  T: '##:##:##',
  R: '##:##',
  Y: '####',
  ...Object.fromEntries(Array.from('mdHMSyVUWCIg', (letter) => [letter, '##'])),
  j: '###',
  u: '#',
  w: '#',
  s: '##########',
  N: '#########',
  G: '####',
}

function printedDate({ found, words }: Stage): Printed | null {
  const format = found.find(({ option }) => option === null)?.field
  if (format === undefined) {
    const isIso =
      words.every((word) => /^(-I|-Idate|-u)$/.test(word)) &&
      words.some((word) => word.startsWith('-I'))
    return isIso ? { roots: [], shapes: [fieldOf(digits('####-##-##'), true)] } : null
  }
  if (!format.known || !/^\+([\w.:+@,-]|\/(?!\.)|%-?[a-zA-Z])*$/.test(format.value)) return null
  const known = [...format.value.matchAll(/%-?([a-zA-Z])/g)].every(
    ([, letter = '']) => letter in widths,
  )
  if (!known) return null
  const shape = format.value
    .slice(1)
    .replace(/%-?([a-zA-Z])/g, (_, letter: string) => widths[letter] ?? '')
  return { roots: [], shapes: [fieldOf(digits(shape), !shape.startsWith('-'))] }
}

function digits(shape: string): string {
  return shape.replaceAll('#', '[0-9]')
}

const number: Printed = { roots: [], shapes: [fieldOf('[0-9]', true)] }

/** Whether a field stands for a number that a command will print. */
export function isPrintedNumber({ value, word }: Field): boolean {
  return word === true && value === '[0-9]'
}

function printedOther(stage: Stage, standing: Standing): Printed | null {
  const { program, words, found } = stage
  const operands = found.filter(({ option }) => option === null)
  if (/^(nproc|seq)$/.test(program)) return number
  if (program === 'wc' && operands.length === 0 && /^-[lwcm]$/.test(words.join(' '))) return number
  if (program === 'id' && /^-u$/.test(words.join(' '))) return number
  if (
    program === 'grep' &&
    operands.length === 1 &&
    /^-c$/.test(words[0] ?? '') &&
    words.length === 2
  )
    return number
  if (program === 'date') return printedDate(stage)
  if (program === 'pwd')
    return { roots: [], shapes: [...standing.folders].map((folder) => plainField(folder)) }
  if (program === 'whoami' || (program === 'hostname' && words.length === 0))
    return { roots: ['.'], shapes: [reference] }
  if (program === 'which' || (program === 'command' && words[0] === '-v')) {
    const names = operands.map(({ field }) => field)
    if (!names.every(({ known }) => known) || !names.every(({ value }) => /^[\w.+-]+$/.test(value)))
      return null
    return { roots: [], shapes: names.map(({ value }) => fieldOf(`/usr/bin/${value}`, true)) }
  }
  return null
}

/** What the stages of a pipeline print at its end, or null when nothing is known about it. */
export function printedBy(stages: readonly Stage[], standing: Standing): Printed | null {
  for (const [index, stage] of [...stages].reverse().entries()) {
    const isFirst = index === stages.length - 1
    if (!isFirst && keepsLines(stage)) continue
    if (stage.program === 'git') return printedByGit(stage, standing)
    return namesOf(stage, standing.places) ?? printedOther(stage, standing)
  }
  return null
}
