import { indentTo, stringWidth } from '../text/columns.ts'
import { skipBlanks } from '../text/lines.ts'
import type { Headline, OrgData } from '../tree/nodes.ts'
import { afterComments, type Draft, endOfLine, entryDraft, entryParts, type Patch } from './edit.ts'

/**
 * Patches that set a property of a headline or of the file.
 * Throws a RangeError for a name with blanks, a special name, or a value of two lines.
 */
export function setProperty(
  text: string,
  entry: Headline | OrgData,
  name: string,
  value: string,
): Patch[] {
  checkName(name)
  if (/[\r\n]/.test(value)) throw new RangeError(`The value of ${name} has a line break`)
  const draft = entryDraft(text, entry)
  const old = propertyIn(draft.text, name)
  if (old === null || old !== value || old === 'nil') putProperty(draft, name, value)
  return draft.patches()
}

const specialNames = new Set(
  'ALLTAGS BLOCKED CLOCKSUM CLOCKSUM_T CLOSED DEADLINE FILE ITEM PRIORITY SCHEDULED TAGS TIMESTAMP TIMESTAMP_IA TODO'.split(
    ' ',
  ),
)

function checkName(name: string): void {
  if (!/^[^\s:]+(?::[^\s:]+)*$/.test(name)) {
    throw new RangeError(`${JSON.stringify(name)} is no property name`)
  }
  if (specialNames.has(name.toUpperCase().replace(/\+$/, ''))) {
    throw new RangeError(`${name} is no property of the drawer; it has an edit of its own`)
  }
}

interface PropertyLine {
  begin: number
  end: number
  name: string
  value: string
}

function* propertyLines(text: string): Generator<PropertyLine> {
  const drawer = entryParts(text).drawer
  if (drawer === null) return
  for (let begin = drawer.body; begin < drawer.close; begin = endOfLine(text, begin) + 1) {
    const end = endOfLine(text, begin)
    const [head = ''] = text.slice(begin, end).trimStart().split(/[ \t]/, 1)
    const value = text.slice(skipBlanks(text, begin) + head.length, end).replace(/^[ \t]+/, '')
    yield { begin, end, name: head.slice(1, -1).toUpperCase(), value: value.trimEnd() }
  }
}

/** The value of a property in a draft, with the lines of `NAME+`; null when there is none. */
export function propertyIn(text: string, name: string): string | null {
  const wanted = name.toUpperCase()
  let base: string | null = null
  const added: string[] = []
  for (const { name: key, value } of propertyLines(text)) {
    if (key === wanted) base = value
    else if (key === `${wanted}+`) added.push(value)
  }
  if (base === null && added.length === 0) return null
  return [...(base === null ? [] : [base]), ...added].join(' ')
}

/** Writes a property into a draft, with a drawer when there is none. */
export function putProperty(draft: Draft, name: string, value: string): void {
  if (entryParts(draft.text).drawer === null) insertDrawer(draft)
  const { close } = entryParts(draft.text).drawer!
  const same = [...propertyLines(draft.text)].find((line) => line.name === name.toUpperCase())
  const begin = same?.begin ?? close
  const above = draft.text.slice(draft.text.lastIndexOf('\n', begin - 2) + 1, begin)
  const blanks = indentTo('', stringWidth(/^[ \t]*/.exec(above)![0]), true)
  const line = `${blanks}${`:${name}:`.padEnd(10)} ${value.trim()}`.trimEnd()
  if (same === undefined) draft.replace(begin, begin, `${line}\n`)
  else draft.replace(begin, same.end, line)
}

function insertDrawer(draft: Draft): void {
  const { text } = draft
  const { lineEnd, planning } = entryParts(text)
  const start = lineEnd < 0 ? afterComments(text) : lineEnd
  const above = lineEnd < 0 ? (start > 0 ? 0 : null) : (planning?.begin ?? null)
  const blanks = above === null ? '' : indentOf(text, above)
  const drawer = `${blanks}:PROPERTIES:\n${blanks}:END:`
  if (lineEnd >= 0) {
    const at = planning?.end ?? lineEnd
    draft.replace(at, at, `\n${drawer}${at === text.length ? '\n' : ''}`)
    return
  }
  if (start === 0) {
    draft.replace(0, 0, `${drawer}\n`)
    return
  }
  const end = text[start - 1] === '\n' ? start - 1 : start
  draft.replace(end, end, `\n${drawer}${end === text.length ? '\n' : ''}`)
}

function indentOf(text: string, begin: number): string {
  return indentTo('', stringWidth(text.slice(begin, skipBlanks(text, begin))), true)
}

/** Patches that remove a property and its `NAME+` lines. Empty when it is not there. */
export function deleteProperty(text: string, entry: Headline | OrgData, name: string): Patch[] {
  const draft = entryDraft(text, entry)
  const wanted = name.toUpperCase()
  const lines = [...propertyLines(draft.text)]
  const gone = lines.filter((line) => line.name === wanted || line.name === `${wanted}+`)
  if (gone.length < lines.length) {
    draft.change(...gone.map(({ begin, end }) => ({ begin, end: end + 1, text: '' })))
    return draft.patches()
  }
  const drawer = entryParts(draft.text).drawer
  if (drawer === null) return []
  draft.replace(drawer.begin, Math.min(drawer.end + 1, draft.text.length), '')
  return draft.patches()
}

/** Patches that give an entry this `ID` unless it has one. */
export function ensureId(text: string, entry: Headline | OrgData, id: string): Patch[] {
  const draft = entryDraft(text, entry)
  const old = propertyIn(draft.text, 'ID')
  return old !== null && old.trim() !== '' ? [] : setProperty(text, entry, 'ID', id)
}
