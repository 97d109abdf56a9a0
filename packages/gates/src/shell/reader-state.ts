import type { Redirection, SyntaxNode, Word } from 'unbash'
import type { PathPlaces } from '../paths/paths.ts'
import { canReachSecret } from '../paths/secret.ts'
import { opaque, type Printed, printedBy, type Stage } from './printed.ts'
import { type Field, fieldsOf, plainField } from './words.ts'

/** Why a command line is not understood. */
export interface Doubt {
  rule: string
  reason: string
  /** It would show something secret. */
  secret?: boolean
  /** The reason is about this very command, and no other says more. */
  explained?: boolean
}

/** A doubt under this rule of the shell. */
export function doubt(rule: string, reason: string): Doubt {
  return { rule: `shell.${rule}`, reason: reason.replaceAll('\0', '…') }
}

/** The first doubt about one of the items, or null. */
export function first<T>(items: Iterable<T>, read: (item: T) => Doubt | null): Doubt | null {
  for (const item of items) {
    const found = read(item)
    if (found !== null) return found
  }
  return null
}

/** What is known at one place of a command line. */
export interface Reader {
  places: PathPlaces
  folders: Set<string>
  variables: Map<string, readonly (string | Field)[] | 'data'>
  branches: number
  loops: number
  /** What feeds the command that is being read: the stages of the pipeline before it. */
  incoming: readonly Stage[]
  /** A redirection takes the place of what feeds it. */
  fed: boolean
  /** The command itself, and the commands that it runs. */
  own: Stage[]
  /** What the last pipeline that was read consists of. */
  printed: readonly Stage[]
  /** What is known about what a substituted command prints, and the stages that print it. */
  substituted: WeakMap<object, readonly Field[]>
  streams: WeakMap<object, readonly Stage[]>
  depth: number
}

/** The state at the beginning of a line. */
export function newReader(places: PathPlaces): Reader {
  return {
    places,
    folders: new Set([places.cwd]),
    variables: new Map([['PWD', [places.cwd]]]),
    branches: 0,
    loops: 0,
    incoming: [],
    fed: false,
    own: [],
    printed: [],
    substituted: new WeakMap(),
    streams: new WeakMap(),
    depth: 0,
  }
}

/** The places as they are for a line that is in this folder. */
export function placesAt({ places }: Reader, cwd: string): PathPlaces {
  return cwd === places.cwd ? places : { ...places, cwd }
}

/** Reads what may or may not run. */
export function inBranch(reader: Reader, read: () => Doubt | null): Doubt | null {
  reader.branches++
  const found = read()
  reader.branches--
  return found
}

/** Reads what may run many times. */
export function inLoop(reader: Reader, read: () => Doubt | null): Doubt | null {
  reader.loops++
  const found = inBranch(reader, read)
  reader.loops--
  return found
}

/** What is known about one stage after it was read. */
export function stageOf({ own }: Reader, node: SyntaxNode): Stage {
  const [stage, inner, ...more] = own
  if (node.type !== 'Command' || stage === undefined || more.length > 0) return opaque
  if (inner === undefined) return stage
  return /^(timeout|nice|env|command|stdbuf|time|find|xargs)$/.test(stage.program) ? inner : opaque
}

/** Reads a command whose input comes from a redirection, when one of them is for input. */
export function fedBy(
  reader: Reader,
  redirects: readonly Redirection[],
  read: () => Doubt | null,
): Doubt | null {
  if (!redirects.some((part) => part.type !== 'Redirect' || /^<|<>/.test(part.operator)))
    return read()
  const { incoming, fed } = reader
  reader.incoming = streamOf(reader, redirects) ?? [opaque]
  reader.fed = true
  const found = read()
  reader.incoming = incoming
  reader.fed = fed
  return found
}

/** =< <(find .)= is a pipe that is written the other way round. */
function streamOf(reader: Reader, redirects: readonly Redirection[]): readonly Stage[] | null {
  const [only, ...more] = redirects
  if (only === undefined || more.length > 0 || !('target' in only)) return null
  const [part, ...rest] = only.target?.parts ?? []
  if (part?.type !== 'ProcessSubstitution' || rest.length > 0) return null
  return reader.streams.get(part) ?? null
}

const capitalNames =
  /^([A-Z]\d?|(DATE|TODAY|YESTERDAY|TOMORROW|NOW|DAY|MONTH|YEAR|WEEK|FILE|FILES|DIR|DIRS|FOLDER|NAME|NAMES|COUNT|TOTAL|SUM|NUM|SIZE|ROOT|SRC|BRANCH|COMMIT|HASH|SHA|REV|RESULT|OUTPUT|LINE|TEXT|WORD|WORDS|PATTERN|QUERY|START|END|FIRST|LAST|BASE|MAIN|LATEST|NEWEST|OLDEST|CURRENT|PREVIOUS|MERGE)(_(DATE|TODAY|DAY|MONTH|YEAR|FILE|FILES|DIR|NAME|COUNT|TOTAL|SIZE|ROOT|BRANCH|COMMIT|HASH|SHA|REV|LINE|START|END|BASE))?)$/

/** A variable that means nothing to the shell or to a program. */
export function isPlainName(name: string): boolean {
  if (capitalNames.test(name)) return true
  return (
    /^[a-z_][a-z0-9_]*$/.test(name) &&
    !/proxy$|^(ps\d|path|cdpath|fpath|prompt|histfile)$/.test(name)
  )
}

/** A field with a hole is kept as it is, since its value alone does not tell what it stands for. */
export function remembered(field: Field): string | Field {
  return field.value.includes('\0') || field.word === true ? field : field.value
}

/** What each line of the input can be, when that is known and all of it may be opened. */
export function printedFor(reader: Reader, stages: readonly Stage[]): readonly Field[] | null {
  const printed = printedBy(stages, reader)
  return printed === null || isReached(reader, printed) !== null ? null : printed.shapes
}

/** The first root below which something secret lies. */
export function isReached(reader: Reader, { roots }: Printed): string | null {
  const reached = roots.find((root) =>
    [...reader.folders].some((cwd) => canReachSecret(root, placesAt(reader, cwd))),
  )
  return reached ?? null
}

/** The fields that a word becomes here. */
export function wordFields(reader: Reader, word: Word): Field[] {
  const only = word.parts?.length === 1 ? word.parts[0] : undefined
  if (only?.type === 'ProcessSubstitution' && only.operator === '<') {
    return [plainField('-')]
  }
  return fieldsOf(word, reader.variables, reader.places.home, reader.substituted)
}

/** Keeps what the last pipeline prints, for the word that it is substituted into. */
export function remember(reader: Reader, node: SyntaxNode): void {
  reader.streams.set(node, reader.printed)
  const shapes = printedFor(reader, reader.printed)
  if (shapes !== null) reader.substituted.set(node, shapes)
}
