import { dirname, join, resolve } from 'node:path'
import {
  type Action,
  defineSkill,
  flightPlanFiles,
  type Gate,
  type GateContext,
  type Skill,
  type Verdict,
} from '@passepartout/core'
import { oncePerFrozen } from '../actions/action-memo.ts'

const names = flightPlanFiles.map((name) => name.toLowerCase())
const stems = names.map((name) => name.replace(/\.org$/, ''))

function isNamed(text: string): boolean {
  const folded = (/[^ -~\s]/.test(text) ? text.normalize('NFKC') : text).toLowerCase()
  const plain = /["'\\$]/.test(folded) ? folded.replace(/["'\\]|\$@|\$\*/g, '') : folded
  if (stems.some((stem) => plain.includes(stem))) return true
  if (!/[*?[]/.test(plain)) return false
  const words = plain.split(/[\s;|&<>(){}=,:]+/)
  return words.some((word) => {
    const last = word.slice(word.lastIndexOf('/') + 1)
    if (!/[*?[]/.test(last)) return false
    const fixed = last.replace(/\[[^\]]*\]|[*?]|\.org$/g, '')
    return fixed.length > 2 && names.some((name) => globs(last, name))
  })
}

function globs(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.replace(/\[[^\]]*\]/g, '?').split(/\*+/)
  if (!matchesAt(first, name, 0)) return false
  let at = first.length
  for (const [index, piece] of rest.entries()) {
    if (index === rest.length - 1) {
      const end = name.length - piece.length
      return end >= at && matchesAt(piece, name, end)
    }
    while (at <= name.length && !matchesAt(piece, name, at)) at++
    at += piece.length
  }
  return at === name.length
}

function matchesAt(piece: string, name: string, at: number): boolean {
  if (at + piece.length > name.length) return false
  return [...piece].every((character, index) => character === '?' || character === name[at + index])
}

const wordsMax = 100

function leadsThere(text: string, context: GateContext): boolean {
  if (!text.includes('/') && !/\.org/i.test(text)) return false
  const words = new Set(text.split(/[\s;|&<>(){}=,"']+/).filter((word) => /\/|\.org$/i.test(word)))
  if (words.size === 0) return false
  const own = ownPaths(context)
  return [...words].slice(0, wordsMax).some((word) => {
    const path = word.startsWith('~/') ? join(context.home, word.slice(2)) : word
    const real = context.realPaths(resolve(context.memexDir, path))
    return own.has(real) || own.has(dirname(real))
  })
}

const ownPaths: (context: GateContext) => ReadonlySet<string> = oncePerFrozen((context) => {
  const { memexDir, realPaths, stateDir } = context
  const state = [join(stateDir, 'approvals'), join(stateDir, 'acting')]
  const folder = realPaths(memexDir)
  return new Set([...flightPlanFiles.map((name) => join(folder, name)), ...state])
})

/** Refuses what is about the flight plans. */
export function checkFlightPlans(action: Action, context: GateContext): Verdict {
  const { payload, target } = action
  const isLooking = target === 'tool' && context.tools.get(payload.tool ?? '')?.readOnly === true
  const texts = [payload.cmd ?? '', ...stringsIn(payload.args)]
  const hit = texts.find((text) => (!isLooking && isNamed(text)) || leadsThere(text, context))
  if (hit === undefined) return { kind: 'pass' }
  const reason =
    'the flight plans are the owner’s answers; nobody writes, reads or moves them for the owner'
  return { kind: 'reject', reason, rule: 'flight-plans.hands-off' }
}

function stringsIn(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return [value]
  if (value === null || typeof value !== 'object' || depth > 8) return []
  return [...Object.keys(value), ...Object.values(value)].flatMap((part) =>
    stringsIn(part, depth + 1),
  )
}

/** The gate in front of the flight plans. */
const flightPlansGate: Gate = {
  name: 'flight-plans',
  priority: 160,
  check: checkFlightPlans,
}

/** The skill that keeps the agent away from its owner's answers. */
export const flightPlans: Skill = defineSkill({
  name: 'flight-plans',
  description: 'Refuses every action that is about the owner’s answers to questions.',
  gates: [flightPlansGate],
})
