import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Turn } from '../servers/model-server.ts'
import { setStage, type TerminalStage } from '../servers/terminal-stage.ts'
import { hasTmux, Terminal } from '../servers/tmux.ts'

const garden = `* TODO Sow beans :spring:
SCHEDULED: <2026-11-19 Thu>
In the *long* bed, see [[file:bread.org][bread]].
#+begin_src sh
echo "beans" # twice
#+end_src
`
const notes = { 'garden.org': garden, 'bread.org': '* Sourdough\nFlour and water.\n' }

async function stage(...script: Turn[]): Promise<TerminalStage> {
  const made = await setStage(notes, ...script)
  onTestFinished(() => made.close())
  await made.startDaemon()
  return made
}

function scene(name: string, play: () => Promise<void>): void {
  const title = hasTmux ? name : `${name} (left out: tmux is not installed)`
  test.skipIf(!hasTmux)(title, { timeout: 180_000 }, play)
}

const story = Array.from({ length: 300 }, (_, index) => `word${index} `)

scene('an answer streams, is stopped, and cannot drive the terminal', async () => {
  const hostile = '\x1b[2J\x1b]0;evil\x07 \x1b[31mred \u202e\u200b * end *'
  const { open } = await stage({ text: story, fault: 'hangs in the stream' }, { text: [hostile] })
  const terminal = await open('tui')
  await terminal.until(/● connected/)
  await terminal.type('tell me a long story about words\r')
  await terminal.until(/word20[\s\S]*working {2}Ctrl-C stops/)
  await terminal.type('another thing\r')
  await terminal.until(/1 queued/)
  await terminal.press('C-c')
  await terminal.until(/· {2}Stopped\.[\s\S]*❯ another thing/)
  await terminal.press('Enter')
  const screen = await terminal.until(/␛\[2J␛\]0;evil␇ ␛\[31mred/)
  expect(screen).toContain('❯ Ask, tell')
  expect(await terminal.fact('#{pane_title}')).not.toContain('evil')
})

const call = {
  tool: 'capture-task',
  args: { title: 'Buy oat milk', explanation: 'You asked me to remember it.' },
}

scene('a card is approved with one key, and with nothing else', async () => {
  const { open, memex } = await stage({ calls: [call] }, { text: ['It is in your inbox.'] })
  const inbox = join(memex, 'inbox.org')
  const terminal = await open('tui')
  await terminal.until(/● connected/)
  await terminal.type('please remember to buy oat milk for me\r')
  await terminal.until(
    /Needs your approval {2}capture-task[\s\S]*Buy oat milk[\s\S]*▲ 1 waiting for you/,
  )
  await terminal.paste('a')
  await terminal.until(/❯ a /)
  await terminal.press('BSpace')
  await terminal.type('\ta')
  await terminal.until(/┗━ {2}a {2}approve/)
  expect(existsSync(inbox)).toBe(false)
  await terminal.paste('a')
  await terminal.until(/read it first/)
  await terminal.until(/┗━ {2}a {2}approve/)
  await terminal.press('a')
  await terminal.until(/✓ approved {2}capture-task[\s\S]*It is in your inbox\./)
  expect(readFileSync(inbox, 'utf8')).toMatch(/^\* TODO Buy oat milk$/m)
})

scene('/why tells what the gates said', async () => {
  const args = { cmd: 'rm -rf ~', explanation: 'You asked for it.' }
  const { open } = await stage({ calls: [{ tool: 'shell', args }] }, { text: ['I may not.'] })
  const terminal = await open('tui')
  await terminal.until(/● connected/)
  await terminal.type('please tidy up my whole home folder\r')
  await terminal.until(/I may not/)
  await terminal.type('/why\r')
  const screen = await terminal.until(/Why[\s\S]*rm -rf ~[\s\S]*dispatcher/)
  expect(screen).toMatch(/reject|refused/i)
  await terminal.press('Escape')
  await terminal.until((now) => /● connected/.test(now) && !/│? Why {2}/.test(now))
})

scene('a daemon is restarted under the client, and nothing is lost', async () => {
  const { open, startDaemon, stopDaemon, model } = await stage({ text: ['Here I am.'] })
  const terminal = await open('tui')
  await terminal.until(/● connected/)
  await stopDaemon()
  await terminal.until(/The daemon is gone[\s\S]*reconnecting/)
  await terminal.type('are you still there, my friend\r')
  await terminal.until(/waits for its turn/)
  await startDaemon()
  await terminal.until(/Here I am\.[\s\S]*● connected/)
  expect(model.requests).toHaveLength(1)
})

scene('panes open and close, the window changes, a paste stays a paste', async () => {
  const { open } = await stage()
  const terminal = await open('tui')
  await terminal.until(/● connected/)
  await terminal.type('/search beans\r')
  await terminal.until(/▸ TODO Sow beans {2}:spring: {2}garden\.org:1/)
  await terminal.press('Enter')
  await terminal.until(
    /Note {2}garden\.org:1[\s\S]*In the long bed, see bread\.[\s\S]*▏ echo "beans" # twice/,
  )
  await terminal.press('Escape')
  await terminal.until(/Search {2}beans/)
  await terminal.press('Escape')
  await terminal.until(/Ask about your notes/)
  await terminal.press('F2')
  await terminal.until(/Agenda[\s\S]*TODO Sow beans/)
  await terminal.resize(200, 60)
  await terminal.until(/Ask about your notes[^\n]*│|│ +Agenda/)
  await terminal.resize(70, 20)
  await terminal.until(/needs 80 × 24; this is 70 × 20/)
  await terminal.resize(80, 24)
  await terminal.press('Escape')
  await terminal.until(/Ask about your notes/)
  await terminal.paste('first line\nsecond line')
  await terminal.until(/│ ❯ first line +│\n│ {3}second line +│/)
  expect(await terminal.fact('#{cursor_x},#{cursor_y}')).toBe('15,21')
  await terminal.press('C-c', 'F1')
  await terminal.until(/Keys[\s\S]*Enter +send/)
  await terminal.type('\x1b[<65;10;10M')
  await terminal.until((screen) => !screen.includes('Enter             '))
})

scene('no colour, and no screen at all', async () => {
  const { open } = await stage({ calls: [call] }, { text: ['Good.'] })
  const terminal = await open('tui', { env: { NO_COLOR: '1' } })
  await terminal.until(/● connected/)
  await terminal.type('please remember to buy oat milk for me\r')
  await terminal.until(/Needs your approval/)
  expect(await terminal.screen({ colours: true })).not.toMatch(/\x1b\[[\d;]*(?:3|4|9|10)[0-7][;m]/)
  const dumb = await open('tui', { env: { TERM: 'dumb' }, columns: 100 })
  const question = await dumb.until(/Question: this needs your approval\. capture-task/)
  const [, word] = /“approve ([a-z]{6})”/.exec(question)!
  await dumb.type(`approve ${word}\r`)
  await dumb.until(/Passepartout: Approved\./)
  await terminal.until(/answered elsewhere[\s\S]*Good\.|Good\.[\s\S]*answered elsewhere/)
  const told = await dumb.screen({ colours: true })
  expect(told).not.toMatch(/[\x1b╭│●]/)
})

scene('the terminal is given back', async () => {
  const { env, home } = await stage()
  const words = `'${process.execPath}' --disable-warning=ExperimentalWarning --conditions=@passepartout/source '${join(import.meta.dirname, '../../packages/clients/src/command/cli.ts')}' tui`
  const shell = await Terminal.open('exec bash --norc -i', { ...env, PS1: 'ready> ' })
  onTestFinished(() => shell.close())
  await shell.until(/ready>/)
  const mine = join(home, 'mine.mjs')
  writeFileSync(
    mine,
    `process.stdin.on('data', (text) => {
    if (String(text) === '!') throw new Error('boom')
  })\n`,
  )
  const asleep = async () => {
    await shell.press('C-z')
    await shell.until(/Stopped/)
    await shell.type('clear; kill -TERM %1; fg; echo code $?\r')
  }
  const ways = [
    { how: () => shell.press('C-c', 'C-c'), code: 'code 0' },
    { how: asleep, code: 'code 143' },
    { how: () => shell.type('!'), code: 'passepartout: boom\ncode 1' },
  ]
  for (const { how, code } of ways) {
    const options = code.includes('boom') ? `NODE_OPTIONS='--import ${mine}' ` : ''
    await shell.type(`clear; ${options}${words}; echo code $?\r`)
    await shell.until(/● connected/)
    expect(await shell.fact('#{alternate_on} #{mouse_any_flag}')).toBe('1 1')
    await how()
    await shell.until(new RegExp(`^${code}\nready>`, 'm'))
    expect(await shell.fact('#{alternate_on} #{mouse_any_flag} #{cursor_flag}')).toBe('0 0 1')
    await shell.type('stty -a; echo done\r')
    await shell.until(/ icanon [\s\S]* echo [\s\S]*done/)
  }
})
