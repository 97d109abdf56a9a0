import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { hasTmux, Terminal } from '../servers/tmux.ts'

const program = join(import.meta.dirname, '../../packages/clients/src/command/passepartout.ts')
const flags = '--disable-warning=ExperimentalWarning --conditions=@passepartout/source'
const words = `'${process.execPath}' ${flags} '${program}'`

async function newHome() {
  const home = mkdtempSync(join(tmpdir(), 'wizard-'))
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    XDG_CACHE_HOME: join(tmpdir(), 'passepartout-cache'),
    HISTFILE: '/dev/null',
  }
  const shell = await Terminal.open('exec bash --norc -i', { ...env, PS1: 'ready> ' })
  onTestFinished(async () => {
    await shell.close()
    rmSync(home, { recursive: true })
  })
  const config = () => {
    const path = join(home, '.config/passepartout/config.org')
    return existsSync(path) ? readFileSync(path, 'utf8') : null
  }
  const vault = () =>
    spawnSync('sh', ['-c', `${words} vault list`], { env, encoding: 'utf8' }).stdout
  return { home, shell, config, vault }
}

type Shell = Awaited<ReturnType<typeof newHome>>['shell']

function scene(name: string, play: () => Promise<void>): void {
  const title = hasTmux ? name : `${name} (left out: tmux is not installed)`
  test.skipIf(!hasTmux)(title, { timeout: 180_000 }, play)
}

interface Answer {
  question: RegExp
  keys: readonly string[]
}

const notes: Answer = { question: /Where are your Org files\?[\s\S]*~\/notes/, keys: ['Enter'] }
const model: Answer = { question: /Which model/, keys: ['small-1', 'Enter'] }
const server: Answer = { question: /Where is the server\?[\s\S]*127\.0\.0\.1/, keys: ['Enter'] }
const key = (value: string): Answer => ({ question: /Its key/, keys: [value, 'Enter'] })
const vendor = (below: number): Answer => ({
  question: /Is there a language model[\s\S]*another server/,
  keys: [...Array<string>(below).fill('Down'), 'Enter'],
})

const secret = 'sk-correct-horse-battery'
const branches: Record<string, readonly Answer[]> = {
  none: [notes, vendor(0)],
  ollama: [notes, vendor(1), model],
  anthropic: [notes, vendor(2), model, key(secret)],
  openai: [notes, vendor(3), model, key(secret)],
  google: [notes, vendor(4), model, key(secret)],
  'openai-compatible': [notes, vendor(5), model, server, key('')],
}

let runs = 0

/** Runs the wizard on a screen without anything of the last time. */
async function begin(shell: Shell, more = ''): Promise<void> {
  runs++
  await shell.type(`clear; echo run $((${runs})); ${words} setup ${more}; echo code $?\r`)
  await shell.until(new RegExp(`^run ${runs}$`, 'm'))
}

/** Answers the first questions of a branch; resolves when the next one is there. */
async function answer(shell: Shell, branch: readonly Answer[], count: number): Promise<void> {
  await begin(shell)
  for (const { keys, question } of branch.slice(0, count)) {
    await shell.until(question)
    for (const each of keys) {
      if (/^(?:Enter|Down)$/.test(each)) await shell.press(each)
      else if (each !== '') await shell.type(each)
    }
  }
  const next = branch[count]
  if (next !== undefined) await shell.until(next.question)
}

for (const [name, branch] of Object.entries(branches)) {
  scene(`${name}, twice`, async () => {
    const { config, home, shell, vault } = await newHome()
    await answer(shell, branch, branch.length)
    const screen = await shell.until(/^code 0$/m)
    expect(screen).toMatch(/config\.org is written[\s\S]*Next: npx passepartout start/)
    expect(screen).not.toContain('horse')
    const written = config()
    expect(written).toContain(':MEMEX: ~/notes\n')
    expect(written?.includes(`:PROVIDER: ${name}\n:MODEL: small-1\n`)).toBe(name !== 'none')
    expect(existsSync(join(home, 'notes'))).toBe(true)
    const hasKey = branch.some(({ keys }) => keys.includes(secret))
    expect(vault().includes(`${name}-key`)).toBe(hasKey)
    expect(written?.includes(`:KEY_VAULT: ${name}-key`)).toBe(hasKey)
    await answer(shell, branch, branch.length)
    await shell.until(/says that already[\s\S]*^code 0$/m)
    expect(config()).toBe(written)
    const files = readdirSync(home, { recursive: true, withFileTypes: true })
    const texts = files
      .filter((file) => file.isFile())
      .map((file) => {
        return readFileSync(join(file.parentPath, file.name), 'latin1')
      })
    expect(texts.filter((text) => text.includes(secret))).toEqual([])
  })
}

scene('Ctrl-C at each question changes nothing', async () => {
  const { config, home, shell } = await newHome()
  const longest = branches['openai-compatible']!
  for (let count = 0; count < longest.length; count++) {
    await answer(shell, longest, count)
    await shell.press('C-c')
    await shell.until(/Nothing was changed\.[\s\S]*^code 130$/m)
    expect([config(), existsSync(join(home, 'notes'))]).toEqual([null, false])
  }
  await answer(shell, branches.ollama!, 3)
  await shell.until(/^code 0$/m)
  const written = config()
  for (let count = 0; count < longest.length; count++) {
    await answer(shell, longest, count)
    await shell.press('C-c')
    await shell.until(/Nothing was changed\.[\s\S]*^code 130$/m)
    expect(config()).toBe(written)
  }
})

scene('what is empty is asked again, and what was said is not asked', async () => {
  const { config, shell } = await newHome()
  await begin(shell, '--memex ~/mine')
  await shell.until(vendor(0).question)
  await shell.press('Down', 'Enter')
  await shell.until(model.question)
  await shell.press('Enter')
  await shell.until(/Please say something/)
  await shell.type('qwen')
  await shell.press('Enter')
  await shell.until(/^code 0$/m)
  expect(config()).toContain(':MEMEX: ~/mine\n')
  expect(config()).toContain(':MODEL: qwen\n')
})
