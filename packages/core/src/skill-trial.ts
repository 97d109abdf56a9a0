import { Cron } from 'croner'
import { Compartments } from './compartments.ts'
import { Isolates } from './isolates.ts'
import { type Contribution, type Jail, JailError, type JailLimits } from './jail.ts'
import {
  documentLine,
  type SkillCode,
  type SkillDocument,
  type SkillProblem,
} from './skill-document.ts'

/** The two rings. */
export type RingName = 'compartments' | 'isolates'

const needed = { gate: 'gates', tool: 'tools', hook: 'hooks', job: 'jobs', test: null } as const
const hookable =
  /^(?!(?:user-input|chat-message|tool-output|buffer-update|point-update|interrupt|loop-error)$)/

function isPattern(cron: string): boolean {
  try {
    return new Cron(cron, { mode: '5-part', paused: true }).nextRun() !== null
  } catch {
    return false
  }
}

function objection(
  given: Contribution,
  { capabilities }: SkillDocument,
  ring: RingName,
): string | null {
  const { kind, name } = given
  const word = needed[kind]
  if (word !== null && !capabilities.includes(word)) {
    return `The ${kind} ${name} needs ${word} among the #+CAPABILITIES:`
  }
  if (kind === 'gate' && ring === 'isolates') {
    return 'Gates must be the owner’s: read the document, and enable it with --own'
  }
  if (given.kind === 'job' && !isPattern(given.cron)) return `${given.cron} is no pattern of cron`
  if (kind === 'hook' && !hookable.test(name)) return `There is no hook on ${name}`
  return null
}

function lineOf({ kind, name }: Contribution, code: SkillCode): number {
  const lines = code.text.split('\n')
  const at = lines.findIndex((line) => line.includes(`${kind}(`) && line.includes(name))
  return documentLine(code, at < 0 ? 1 : at + 1)
}

/** What became of one test of a skill. */
export interface TestResult {
  name: string
  /** It was begun; false for one that the trial did not come to. */
  ran: boolean
  passed: boolean
  /** How many expectations it looked at. */
  looked: number
  /** Why it did not pass; null when it did. */
  message: string | null
}

/** What a trial has found. Without problems the skill may take its place. */
export interface Trial {
  contributions: Contribution[]
  /** Every test that the code made, in that order. */
  tests: TestResult[]
  /** The names of the tests that passed. */
  passed: string[]
  /** How many expectations each of them looked at. */
  looked: Record<string, number>
  problems: SkillProblem[]
}

/** Opens a ring. */
export function openRing(ring: RingName, limits: Partial<JailLimits> = {}): Jail {
  return ring === 'compartments' ? new Compartments(limits) : new Isolates(limits)
}

/** Loads a skill with its tests in a ring of its own, and runs them. Never rejects. */
export async function trySkill(
  document: SkillDocument,
  ring: RingName,
  limits: Partial<JailLimits> = {},
): Promise<Trial> {
  const { name, path } = document
  const code = withTests(document)
  const trial: Trial = { contributions: [], tests: [], passed: [], looked: {}, problems: [] }
  const report = (line: number, message: string) => trial.problems.push({ path, line, message })
  const jail = openRing(ring, limits)
  try {
    const all = await jail.load(name, code.text)
    trial.contributions = all.filter(({ kind }) => kind !== 'test')
    for (const each of all) {
      const message = objection(each, document, ring)
      if (message !== null) report(lineOf(each, code), message)
    }
    for (const each of all.filter(({ kind }) => kind === 'test')) {
      try {
        const said = await jail.call(name, `test:${each.name}`, {})
        const looked = typeof said === 'number' ? said : 0
        trial.passed.push(each.name)
        trial.looked[each.name] = looked
        trial.tests.push({ name: each.name, ran: true, passed: true, looked, message: null })
      } catch (error) {
        const { line, message } = problemOf(error, code)
        trial.tests.push({ name: each.name, ran: true, passed: false, looked: 0, message })
        report(line ?? lineOf(each, code), `The test “${each.name}” failed: ${message}`)
      }
    }
  } catch (error) {
    const { line, message } = problemOf(error, code)
    report(line ?? documentLine(code, 1), message)
  }
  await jail.close()
  if (hasText(document) && !document.capabilities.includes('prompt')) {
    report(1, 'Its texts for the model need prompt among the #+CAPABILITIES:')
  }
  return trial
}

function hasText({ instructions, mandate, prompt }: SkillDocument): boolean {
  return instructions + mandate + prompt !== ''
}

function withTests({ code, tests }: SkillDocument): SkillCode {
  return { text: `${code.text}\n${tests.text}`, lines: [...code.lines, ...tests.lines] }
}

/** The message of an error, and its line in the document where it has one. */
export function problemOf(
  error: unknown,
  code: SkillCode,
): { line: number | null; message: string } {
  const message = error instanceof Error ? error.message : String(error)
  const line = error instanceof JailError ? error.line : null
  return { line: line === null ? null : documentLine(code, line), message }
}
