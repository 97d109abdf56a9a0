import { basename } from 'node:path'
import {
  type ArrayValue,
  type Command,
  forEachChild,
  parse,
  type Redirection,
  type SyntaxNode,
  type Word,
} from 'unbash'
import { expandPath, isSecretPath, type PathPlaces } from './secret-paths.ts'

/** What is to be done with a command line, and why. */
export type ShellJudgment =
  | { kind: 'understood' }
  | { kind: 'ask'; reason: string }
  | { kind: 'forbid'; reason: string }

/** The longest command line that is read at all, in UTF-16 units. */
export const shellLengthMax = 10_000

function nodesOf(root: SyntaxNode): SyntaxNode[] {
  const nodes = [root]
  for (const node of nodes) {
    forEachChild(node, (child) => {
      nodes.push(child)
    })
  }
  return nodes
}

interface Words {
  /** The name and the arguments, unquoted; expansions as written. */
  argv: string[]
  /** Whether every word is literal, and nothing is assigned or redirected. */
  literal: boolean
  redirections: readonly Redirection[]
  /** Text that a here-document or here-string feeds to the command. */
  input: string[]
}

function wordsOf(command: Command): Words {
  const words: Words = { argv: [], literal: true, redirections: [], input: [] }
  if (command.name !== undefined) words.argv.push(command.name.value)
  const parts = [...command.prefix, ...command.suffix]
  words.redirections = parts.filter(isRedirection)
  for (const part of command.suffix) {
    if (part.type === 'Word') words.argv.push(part.value)
    if (part.type === 'Assignment') words.argv.push(part.text)
  }
  for (const part of words.redirections) {
    if (part.type === 'HereDoc') words.input.push(part.body.text)
    if (part.type === 'HereString' && part.target !== undefined) words.input.push(part.target.value)
  }
  words.literal =
    command.prefix.length === 0 &&
    words.redirections.length === 0 &&
    [command.name, ...command.suffix].every((part) => part?.type === 'Word' && isLiteral(part))
  return words
}

function isRedirection(part: SyntaxNode): part is Redirection {
  return part.type === 'Redirect' || part.type === 'HereDoc' || part.type === 'HereString'
}

function isLiteral(word: Word | ArrayValue): boolean {
  if (word.type !== 'Word') return false
  if (/^~/.test(word.text)) return false
  return (word.parts ?? []).every(
    (part) =>
      part.type === 'Literal' ||
      part.type === 'SingleQuoted' ||
      (part.type === 'DoubleQuoted' && part.parts.every((inner) => inner.type === 'Literal')),
  )
}

const wrappers = new Set(
  (
    'sudo doas env nice ionice nohup time timeout xargs parallel command exec builtin stdbuf setsid ' +
    'busybox chroot unshare nsenter su watch find fd strace ltrace script flock systemd-run eval'
  ).split(' '),
)

const interpreters = new Set(
  (
    'sh bash dash zsh ksh fish ash eval source . python python3 perl ruby node php lua awk gawk tclsh ' +
    'pwsh su script watch xargs parallel env sudo doas ssh emacs vim ed make'
  ).split(' '),
)

const shells = new Set(
  'sh bash dash zsh ksh fish ash source . python python3 perl ruby node'.split(' '),
)

function programOf(word: string | undefined): string {
  return basename(word ?? '').toLowerCase()
}

const roots = new Set(
  '/ /bin /boot /dev /etc /home /lib /lib64 /opt /proc /root /sbin /sys /usr /var /mnt /media /srv'.split(
    ' ',
  ),
)

