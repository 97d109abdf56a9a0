import { formatTimestamp } from '../objects/timestamp.ts'
import type { ReadFile } from '../parse/settings.ts'
import type { Headline, OrgData } from '../tree/nodes.ts'
import { entryDraft, type Patch } from './edit.ts'
import type { InertOrg } from './inert.ts'
import { logPlace, writeLog } from './log.ts'
import { editSettings } from './settings.ts'

/** What a note is made of. */
export interface NoteRequest {
  now: Date
  /** Its text; several lines are indented below the first. */
  note: InertOrg
  /** Words of `#+STARTUP:` that count before the file's own. */
  startup?: string
  /** Gives the text of a file named in `#+SETUPFILE:`, or null. */
  readFile?: ReadFile
}

/** Patches that add a dated note to a headline's log, as `org-add-note`. */
export function addNote(
  text: string,
  tree: OrgData,
  headline: Headline,
  { now, note, startup, readFile }: NoteRequest,
): Patch[] {
  const draft = entryDraft(text, headline)
  const settings = editSettings(text, tree, startup, readFile)
  const time = formatTimestamp(now, { active: false, time: true })
  const lines = note.trimEnd() === '' ? [] : note.trimEnd().split(/\r\n|\r|\n/)
  const first = `Note taken on ${time}${lines.length > 0 ? ' \\\\' : ''}`
  writeLog(draft, logPlace(tree, headline, settings), [first, ...lines])
  return draft.patches()
}
