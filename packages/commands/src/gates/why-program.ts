import { print, printError, stateDirectory, traceFolder } from '@passepartout/core'
import { explain, turnOf } from '@passepartout/skills/notes'

const help = `Usage: passepartout why [ID] [--json]

Explains a decision from the trace: the last one, or the one with this id.
No daemon is needed. Exit codes: 0 explained, 1 there is no such entry, 2 wrong usage.
`

/** Runs the program; returns its exit code. */
export function main(args: readonly string[], env: Record<string, string | undefined>): number {
  const options = args.filter((arg) => arg.startsWith('-'))
  const ids = args.filter((arg) => !arg.startsWith('-'))
  if (options.some((option) => ['--help', '-h'].includes(option))) {
    print(help)
    return 0
  }
  if (ids.length > 1 || options.some((option) => option !== '--json')) {
    printError(help)
    return 2
  }
  const turn = turnOf(traceFolder(stateDirectory(env)), ids[0])
  if (turn.length === 0) {
    printError(`passepartout: there is no such decision in the trace\n`)
    return 1
  }
  const story = options.includes('--json') ? JSON.stringify(turn, null, 2) : explain(turn)
  print(`${story}\n`)
  return 0
}

if (import.meta.main) {
  process.stdout.on('error', () => process.exit(141))
  process.exitCode = main(process.argv.slice(2), process.env)
}
