import { tagGap, tagsIn } from '../text/columns.ts'
import { skipBlanksBack } from '../text/lines.ts'
import type { Headline } from '../tree/nodes.ts'
import { type Draft, endOfLine, entryDraft, type Patch } from './edit.ts'

/** Moves the tags of the draft's first line to their column. */
export function alignTags(draft: Draft): void {
  const gap = tagGap(draft.text.slice(0, endOfLine(draft.text, 0)))
  if (gap !== null) draft.change(gap)
}

/** Patches that give the headline exactly these own tags. Throws a RangeError for a bad one. */
export function setTags(text: string, headline: Headline, tags: readonly string[]): Patch[] {
  const draft = entryDraft(text, headline)
  writeTags(draft, headline.tags, tags.map(checkedTag))
  return draft.patches()
}

/** The tag itself. Throws a RangeError when it would not be read back as one. */
export function checkedTag(tag: string): string {
  if (/^[\p{L}\p{M}\p{Nd}\p{Nl}_@#%]+$/u.test(tag)) return tag
  throw new RangeError(`${JSON.stringify(tag)} is no tag: letters, digits, _ @ # % only`)
}

function writeTags(draft: Draft, old: readonly string[], tags: readonly string[]): void {
  const word = tags.length === 0 ? '' : `:${tags.join(':')}:`
  if (word !== (old.length === 0 ? '' : `:${old.join(':')}:`)) {
    const { text } = draft
    const end = endOfLine(text, 0)
    const begin = skipBlanksBack(text, tagsIn(text.slice(0, end))?.begin ?? end)
    const stars = /^\*+$/.test(text.slice(0, begin)) ? ' ' : ''
    draft.replace(begin, end, stars + (word === '' ? '' : ` ${word}`))
  }
  if (word !== '') alignTags(draft)
}

/** Patches that turn one tag on, off, or to what it is not. Throws a RangeError for a bad tag. */
export function toggleTag(
  text: string,
  headline: Headline,
  tag: string,
  to?: 'on' | 'off',
): Patch[] {
  const rest = headline.tags.filter((other) => other !== checkedTag(tag))
  const has = rest.length < headline.tags.length
  const on = to === undefined ? !has : to === 'on'
  if (on && has) return setTags(text, headline, headline.tags)
  return setTags(text, headline, on ? [...rest, tag] : rest)
}
