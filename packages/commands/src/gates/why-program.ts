import { stateDirectory, traceFolder } from '@passepartout/core'
import { explain, turnOf } from '@passepartout/skills/notes'
import { type Answer, type Given, ProgramError } from '../line/program.ts'

/** A decision told from the trace: the last one, or the one with this id. */
export async function explainDecision({ env, words: [id] }: Given): Promise<Answer> {
  const turn = turnOf(traceFolder(stateDirectory(env)), id)
  if (turn.length === 0) throw new ProgramError('there is no such decision in the trace')
  return { text: explain(turn), data: turn }
}
