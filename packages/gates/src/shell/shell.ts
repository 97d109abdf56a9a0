import { parse } from 'unbash'
import type { PathPlaces } from '../paths/paths.ts'
import { judgeRead } from '../paths/secret.ts'
import { judgeWrite } from '../paths/write.ts'
import { findCatastrophe } from './catastrophes.ts'
import { type Run, type Runs, readPrinted, readRuns } from './commands.ts'
import { findLeak } from './network.ts'
import type { Doubt } from './reader-state.ts'
import { findDoubt } from './readonly.ts'
import { workOf } from './work.ts'

/** What is to be done with a command line, by which rule, and why. */
type ShellJudgment =
  | { kind: 'understood' }
  | { kind: 'ask'; rule: string; reason: string }
  | { kind: 'forbid'; rule: string; reason: string }

/** The longest command line that is read at all, in UTF-16 units. */
export const shellLengthMax = 10_000

const hiding =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069\ufffe\uffff]/
const invisible = /\p{Default_Ignorable_Code_Point}|(?! )\p{Zs}|\p{Co}|\p{Cn}|[\r\u2800]/u

const revealing = new Set(
  (
    'cat tac nl head tail less more most bat batcat view strings xxd od hexdump base64 base32 basenc grep ' +
    'egrep fgrep zgrep rg ag ack awk gawk mawk sed cut sort uniq paste join comm diff cmp jq yq column fold ' +
    'fmt tr rev cp rsync scp sftp curl wget nc ncat netcat socat tar zip gzip bzip2 xz 7z 7za rar ar ' +
    'cpio split csplit dd mail mailx mutt sendmail ln link install python python3 perl ruby node php ' +
    'lua bash sh zsh dash ksh fish eval xargs parallel iconv uuencode qrencode pandoc pr look ' +
    'zcat bzcat xzcat gunzip unzip file shuf ex ed vi sponge xclip xsel wl-copy pbcopy git aws gsutil ' +
    'rclone http https busybox toybox script printf mapfile readarray read ssh wall'
  ).split(' '),
)

const usesKey =
  /^(?:ssh|scp|sftp|mosh|autossh|rsync|ssh-copy-id|ssh-keygen|age|grep|rg|fd|find|curl|docker)$/
const usesOnly =
  /^(-i|-F|-key|-inkey|-CAkey|--key|--cert|--cacert|--identity|--private-key|--env-file|--kubeconfig|-o|-e|--exclude|-name|-iname|--include|-x|-E|--glob|-g)$/

function findSecret(run: Run, places: PathPlaces): { word: string; rule: string } | null {
  const words = run.argv.slice(1).map(({ value }) => value)
  const isCopy = /^(cp|mv|install|ln|rsync|scp)$/.test(run.program)
  const skipsFirst = /^(e?grep|fgrep|zgrep|rg|ag|ack|sed|awk|gawk|jq|tr|perl)$/.test(run.program)
  let operands = 0
  for (const [index, word] of words.entries()) {
    if (!word.startsWith('-')) operands++
    if (skipsFirst && operands === 1 && !word.startsWith('-') && !/^[~/][\w./-]+$/.test(word))
      continue
    const before = words[index - 1] ?? ''
    if (
      usesOnly.test(before) &&
      (!/^-[iF]$/.test(before) || usesKey.test(run.program)) &&
      (!/^(curl|wget)$/.test(run.program) || /^--(key|cert|cacert)$/.test(before))
    )
      continue
    if (/^--(exclude|include|glob|ignore|env-file|key|cert|identity)/.test(word)) continue
    if (isCopy && index === words.length - 1 && index > 0) continue
    if (isCopy && /^\.env[.\w]*$/.test(word) && /^\.env[.\w]*$/.test(words.at(-1) ?? '')) continue
    const found = secretPiece(word, places)
    if (found !== null) return { word, rule: found }
  }
  for (const path of run.reads) {
    const found = secretPiece(path, places)
    if (found !== null) return { word: path, rule: found }
  }
  return null
}

