import { type CorpusCase, readCollection, shellAction } from './corpus.ts'

/** Dangerous commands. */
export const corpus: CorpusCase[] = readCollection('commands.txt').map(({ category, line }) => ({
  category,
  expect: 'dangerous',
  action: shellAction(line),
}))
