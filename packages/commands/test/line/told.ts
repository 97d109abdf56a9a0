import { type Context, type Program, runProgram } from '../../src/line/program.ts'

/** What a program says to these words, and its exit code. */
export async function told(
  program: Program,
  words: readonly string[],
  context: Partial<Context>,
): Promise<{ code: number; text: string }> {
  const { code, err, out } = await runProgram(program, words, context)
  return { code, text: out + err }
}
