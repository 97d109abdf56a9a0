import {
  type Action,
  defineSkill,
  type GateContext,
  type Runtime,
  type Signal,
  type Skill,
  type Verdict,
} from '@passepartout/core'

const deeds =
  'added|captured|created|saved|stored|noted|written|wrote|recorded|logged|scheduled|rescheduled|' +
  'moved|refiled|filed|archived|deleted|removed|cleaned|completed|marked|closed|checked off|sent|' +
  'emailed|posted|booked|ordered|paid|updated|changed|edited|fixed|renamed|installed|committed|' +
  'pushed|tagged|cancelled|canceled|executed|set up|put'

const adverbs = '(?:just |now |already |also |successfully )*'
const things = '(?:task|note|reminder|entry|item|event|file|headline|appointment|list)s?'

const claims: readonly RegExp[] = [
  new RegExp(`\\bI(?:['’]ve| have)? ${adverbs}(?:${deeds})\\b`, 'i'),
  new RegExp(
    `\\b(?:your|the) ${things}\\b[^.!?\\n]{0,80} (?:has|have) been ${adverbs}(?:${deeds})\\b`,
    'i',
  ),
  /^\W{0,4}(?:all )?(?:done|finished)\b(?=[.!,:;]|$)/i,
]

/** Whether a text says that something was done by whoever speaks. English only. */
export function claimsDeed(text: string): boolean {
  return claims.some((claim) => claim.test(text))
}

/** What is put behind a claim that nothing stands behind. */
export const mark = '(A remark of the daemon’s: nothing was done since you spoke.)'

/** Whether something was done in this turn. */
interface ClaimFacts {
  isDone: boolean
}

/** Marks an answer that claims a deed in a turn without one; passes everything else. */
export function checkClaims(action: Action, context: GateContext): Verdict {
  const facts = context.facts['gate-claims'] as ClaimFacts | undefined
  const { text = '', action: kind } = action.payload
  const isFounded = facts === undefined || facts.isDone
  if (kind !== 'message' || isFounded || text.endsWith(mark) || !claimsDeed(text))
    return { kind: 'pass' }
  const payload = { ...action.payload, text: `${text.trimEnd()}\n\n${mark}` }
  return { kind: 'change', action: { ...action, payload }, rule: 'claims.unfounded' }
}

const sessionsMax = 1_000

/** The skill that marks empty claims. */
export function createClaimsSkill(): Skill {
  const done = new Set<string>()
  return defineSkill({
    name: 'gate-claims',
    description: 'Marks an answer that claims a deed when nothing was done.',
    gates: [{ name: 'claims', priority: 20, check: checkClaims }],
    facts(runtime, signal): ClaimFacts {
      const session = signal.meta.sessionId ?? ''
      if (signal.depth === 0) done.delete(session)
      else if (isDeed(signal, runtime)) done.add(session)
      if (done.size > sessionsMax) done.delete(done.values().next().value ?? '')
      return { isDone: done.has(session) }
    },
  })
}

function isDeed({ payload }: Signal, { tools }: Runtime): boolean {
  const { sensor, status, tool } = payload
  if (sensor !== 'tool-output' || status === 'error') return false
  return tools.get(typeof tool === 'string' ? tool : '')?.readOnly !== true
}
