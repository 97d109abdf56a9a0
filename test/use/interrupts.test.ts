import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { setStage } from '../servers/terminal-stage.ts'
import { hasTmux, Terminal, untilRunning } from '../servers/tmux.ts'

const program = join(import.meta.dirname, '../../packages/clients/src/command/passepartout.ts')
const flags = '--disable-warning=ExperimentalWarning --conditions=@passepartout/source'

interface Case {
  words: string
  /** What stands on the screen when there is something to stop. */
  shows: RegExp
  code: number
}

const cases: readonly Case[] = [
  { words: 'ask tell me a long story about words', shows: /word9 /, code: 130 },
  { words: 'logs -f', shows: /ready: port/, code: 0 },
  { words: 'gates check', shows: /^/, code: 130 },
  { words: 'vault set name', shows: /not shown/, code: 130 },
  { words: 'chat', shows: /help\. Ctrl-D ends/, code: 0 },
]

const story = {
  text: Array.from({ length: 300 }, (_, at) => `word${at} `),
  fault: 'hangs in the stream',
}

const title = hasTmux ? 'Ctrl-C' : 'Ctrl-C (left out: tmux is not installed)'
test.skipIf(!hasTmux).each(cases)(`${title}: $words`, { timeout: 120_000 }, async (given) => {
  const { env, ...stage } = await setStage({ 'a.org': '* One\n' }, story)
  onTestFinished(() => stage.close())
  await stage.startDaemon()
  const shell = await Terminal.open('exec bash --norc -i', { ...env, PS1: 'ready> ', HISTFILE: '' })
  onTestFinished(() => shell.close())
  await shell.until(/ready>/)
  const words = `'${process.execPath}' ${flags} '${program}' ${given.words}`
  await shell.type(`clear; echo run $((1)); ${words}\r`)
  await untilRunning(shell, 'node')
  await shell.until((screen) => given.shows.test(screen.split(/^run 1$/m)[1] ?? ''))
  await shell.press('C-c')
  await shell.until(/^(?:\^C)?ready> *$/m)
  await shell.type('echo code $?\r')
  expect(await shell.until(/^code \d+$/m)).toMatch(new RegExp(`^code ${given.code}$`, 'm'))
})

const secretTitle = hasTmux ? 'a typed secret' : 'a typed secret (left out: tmux is not installed)'
test.skipIf(!hasTmux)(`${secretTitle} is not shown`, { timeout: 120_000 }, async () => {
  const { env, ...stage } = await setStage({ 'a.org': '* One\n' }, story)
  onTestFinished(() => stage.close())
  const shell = await Terminal.open('exec bash --norc -i', { ...env, PS1: 'ready> ', HISTFILE: '' })
  onTestFinished(() => shell.close())
  await shell.until(/ready>/)
  await shell.type(`'${process.execPath}' ${flags} '${program}' vault set bank\r`)
  await shell.until(/not shown/)
  await shell.type('correct-horse-7-battery\r')
  expect(await shell.until(/bank is kept\.\s+ready>/)).not.toContain('horse')
})
