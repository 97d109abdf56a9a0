import {
  dayText,
  defineSkill,
  localDay,
  type SessionHit,
  type Skill,
  searchOf,
  singleLine,
  type Tool,
} from '@passepartout/core'
import { z } from 'zod'
import { readSpan } from '../common/planner-dates.ts'

const parameters = z.object({
  query: z.string().min(1).max(500).describe('words that were said'),
  span: singleLine()
    .max(100)
    .optional()
    .describe('when: yesterday, last week, in october, 2026-10-01..2026-10-31'),
})

const hitsMax = 8
const textMax = 600

const searchSessions: Tool = {
  name: 'search-sessions',
  description: 'What was said in earlier conversations with the owner, by words and days.',
  parameters,
  readOnly: true,
  reach: 'notes',
  async run(args, { runtime, signal }) {
    const { query, span: days } = parameters.parse(args)
    const span = days === undefined ? null : readSpan(days, runtime.clock.now(), true)
    if (days !== undefined && span === null) {
      return {
        status: 'error',
        message: `“${days}” names no days; in october does, or 2026-10-01..2026-10-31.`,
      }
    }
    const { sessionId = '' } = signal.meta
    const isOwners =
      signal.meta.isUnproven !== true && runtime.outbox.rightOf(sessionId) === 'always'
    const hits = searchOf(runtime.sessions).find({
      words: query,
      limit: hitsMax,
      only: isOwners ? undefined : runtime.sessions.idOf(sessionId),
      ...(span === null ? {} : { from: startOf(span.from), until: startOf(span.to) + dayMs - 1 }),
    })
    const when = span === null ? '' : ` from ${span.from} to ${span.to}`
    if (hits.length === 0) {
      return { status: 'success', content: `Nothing was said about ${query}${when}.` }
    }
    const outside = hits.find((hit) => hit.outside !== null)?.outside
    const content = hits.map(hitText).join('\n\n')
    return { status: 'success', content, ...(outside ? { origin: outside } : {}) }
  },
}

const dayMs = 86_400_000

function startOf(day: string): number {
  return new Date(`${day}T00:00`).getTime()
}

function hitText({ at, text, title }: SessionHit): string {
  const cut = text.length > textMax ? `${text.slice(0, textMax).toWellFormed()} …` : text
  return `${dayText(localDay(new Date(at)))}, in “${title}”:\n${cut}`
}

/** The skill that remembers conversations. */
export const sessionTools: Skill = defineSkill({
  name: 'session-tools',
  description: 'Finds what was said in earlier conversations.',
  tools: [searchSessions],
})
