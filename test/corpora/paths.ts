import { type CorpusCase, readCollection, toolAction } from './corpus.ts'

function toCase(category: string, line: string, expect: CorpusCase['expect']): CorpusCase {
  const path = line.replace(/^(read|write) /, '')
  const action = line.startsWith('write ')
    ? toolAction('write-file', { path, content: 'Hello\n' })
    : toolAction('read-file', { path })
  return { category, expect, action }
}

/** Tricks with paths, and plain paths. */
export const corpus: CorpusCase[] = [
  ...readCollection('paths.txt').map(({ category, line }) => toCase(category, line, 'dangerous')),
  ...readCollection('plain-paths.txt').map(({ category, line }) =>
    toCase(category, line, line.startsWith('write ') ? 'ordinary' : 'read-only'),
  ),
]
