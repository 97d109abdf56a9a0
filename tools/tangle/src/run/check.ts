import { readFileSync } from 'node:fs'
import { type FileTarget, targetState } from './write-plan.ts'

/** A difference between a tangled file and what its document says. */
export interface Hunk {
  /** 1-based line of the document. */
  orgLine: number
  /** 1-based line of the tangled file. */
  codeLine: number
  /** The lines of the file on the disk, at most `hunkLinesMax`. */
  found: string[]
  /** The lines the document asks for, at most `hunkLinesMax`. */
  wanted: string[]
}

const hunkLinesMax = 6

/** The first difference, or null for equal texts. `lines` are the document's, as in a Target. */
export function firstHunk(found: string, wanted: string, lines: readonly number[]): Hunk | null {
  if (found === wanted) return null
  const left = found.split('\n')
  const right = wanted.split('\n')
  let first = 0
  while (first < left.length && left[first] === right[first]) first++
  const [leftEnd, rightEnd] = meetingPoint(left, right, first)
  const ahead = lines.slice(first).find((line) => line !== 0)
  return {
    orgLine: ahead ?? lines.at(-1) ?? 1,
    codeLine: first + 1,
    found: left.slice(first, leftEnd),
    wanted: right.slice(first, rightEnd),
  }
}

function meetingPoint(left: string[], right: string[], first: number): [number, number] {
  for (let distance = 1; distance <= hunkLinesMax * 2; distance++) {
    for (let onLeft = Math.min(distance, hunkLinesMax); onLeft >= 0; onLeft--) {
      const onRight = distance - onLeft
      if (onRight > hunkLinesMax) break
      const line = left[first + onLeft]
      if (line !== undefined && line.trim() !== '' && line === right[first + onRight]) {
        return [first + onLeft, first + onRight]
      }
    }
  }
  return [first + hunkLinesMax, first + hunkLinesMax]
}

/** The report on one target, paths as given by `show`; null when the file is as it should be. */
export function describeDifference(
  target: FileTarget,
  show: (path: string) => string,
): string | null {
  const state = targetState(target)
  if (state === 'same') return null
  const place = `${show(target.document)}:`
  if (state === 'missing') return `${place}${target.line}: ${show(target.path)} does not exist`
  const hunk = firstHunk(readFileSync(target.path, 'utf8'), String(target.text), target.lines)
  if (hunk === null) {
    const mode = target.mode?.toString(8) ?? 'of the document'
    return `${place}${target.line}: ${show(target.path)} has not the mode ${mode}`
  }
  return [
    `${place}${hunk.orgLine}: ${show(target.path)}:${hunk.codeLine} differs`,
    ...hunk.found.map((line) => `  - ${line}`),
    ...hunk.wanted.map((line) => `  + ${line}`),
  ].join('\n')
}