function isRoot(word: string, places: PathPlaces): boolean {
  const known = word.replace(/\$\{?HOME\}?/g, places.home).replace(/[$`].*$/s, '')
  const target = known.replace(/\/[*.?]+$/, '/')
  if (target === '' && word !== '') return false
  if (word === '*' || word === '.' || word === './*' || word === '..') return true
  const path = expandPath(target === '' ? '.' : target, places).replace(/(?<=.)\/$/, '')
  return roots.has(path) || path === places.home || path === places.cwd || isAbove(path, places)
}

function isAbove(path: string, places: PathPlaces): boolean {
  return `${places.home}/`.startsWith(`${path}/`) || `${places.cwd}/`.startsWith(`${path}/`)
}

function catastropheOf(argv: string[], places: PathPlaces): string | null {
  const program = programOf(argv[0])
  const args = argv.slice(1)
  const plain = args.filter((arg) => !arg.startsWith('-'))
  const recursive = args.some((arg) =>
    /^(-[a-zA-Z]*[rR]|--r[ecursiv]*$|--no-preserve-root)/.test(arg),
  )
  const atRoot = plain.some((arg) => isRoot(arg, places))
  if (program === 'rm' && recursive && atRoot) return 'it removes a whole tree that must stay'
  if (/^(chmod|chown|chgrp)$/.test(program) && recursive && atRoot) {
    return 'it changes who may read a whole system tree'
  }
  if (
    program === 'find' &&
    atRoot &&
    args.some((arg) => arg === '-delete' || programOf(arg) === 'rm')
  ) {
    return 'it deletes whatever it finds under a root'
  }
  if (program === 'mv' && plain[0] !== undefined && isRoot(plain[0], places)) {
    return 'it moves a root directory away'
  }
  if (/^(mkfs(\..+)?|wipefs|mkswap|fdisk|sfdisk|parted|blkdiscard)$/.test(program)) {
    return 'it overwrites a file system'
  }
  if (
    /^(dd|shred|tee|cp)$/.test(program) &&
    args.some((arg) => /^(of=)?\/dev\/(sd|hd|vd|xvd|nvme|mmcblk|mem|disk)/.test(arg))
  ) {
    return 'it writes to a disk directly'
  }
  if (/^(shutdown|reboot|halt|poweroff)$/.test(program)) return 'it stops the machine'
  return null
}

function redirectionTrouble(
  redirections: readonly Redirection[],
  places: PathPlaces,
): string | null {
  for (const redirection of redirections) {
    if (redirection.type !== 'Redirect' || redirection.target === undefined) continue
    const path = expandPath(redirection.target.value, places)
    if (redirection.operator === '<' || redirection.operator === '<&') continue
    if (/^\/dev\/(sd|hd|vd|xvd|nvme|mmcblk|mem)/.test(path)) return 'it writes to a disk directly'
    if (/^\/(etc|boot|bin|sbin|usr|lib)\//.test(path)) return 'it overwrites a system file'
  }
  return null
}

function secretIn(words: string[], places: PathPlaces): string | null {
  for (const word of words) {
    if (/\s/.test(word)) continue
    for (const piece of [word, ...word.split(/[=@:,]/)]) {
      if (piece !== '' && isSecretPath(piece, places)) return word
    }
  }
  return null
}

function forbidden(source: string, places: PathPlaces, depth: number): string | null {
  if (depth > 4) return 'it hides commands inside commands more than four deep'
  const nodes = nodesOf(parse(source))
  const commands = nodes.filter((node) => node.type === 'Command').map((node) => wordsOf(node))
  const programs = commands.map(({ argv }) => programOf(argv[0]))
  if (
    programs.some((name) => name === 'curl' || name === 'wget') &&
    programs.some((name) => shells.has(name))
  ) {
    return 'it runs what it has just downloaded'
  }
  if (nodes.some((node) => isForkBomb(node))) return 'it is a fork bomb'
  const texts: string[] = []
  for (const { argv, redirections, input } of commands) {
    const tails = wrappers.has(programOf(argv[0]))
      ? argv.map((_, index) => argv.slice(index))
      : [argv]
    for (const tail of tails) {
      const reason = catastropheOf(tail, places)
      if (reason !== null) return reason
    }
    const damage = redirectionTrouble(redirections, places)
    if (damage !== null) return damage
    const targets = redirections.flatMap((part) =>
      'target' in part && part.target ? [part.target.value] : [],
    )
    const secret = secretIn([...argv, ...targets], places)
    if (secret !== null) return `it touches ${secret}, which is secret`
    texts.push(...input, ...argv.slice(1).filter((word) => /\s/.test(word)))
    if (argv.some((word) => interpreters.has(programOf(word)))) texts.push(...argv.slice(1))
  }
  const interpreted = commands.some(({ argv }) =>
    argv.some((word) => interpreters.has(programOf(word))),
  )
  if (!interpreted) return null
  return (
    texts.map((text) => forbidden(text, places, depth + 1)).find((reason) => reason !== null) ??
    null
  )
}

function isForkBomb(node: SyntaxNode): boolean {
  if (node.type !== 'Function') return false
  const name = node.name.value
  const inner = nodesOf(node.body)
  const calls = inner.some((part) => part.type === 'Command' && part.name?.value === name)
  return calls && inner.some((part) => 'background' in part && part.background === true)
}

const harmless: Record<string, RegExp> = {
  pwd: /^-[LP]$/,
  date: /^(\+.*|-u|-I|-R)$/,
  whoami: /^$/,
  uptime: /^-p$/,
  uname: /^-[amnrs]$/,
  cal: /^\d{1,4}$/,
  ls: /^(-[1aAlhtrRS]+|[^-~$].*)$/,
}

function isUnderstood(source: string, places: PathPlaces): boolean {
  const script = parse(source)
  if (script.commands.length !== 1) return false
  const [statement] = script.commands
  if (statement?.background === true || statement?.command.type !== 'Command') return false
  const { argv, literal } = wordsOf(statement.command)
  const options = harmless[argv[0] ?? '']
  if (!literal || options === undefined) return false
  const inside = (path: string) =>
    `${places.realPath(expandPath(path, places))}/`.startsWith(`${places.cwd}/`)
  return argv
    .slice(1)
    .every(
      (word) => options.test(word) && (argv[0] !== 'ls' || word.startsWith('-') || inside(word)),
    )
}

/** Judges a command line. Total: every string gets an answer, and "understood" only a harmless one. */
export function judgeShell(command: string, places: PathPlaces): ShellJudgment {
  if (command.length > shellLengthMax)
    return { kind: 'ask', reason: 'the command is too long to read' }
  if (
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/.test(
      command,
    )
  ) {
    return { kind: 'forbid', reason: 'it contains characters that cannot be seen' }
  }
  try {
    const reason = forbidden(command, places, 0)
    if (reason !== null) return { kind: 'forbid', reason }
    const errors = parse(command).errors ?? []
    if (errors[0] !== undefined)
      return { kind: 'ask', reason: `the shell syntax is doubtful: ${errors[0].message}` }
    if (isUnderstood(command, places)) return { kind: 'understood' }
  } catch {
    return { kind: 'ask', reason: 'the command cannot be read' }
  }
  return { kind: 'ask', reason: 'a shell command runs with your rights' }
}
