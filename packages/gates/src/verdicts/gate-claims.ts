import {
  type Action,
  defineSkill,
  type Entry,
  type GateContext,
  type Runtime,
  type Signal,
  type Skill,
  type Verdict,
} from '@passepartout/core'

const sure =
  'captured|scheduled|rescheduled|refiled|archived|deleted|checked off|emailed|renamed|installed|pushed'
const deeds =
  `${sure}|added|created|saved|stored|noted|written|wrote|recorded|logged|moved|filed|removed|` +
  'cleaned|completed|marked|closed|sent|posted|booked|ordered|paid|updated|changed|edited|fixed|' +
  'committed|tagged|cancelled|canceled|executed|set up|put'

const adverbs = '(?:just |now |already |also |successfully )*'
const things =
  '(?:task|note|reminder|entry|item|event|file|headline|appointment|inbox|agenda|calendar|e?mail)s?'
const first = `\\bI(?:['’]ve| have)? ${adverbs}`

const claims: readonly RegExp[] = [
  new RegExp(`${first}(?:${sure})\\b`, 'i'),
  new RegExp(`${first}(?:${deeds}) (?:it|them|that|this|both|all)\\b(?! (?:as|like|out)\\b)`, 'i'),
  new RegExp(`${first}(?:${deeds})\\b[^.!?\\n]{0,80}\\b${things}\\b`, 'i'),
  new RegExp(
    `\\b(?:your|the) ${things}\\b[^.!?\\n]{0,80} (?:has|have) been ${adverbs}(?:${deeds})\\b`,
    'i',
  ),
]
const done = /^\W{0,4}(?:all )?(?:done|finished)\b(?=[.!,:;]|$)/i

const quoted = /```[\s\S]*?(?:```|$)|^\s*[>|:].*$|[“"«][^”"»\n]{0,300}[”"»]/gm
const elsewhere =
  /\b(?:yesterday|earlier|before|last|ago|previously|in (?:an|our|my) (?:earlier|previous|last)|below|above|following|here|draft|summary|your (?:note|diary|journal)s? says?|says? (?:your|the) )|\b(?:19|20)\d\d\b|:$/i
const asks = /\?\s*$|^(?:is|are|was|were|has|have|did|do|does|what|which|when|who|where|how|why)\b/i

/** Whether a text says that something was done just now by whoever speaks, who was told this. English only. */
export function claimsDeed(text: string, heard = ''): boolean {
  const own = text.replace(quoted, (match) => (match.startsWith('`') ? '' : 'it'))
  const sentences = own.split(/(?<=[.!?:])\s+|\n+/)
  if (done.test(own) && !asks.test(heard.trim())) return true
  return sentences.some(
    (sentence) => !elsewhere.test(sentence) && claims.some((claim) => claim.test(sentence)),
  )
}

/** What is put behind a claim that nothing stands behind. */
export const mark = '(A remark of the daemon’s: nothing has been done in this conversation.)'

/** What is known of a session. */
interface ClaimFacts {
  /** Whether anything was done in it, or may have been. */
  isDone: boolean
  /** What the owner has said last. */
  heard: string
}

/** Marks an answer that claims a deed in a session without one; passes everything else. */
export function checkClaims(action: Action, context: GateContext): Verdict {
  const facts = context.facts['gate-claims'] as ClaimFacts | undefined
  const { text = '', action: kind } = action.payload
  const isFounded = facts === undefined || facts.isDone
  if (kind !== 'message' || isFounded || text.endsWith(mark) || !claimsDeed(text, facts.heard))
    return { kind: 'pass' }
  const payload = { ...action.payload, text: `${text.trimEnd()}\n\n${mark}` }
  return { kind: 'change', action: { ...action, payload }, rule: 'claims.unfounded' }
}

/** The skill that marks empty claims. */
export function createClaimsSkill(): Skill {
  return defineSkill({
    name: 'gate-claims',
    description: 'Marks an answer that claims a deed when nothing was done.',
    gates: [{ name: 'claims', priority: 20, check: checkClaims }],
    facts(runtime, signal): ClaimFacts {
      const { entries } = runtime.sessions.of(signal.meta.sessionId)
      const heard = entries.findLast(({ kind }) => kind === 'words')
      const began = entries[0]?.at ?? 0
      const isChanged = runtime.moments.list().some(({ at }) => at >= began)
      const isDone = isChanged || entries.some((entry) => isDeed(entry, runtime))
      return { isDone, heard: heard?.kind === 'words' ? heard.text : '' }
    },
  })
}

function isDeed(entry: Entry, { tools }: Runtime): boolean {
  if (entry.kind !== 'result') return false
  const mayBe = entry.state === 'done' || entry.state === 'waiting' || entry.state === 'unknown'
  return mayBe && tools.get(entry.tool)?.readOnly !== true
}
