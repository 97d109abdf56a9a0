import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

const linesMax = 500

function pathIn(stateDir: string): string {
  return join(stateDir, 'tui-history')
}

/** What was sent before, oldest first; empty when there is nothing to read. */
export function readHistory(stateDir: string): string[] {
  try {
    const lines = readFileSync(pathIn(stateDir), 'utf8').split('\n')
    const entries = lines.flatMap((line) => entryIn(line)).slice(-linesMax)
    if (lines.length > linesMax * 2) shorten(stateDir, entries)
    return entries
  } catch {
    return []
  }
}

function entryIn(line: string): string[] {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'string' && value !== '' ? [value] : []
  } catch {
    return []
  }
}

function shorten(stateDir: string, entries: readonly string[]): void {
  const path = pathIn(stateDir)
  const text = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')
  writeFileSync(`${path}.new`, text, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

/** Keeps one line. Never throws. */
export function rememberLine(stateDir: string, text: string): void {
  if (/^(?:approve|deny)\s/i.test(text)) return
  try {
    mkdirSync(stateDir, { recursive: true, mode: 0o700 })
    appendFileSync(pathIn(stateDir), `${JSON.stringify(text)}\n`, { mode: 0o600 })
    chmodSync(pathIn(stateDir), 0o600)
  } catch {
    // The history is a convenience; a full disk is told of elsewhere.
  }
}
