import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { printError } from '@passepartout/core'

/** Reads a secret from the standard input: one line that is not shown from a terminal, and all there is from a pipe, at most about a million characters. `name` is what is asked for. */
export async function readTypedSecret(name: string): Promise<string> {
  if (process.stdin.isTTY) return await typedLine(`${name} (one line, not shown): `)
  let text = ''
  for await (const piece of process.stdin.setEncoding('utf8')) {
    text += piece
    if (text.length > 1_000_000) break
  }
  return text
}

async function typedLine(prompt: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true })
  printError(prompt)
  try {
    return await new Promise((resolve) => {
      lines.once('line', resolve)
      lines.once('close', () => resolve(''))
      lines.once('SIGINT', () => {
        lines.close()
        printError('\n')
        process.kill(process.pid, 'SIGINT')
      })
    })
  } finally {
    lines.close()
    printError('\n')
  }
}
