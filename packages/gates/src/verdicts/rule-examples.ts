import type { Action, Example } from '@passepartout/core'
import { parse } from 'unbash'
import { z } from 'zod'
import type { PathPlaces } from '../paths/paths.ts'
import { judgeRead, pathRules } from '../paths/secret.ts'
import { judgeWrite, writeRules } from '../paths/write.ts'
import { isPlaceholder } from '../secrets/placeholders.ts'
import type { SecretRule } from '../secrets/secret-rule.ts'
import { secretRules } from '../secrets/secret-rules.ts'
import { catastropheRules, findCatastrophe } from '../shell/catastrophes.ts'
import { readRuns } from '../shell/commands.ts'
import { gitCommands } from '../shell/git.ts'
import { findLeak, networkRules } from '../shell/network.ts'
import { programs } from '../shell/programs.ts'
import { findDoubt } from '../shell/readonly.ts'
import { toolCommands } from '../shell/tools.ts'
import { toolsOfWork, workOf } from '../shell/work.ts'
import { checkImpact, impactRules, watched } from './check-impact.ts'

const places: PathPlaces = {
  home: '/home/ann',
  cwd: '/home/ann/memex',
  stateDir: '/home/ann/.local/state/passepartout',
  realPath: (path) => path,
  ownFolders: ['/opt/passepartout'],
  privateFiles: ['/home/ann/memex/diary.org'],
}

/** What a rule must and must not match. */
interface Both {
  match: readonly string[]
  not: readonly string[]
}

function* both(
  rule: string,
  { match, not }: Both,
  matches: (text: string) => boolean,
  leaves = (text: string) => !matches(text),
): Iterable<Example> {
  for (const text of match) yield { rule, text, holds: () => matches(text) }
  for (const text of not) yield { rule, text, holds: () => leaves(text) }
}

function* pathExamples(): Iterable<Example> {
  for (const [name, rule] of Object.entries(pathRules)) {
    const named = `paths.${name}`
    yield* both(
      named,
      rule,
      (path) => {
        const judged = judgeRead(path, places)
        if (rule.level === 'plain') return judged.level === 'plain'
        return judged.level === rule.level && judged.rule === named
      },
      (path) => {
        const judged = judgeRead(path, places)
        return rule.level === 'plain' ? judged.level !== 'plain' : judged.rule !== named
      },
    )
  }
  for (const [name, rule] of Object.entries(writeRules)) {
    const named = `paths.${name}`
    yield* both(
      named,
      rule,
      (path) => {
        const judged = judgeWrite(path, places)
        return judged.level === rule.level && judged.rule === named
      },
      (path) => judgeWrite(path, places).rule !== named,
    )
  }
}

function* commandExamples(): Iterable<Example> {
  const runsOf = (source: string) => readRuns(parse(source), places.home)
  for (const [name, rule] of Object.entries(catastropheRules)) {
    const named = `shell.${name}`
    yield* both(named, rule, (source) => findCatastrophe(runsOf(source), places)?.rule === named)
  }
  for (const [name, rule] of Object.entries(networkRules)) {
    const named = `network.${name}`
    yield* both(named, rule, (source) => findLeak(runsOf(source))?.rule === named)
  }
  const open = { ...places, privateFiles: [] }
  const looks = (source: string) => findDoubt(parse(source), open) === null
  const strict = (source: string) => findDoubt(parse(source), places) !== null
  const tools = Object.values(toolCommands).flatMap((each) => Object.values(each))
  const tables = [...Object.values(gitCommands), ...programs().values(), ...tools]
  for (const rule of new Set(tables)) yield* both('shell.read-only', rule, looks, strict)
}

function* workExamples(): Iterable<Example> {
  const ruleOf = (source: string) => {
    const { runs } = readRuns(parse(source), places.home)
    return runs.map((run) => workOf(run)?.rule).find((rule) => rule !== undefined)
  }
  for (const { match } of Object.values(toolsOfWork)) {
    const reasons = {
      'network.connection': match.distant,
      'shell.local-work': match.local,
      'shell.project': match.project,
    }
    for (const [rule, texts] of Object.entries(reasons)) {
      for (const text of texts) yield { rule, text, holds: () => ruleOf(text) === rule }
    }
  }
}

const looking = new Map([['list-deleted', { parameters: z.object({}), readOnly: true }]])

function ruleOfTool(tool: string): string | undefined {
  const action: Action = { type: 'request', target: 'tool', payload: { action: 'call', tool } }
  const verdict = checkImpact.check(action, {
    signal: { type: 'event', meta: { source: 'cli' }, payload: {}, depth: 0 },
    tools: looking,
    home: places.home,
    memexDir: places.cwd,
    stateDir: places.stateDir,
    realPaths: places.realPath,
    ownerWords: [],
    facts: {},
  })
  return verdict.kind === 'pass' ? undefined : (verdict.rule ?? '')
}

function* toolExamples(): Iterable<Example> {
  const other = new Set([undefined, 'impact.unknown'])
  for (const [name, rule] of Object.entries(impactRules)) {
    yield* both(`impact.${name}`, rule, (tool) => !other.has(ruleOfTool(tool)))
  }
  yield* both('impact.watching', watched, (tool) => ruleOfTool(tool) === 'impact.watching')
}

function* secretExamples(): Iterable<Example> {
  for (const rule of secretRules) {
    const named = `secrets.${rule.name}`
    for (const [at, text] of rule.match().entries()) {
      yield { rule: named, text: `secret ${at + 1}`, holds: () => finds(rule, text) }
    }
    for (const [at, text] of rule.notMatch().entries()) {
      yield { rule: named, text: `no secret ${at + 1}`, holds: () => !finds(rule, text) }
    }
  }
}

function finds({ keywords, pattern, accepts }: SecretRule, text: string): boolean {
  const lower = text.toLowerCase()
  if (!keywords.some((keyword) => lower.includes(keyword))) return false
  return [...text.matchAll(pattern)].some((match) => {
    const secret = match[1] ?? match[0]
    return !isPlaceholder(secret) && (accepts?.(secret) ?? true)
  })
}

/** The examples of every rule that the dispatcher knows, made while they are asked for. */
export function* ruleExamples(): Iterable<Example> {
  yield* pathExamples()
  yield* commandExamples()
  yield* workExamples()
  yield* toolExamples()
  yield* secretExamples()
}
