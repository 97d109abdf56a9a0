import { type AskedGate, Jail, type JailLimits, type JailVerdict } from './jail.ts'
import type { Containment } from './process.ts'

interface Suspects {
  readonly limits: Partial<JailLimits>
  readonly shared: Jail
  /** The code of every skill with a gate. */
  readonly codes: Map<string, string>
  /** The skills that have a process of their own. */
  readonly alone: Map<string, Jail>
  /** Those of them whose own process has ended. */
  readonly known: Set<string>
  /** Told why the process has ended, and which skills are asked apart because of it. */
  told: (why: string, skills: readonly string[]) => void
}

interface Round {
  readonly input: { readonly action: unknown }
  action: unknown
  isRejected: boolean
}

/** The gates from `at` on that can be asked in one message, and where. */
function nextOf({ alone, shared }: Suspects, gates: readonly AskedGate[], round: Round) {
  const own = alone.get(gates[0]!.skill)
  if (own !== undefined) return { jail: own, asked: gates.slice(0, 1) }
  const end = gates.findIndex(({ skill }) => alone.has(skill))
  const isNew = round.action === round.input.action && !round.isRejected
  const count = isNew ? end : 1
  return { jail: shared, asked: count < 0 ? gates : gates.slice(0, count) }
}

function heard(round: Round, verdict: JailVerdict): void {
  const said =
    'said' in verdict ? (verdict.said as { kind?: unknown; action?: unknown } | null) : null
  if (round.isRejected) return
  if (said?.kind === 'change') round.action = said.action
  if (said?.kind !== 'reject') return
  round.action = round.input.action
  round.isRejected = true
}

async function judge(
  suspects: Suspects,
  gates: readonly AskedGate[],
  input: Round['input'],
): Promise<JailVerdict[]> {
  const round: Round = { input, action: input.action, isRejected: false }
  const judged: JailVerdict[] = []
  while (judged.length < gates.length) {
    const { asked, jail } = nextOf(suspects, gates.slice(judged.length), round)
    const verdicts = await jail.judge(asked, { ...input, action: round.action })
    const why = endOf(verdicts.at(-1))
    if (why !== null && jail === suspects.shared) {
      verdicts.pop()
      apart(suspects, why)
    }
    for (const verdict of verdicts) heard(round, verdict)
    judged.push(...verdicts)
    if (why !== null && jail !== suspects.shared) await together(suspects, asked[0]!.skill)
  }
  return judged
}

/** Why the process ended in the turn of this gate; null when it did not. */
function endOf(verdict: JailVerdict | undefined): string | null {
  if (verdict === undefined || !('error' in verdict)) return null
  return verdict.error.kind === 'overran' ? verdict.error.message : null
}

function apart({ alone, codes, limits, shared, told }: Suspects, why: string): void {
  const skills = [...codes.keys()].filter((skill) => !alone.has(skill))
  for (const skill of skills) {
    shared.drop(skill)
    const jail = new Jail(limits)
    alone.set(skill, jail)
    void jail.load(skill, codes.get(skill)!).catch(() => {})
  }
  told(why, skills)
}

/** All but this one and those that are known share a process again. */
async function together({ alone, codes, known, shared }: Suspects, guilty: string) {
  known.add(guilty)
  for (const [skill, jail] of [...alone]) {
    if (known.has(skill)) continue
    const isBack = await shared.load(skill, codes.get(skill)!).then(
      () => true,
      () => false,
    )
    if (!isBack) continue
    alone.delete(skill)
    await jail.close()
  }
}

/** Where the gates of all skills are asked. Its methods are those of a Jail. */
export class GateJail {
  readonly #suspects: Suspects
  #turn: Promise<unknown> = Promise.resolve()

  /** `told` hears why the shared process has ended, and which skills are asked apart from now on. */
  constructor(limits: Partial<JailLimits> = {}, told: Suspects['told'] = () => {}) {
    const shared = new Jail(limits)
    this.#suspects = { limits, shared, codes: new Map(), alone: new Map(), known: new Set(), told }
  }

  /** How the shared process is contained; null while there is none. */
  get containment(): Containment | null {
    return this.#suspects.shared.containment
  }

  /** Loads the gates of a skill in the place of older ones. Rejects with a JailError. */
  load(skill: string, code: string): Promise<void> {
    return this.#inTurn(async () => {
      const { alone, codes, known, shared } = this.#suspects
      await shared.load(skill, code)
      codes.set(skill, code)
      const jail = alone.get(skill)
      alone.delete(skill)
      known.delete(skill)
      await jail?.close()
    })
  }

  /** Takes a skill out; nothing happens when it is not there. */
  drop(skill: string): void {
    const { alone, codes, known, shared } = this.#suspects
    codes.delete(skill)
    known.delete(skill)
    shared.drop(skill)
    void alone.get(skill)?.close()
    alone.delete(skill)
  }

  /** Asks gates about one action; there is a verdict for each. Rejects when none can be asked. */
  judge(gates: readonly AskedGate[], input: { readonly action: unknown }): Promise<JailVerdict[]> {
    return this.#inTurn(() => judge(this.#suspects, gates, input))
  }

  /** Ends all processes; resolves when they are gone. */
  async close(): Promise<void> {
    const { alone, codes, shared } = this.#suspects
    codes.clear()
    await Promise.all([shared, ...alone.values()].map((jail) => jail.close()))
  }

  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const next = this.#turn.then(run)
    this.#turn = next.catch(() => {})
    return next
  }
}
