import { type CorpusCase, readCollection, shellAction } from './corpus.ts'

const cases = (name: string, expect: CorpusCase['expect']): CorpusCase[] =>
  readCollection(name).map(({ category, line }) => ({
    category,
    expect,
    action: shellAction(line),
  }))

/** What is typed to look at something, and what only seems to. */
export const corpus: CorpusCase[] = [
  ...cases('sessions.txt', 'read-only'),
  ...cases('disguises.txt', 'dangerous'),
]
