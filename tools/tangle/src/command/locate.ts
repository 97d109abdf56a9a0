import { existsSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { type FilePlace, Positions } from '../positions/positions.ts'
import type { Answer } from '../refactoring/ask.ts'

/** Where a place came from, or what it became; `place` is `FILE:LINE` or `FILE:LINE:COL`. */
export function askWhere(cwd: string, place: string): Answer {
  const [, name, line, column = null] = /^(.+?):([1-9]\d*)(?::([1-9]\d*))?:?$/.exec(place) ?? []
  if (name === undefined) return refused(`${place} is not FILE:LINE or FILE:LINE:COL`, 2)
  const file = resolve(cwd, name)
  const positions = new Positions(cwd)
  const target = positions.target(file)
  if (target === null && !existsSync(file)) return refused(`there is no ${name}`, 2)
  const at = column === null ? null : Number(column)
  const question = { file, line: Number(line), column: at }
  if (target !== null) return fromCode(cwd, positions, question)
  if (!positions.documents().includes(file) && !name.endsWith('.org')) {
    return refused(`no document describes ${name}`, 1)
  }
  return fromDocument(cwd, positions, question)
}

interface Question {
  file: string
  line: number
  column: number | null
}

function refused(message: string, code: number): Answer {
  return { lines: [], json: { error: message }, errors: [`org-tangle: ${message}`], code }
}

function show(cwd: string, { file, line, column }: Question): string {
  const place = `${relative(cwd, file)}:${line}`
  return column === null ? place : `${place}:${column}`
}

function fromCode(cwd: string, positions: Positions, question: Question): Answer {
  const { file, line, column } = question
  const origin = positions.toDocument(file, line, column)
  if (origin === null) {
    const why = 'has no such line, or differs there from its document'
    return refused(`${show(cwd, question)}: the file ${why}`, 1)
  }
  const place = show(cwd, { ...origin, column: column && origin.column })
  const made = origin.copied || column === null ? '' : ' (made)'
  const words = `${place}:${origin.block === null ? '' : ` ${origin.block}`}${made}`
  return {
    lines: [words],
    json: json(positions, question, [origin]),
    errors: [],
    code: 0,
  }
}

function fromDocument(cwd: string, positions: Positions, question: Question): Answer {
  const { file, line, column } = question
  const found = positions.toCode(file, line, column)
  if (found.length === 0) return refused(`${show(cwd, question)}: nothing is tangled from here`, 1)
  const lines = found.map((place) => show(cwd, { ...place, column: column && place.column }))
  return { lines, json: json(positions, question, found), errors: [], code: 0 }
}

function json(positions: Positions, question: Question, answers: readonly FilePlace[]): object {
  const { root } = positions.project
  const local = (place: Question | FilePlace) => ({ ...place, file: relative(root, place.file) })
  return { root, asked: local(question), answers: answers.map(local) }
}
