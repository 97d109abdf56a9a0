import type { Action, GateContext, Verdict } from '@passepartout/core'
import { oncePerFrozen } from '../actions/action-memo.ts'
import { executedElsewhere } from '../paths/executed-survey.ts'
import { type PathPlaces, pathForms } from '../paths/paths.ts'
import { judgeRead } from '../paths/secret.ts'
import { judgeWrite, type WriteJudgment } from '../paths/write.ts'
import type { Check } from './check.ts'
import { isPathName, isWriting, type NamedString, placesOf, stringsOf } from './check-arguments.ts'

function checkPath(action: Action, context: GateContext): Verdict {
  const places = placesOf(context)
  const shared = withoutPrivate(places)
  const writes = isWriting(action, context)
  const strings = [...stringsOf(action), ...(writes ? patchedFiles(action) : [])]
  const hasContent = strings.some(({ name }) => contentNames.test(name))
  const hasPath = strings.some(({ name }) => isPathName(name))
  const isOfNotes = context.tools.get(action.payload.tool ?? '')?.reach === 'notes'
  let question: Verdict = { kind: 'pass' }
  for (const { name, value } of strings) {
    const isPath = isPathName(name)
    if (!isPath && isOfNotes) continue
    if (value === '' || value.length > 4_096 || !(isPath || mayBePath(name, value, hasPath)))
      continue
    const verdict = judgeString(value, isPath, writes, hasContent, places, shared)
    if (verdict.kind === 'reject') return verdict
    if (verdict.kind === 'approval') question = verdict
  }
  return question
}

/** The places as they are for a tool that knows itself what is private. */
const withoutPrivate: (places: PathPlaces) => PathPlaces = oncePerFrozen((places) =>
  places.privateFiles?.length ? Object.freeze({ ...places, privateFiles: undefined }) : places,
)

/** The files that a patch in the arguments would write, as if they had been named. */
function patchedFiles(action: Action): NamedString[] {
  return stringsOf(action)
    .filter(({ value }) => /^(\*\*\* |\+\+\+ |--- |rename to )/m.test(value))
    .flatMap(({ value }) => [
      ...value.matchAll(
        /^(?:\*\*\* (?:(?:Add|Update|Delete) File|Move to): |\+\+\+ |--- |rename to )([^\t\n\r]+)/gm,
      ),
    ])
    .map(([, file = '']) => file.trim().replace(/^[ab]\//, ''))
    .filter((value) => /^\S+$/.test(value) && value !== '/dev/null')
    .flatMap((value) => [
      { name: 'path', value },
      { name: 'content', value: '' },
    ])
}

const contentNames = /^(content|contents|text|body|data)$/i
const editNames = /^(?:old|new)_(?:text|str|string)$/i
const proseNames =
  /^(content|contents|text|body|data|message|title|subject|description|query|comment)$/i

function mayBePath(name: string, value: string, hasPath: boolean): boolean {
  if (hasPath && (contentNames.test(name) || editNames.test(name))) return false
  if (/["<>;\n]/.test(value)) return false
  return !/\s/.test(value) || (!proseNames.test(name) && /^\s*(~|\/|\.{1,2}\/|file:)/.test(value))
}

function judgeString(
  value: string,
  isPath: boolean,
  writes: boolean,
  hasContent: boolean,
  places: PathPlaces,
  shared: PathPlaces,
): Verdict {
  const read = judgeRead(value, shared)
  const visible = /[^ -~]/.test(value) ? value.replace(/[\p{Cc}\p{Cf}]/gu, '�') : value
  const shown = visible.slice(0, 200)
  const isWrite = isPath && writes && hasContent
  if (read.level === 'secret' && !isWrite) {
    return {
      kind: 'reject',
      rule: read.rule,
      reason: `Refused: ${shown} is a secret; find another way that does not need it.`,
    }
  }
  if (value.includes('\0')) {
    return {
      kind: 'reject',
      rule: 'paths.nul',
      reason: 'Refused: a path ends at a zero character, and what stands behind it is not read.',
    }
  }
  if (isPath && writes) {
    const write = judgeTarget(value, places)
    const reason = `it writes to ${shown}: ${write.reason}`
    if (write.level === 'refused')
      return { kind: 'reject', rule: write.rule, reason: `Refused: ${reason}.` }
    if (write.level !== 'inside') return { kind: 'approval', rule: write.rule, reason }
  }
  if (read.level === 'private' && (isPath || value.includes('/'))) {
    return { kind: 'approval', rule: read.rule, reason: `${shown} may hold something private` }
  }
  return { kind: 'pass' }
}

/** Refuses secrets and asks about guarded places, in every argument of every tool. */
export const checkPaths: Check = { name: 'paths', check: checkPath }

function judgeTarget(value: string, places: PathPlaces): WriteJudgment {
  const write = judgeWrite(value, places)
  if (write.level === 'refused' || write.level === 'guarded') return write
  for (const form of pathForms(value, places)) {
    const run = executedElsewhere(form, places)
    if (run === null) continue
    const by = run.through.length === 0 ? '' : `; ${run.through.join(' and ')} leads to it`
    return { level: 'guarded', rule: `paths.${run.rule}`, reason: `${run.reason}${by}` }
  }
  return write
}
