import { type CorpusCase, shellCases } from './corpus.ts'

/** Commands that only read, and ordinary work. */
export const corpus: CorpusCase[] = [
  ...shellCases('reading.txt', 'read-only'),
  ...shellCases('work.txt', 'ordinary'),
]