function secretPiece(word: string, places: PathPlaces): string | null {
  const isText = /[\s'"()]/.test(word)
  const pieces = isText ? word.split(/[\s'"(),;]+/) : [word]
  if (/[=@:,]/.test(word) && !isText) pieces.push(...word.split(/[=@:,]/))
  if (/^-[a-zA-Z]/.test(word) && !isText) pieces.push(word.slice(2))
  for (const piece of pieces.slice(0, 50)) {
    if (piece.length < 4 || piece.replaceAll('\0', '') === '' || piece.includes('{')) continue
    if (isText && /[[\]()^|\\*]/.test(piece)) continue
    const { level, rule } = judgeRead(piece, places)
    if (level === 'secret') return rule
  }
  return null
}

function judgeSecrets(runs: readonly Run[], places: PathPlaces): ShellJudgment | null {
  let question: ShellJudgment | null = null
  for (const run of runs) {
    const found = findSecret(run, places)
    if (found === null) continue
    const reason = `it touches ${shown(found.word)}, which is secret`
    const isEdit =
      run.program === 'sed' && run.argv.some(({ value }) => /^(-[a-zA-Z]*i|--in-place)/.test(value))
    const isShown = (revealing.has(run.program) && !isEdit) || run.reads.includes(found.word)
    const isHarmlessGit =
      run.program === 'git' &&
      !/^(show|diff|log|blame|cat-file|grep|hash-object|archive|apply)$/.test(
        run.argv[1]?.value ?? '',
      )
    if (isShown && !isHarmlessGit) return { kind: 'forbid', rule: found.rule, reason }
    question ??= { kind: 'ask', rule: found.rule, reason }
  }
  return question
}

function shown(text: string): string {
  const visible = text.replaceAll('\0', '…')
  return visible.length > 100 ? `${visible.slice(0, 100)}…` : visible
}

function question(found: Runs, doubt: Doubt, places: PathPlaces): ShellJudgment {
  for (const run of found.runs) {
    const targets = [...run.writes, ...writtenBy(run), ...optionValues(run)]
    for (const target of targets) {
      const { level, rule, reason } = judgeWrite(target, places)
      if (level === 'guarded') {
        return { kind: 'ask', rule, reason: `it writes to ${shown(target)}: ${reason}` }
      }
    }
  }
  const works =
    doubt.explained === true ? [] : found.runs.map(workOf).filter((work) => work !== null)
  const work = works.find(({ rule }) => rule === 'network.connection') ?? works[0]
  const { rule, reason } = work ?? doubt
  return { kind: 'ask', rule, reason }
}

const valuesMax = 40

/** What stands behind an option or an equals sign, in each of the ways in which it may be written. */
function optionValues({ program, argv }: Run): string[] {
  if (program === 'git' && /^(commit|tag|stash|notes|merge)$/.test(argv[1]?.value ?? '')) return []
  const words = argv.slice(1).map(({ value }) => value)
  return words.slice(0, valuesMax).flatMap((word, at) => {
    const equals = word.indexOf('=')
    const joined = equals === -1 ? [] : [word.slice(equals + 1)]
    const [before = ''] = words.slice(Math.max(at - 1, 0), at)
    if (!word.startsWith('-')) return /^-[^=]+$/.test(before) ? [word, ...joined] : joined
    const attached = word.startsWith('--') ? [] : [word.slice(2), word.slice(3)]
    return [...joined, ...attached].filter((value) => value.length > 1)
  })
}

function writtenBy({ program, argv }: Run): string[] {
  const words = argv
    .slice(1)
    .map(({ value }) => value)
    .filter((word) => !word.startsWith('-'))
  if (/^(tee|touch|truncate|mkdir|rm|sponge|chmod|chown|(bsd|g)?tar)$/.test(program)) return words
  if (/^(cp|mv|install|ln|rsync|scp)$/.test(program)) return words.slice(-1)
  return program === 'dd'
    ? words.filter((word) => word.startsWith('of=')).map((word) => word.slice(3))
    : []
}

const tooDeep = {
  kind: 'forbid',
  rule: 'shell.nested',
  reason: 'it is nested deeper than is read',
} satisfies ShellJudgment

/** Judges a command line. Total: every string gets an answer, and "understood" only one that looks. */
export function judgeShell(command: string, places: PathPlaces): ShellJudgment {
  if (command.length > shellLengthMax) {
    const most = `it is longer than the ${shellLengthMax} characters that are read`
    const reason = `${most}; do it in several commands, or put a long text into a file first`
    return { kind: 'forbid', rule: 'shell.too-long', reason }
  }
  if (hiding.test(command)) {
    return {
      kind: 'forbid',
      rule: 'shell.hidden',
      reason: 'it contains characters that cannot be seen',
    }
  }
  try {
    return judgeParsed(command, places)
  } catch {
    return { kind: 'ask', rule: 'shell.unreadable', reason: 'the command cannot be read' }
  }
}

function judgeParsed(command: string, places: PathPlaces): ShellJudgment {
  const script = parse(command)
  const [error] = script.errors ?? []
  if (script.errors?.some(({ message }) => /depth exceeded/.test(message))) return tooDeep
  let doubt: Doubt | null
  if (error !== undefined)
    doubt = { rule: 'shell.syntax', reason: `the shell syntax is doubtful: ${error.message}` }
  else if (invisible.test(command))
    doubt = { rule: 'shell.invisible', reason: 'it contains characters that cannot be seen' }
  else doubt = findDoubt(script, places)
  if (doubt === null) return { kind: 'understood' }
  if (doubt.rule === tooDeep.rule) return tooDeep
  const found = readRuns(script, places.home)
  const printed = readPrinted(found, places.home)
  const all = { ...found, runs: [...found.runs, ...printed] }
  const bad = findCatastrophe(all, places) ?? findLeak(found)
  if (bad !== null) return { kind: 'forbid', ...bad }
  if (doubt.secret === true) return { kind: 'forbid', rule: doubt.rule, reason: doubt.reason }
  return judgeSecrets(all.runs, places) ?? question(found, doubt, places)
}
