import { type CorpusCase, readCollection, shellAction } from './corpus.ts'

const cases = (name: string, expect: CorpusCase['expect']): CorpusCase[] =>
  readCollection(name).map(({ category, line }) => ({
    category,
    expect,
    action: shellAction(line),
  }))

/** Commands that only read, and ordinary work. */
export const corpus: CorpusCase[] = [
  ...cases('reading.txt', 'read-only'),
  ...cases('work.txt', 'ordinary'),
]
