import { Cron } from 'croner'
import { z } from 'zod'
import { messageOf } from '../base/printing.ts'
import { type Contribution, JailError } from '../jail/data.ts'
import { Jail, type JailLimits } from '../jail/jail.ts'
import {
  documentLine,
  type SkillCode,
  type SkillDocument,
  type SkillProblem,
} from './skill-document.ts'
import type { SkillOrigin } from './skill-grants.ts'

const needed = { gate: 'gates', tool: 'tools', hook: 'hooks', job: 'jobs' } as const
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
  from: SkillOrigin,
): string | null {
  const { kind, name } = given
  const word = needed[kind]
  if (!capabilities.includes(word)) {
    return `The ${kind} ${name} needs ${word} among the #+CAPABILITIES:`
  }
  if (kind === 'gate' && from === 'elsewhere') {
    return 'Gates must be the owner’s: read the document, and enable it with --own'
  }
  if (given.kind === 'job' && !isPattern(given.cron)) return `${given.cron} is no pattern of cron`
  if (kind === 'hook' && !hookable.test(name)) return `There is no hook on ${name}`
  return null
}

function lineOf({ kind, name }: { kind: string; name: string }, code: SkillCode): number {
  const lines = code.text.split('\n')
  const at = lines.findIndex((line) => line.includes(`${kind}(`) && line.includes(name))
  return documentLine(code, at < 0 ? 1 : at + 1)
}

/** What became of one test of a skill. */
interface TestResult {
  name: string
  /** It was begun; false for one that the trial did not come to. */
  ran: boolean
  passed: boolean
  /** How many expectations it looked at. */
  looked: number
  /** Why it did not pass; null when it did. */
  message: string | null
}

const lookedSchema = z.array(z.tuple([z.string(), z.string()])).max(1_000)

function judged(name: string, said: unknown): TestResult {
  const read = lookedSchema.safeParse(said)
  const result = { name, ran: true, looked: read.data?.length ?? 0 }
  if (!read.success) return { ...result, passed: false, message: 'its answer is out of shape' }
  const other = read.data.find(([actual, expected]) => actual !== expected)
  if (other === undefined) return { ...result, passed: true, message: null }
  return { ...result, passed: false, message: `Expected ${other[1]}, got ${other[0]}` }
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

/** Loads a skill with its tests in a jail of its own, and runs them. Never rejects. */
export async function trySkill(
  document: SkillDocument,
  from: SkillOrigin,
  limits: Partial<JailLimits> = {},
): Promise<Trial> {
  const { name, path } = document
  const code = withTests(document)
  const trial: Trial = { contributions: [], tests: [], passed: [], looked: {}, problems: [] }
  const report = (line: number, message: string) => trial.problems.push({ path, line, message })
  const jail = new Jail(limits)
  try {
    const loaded = await jail.load(name, document.code.text, document.tests.text)
    trial.contributions = loaded.contributions
    for (const each of loaded.contributions) {
      const message = objection(each, document, from)
      if (message !== null) report(lineOf(each, code), message)
    }
    for (const test of loaded.tests) {
      const { line, result } = await runTest(jail, document, test, code)
      trial.tests.push(result)
      if (result.passed) {
        trial.passed.push(test)
        trial.looked[test] = result.looked
      } else {
        const at = line ?? lineOf({ kind: 'test', name: test }, code)
        report(at, `The test “${test}” failed: ${result.message}`)
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

async function runTest(
  jail: Jail,
  document: SkillDocument,
  test: string,
  code: SkillCode,
): Promise<{ result: TestResult; line: number | null }> {
  try {
    const result = judged(test, await jail.call(document.name, `test:${test}`, null))
    return { result, line: null }
  } catch (error) {
    const { line, message } = problemOf(error, code)
    return { result: { name: test, ran: true, passed: false, looked: 0, message }, line }
  }
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
  const message = messageOf(error)
  const line = error instanceof JailError ? error.line : null
  return { line: line === null ? null : documentLine(code, line), message }
}
