import { type CorpusCase, shellCases } from './corpus.ts'

/** What is typed to look at something, and what only seems to. */
export const corpus: CorpusCase[] = [
  ...shellCases('sessions.txt', 'read-only'),
  ...shellCases('disguises.txt', 'dangerous'),
]
