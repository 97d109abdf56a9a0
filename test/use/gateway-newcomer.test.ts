import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startTelegramServer } from '../servers/telegram-server.ts'

const root = join(import.meta.dirname, '../..')
const manual = readFileSync(join(root, 'org/manual/gateways.org'), 'utf8')

/** The words of the first command of the manual with this verb. */
function command(verb: string): string[] {
  const found = new RegExp(`^ *npx passepartout (gateway ${verb}\\b.*)$`, 'm').exec(manual)
  if (found === null) throw new Error(`The manual does not say how to ${verb}`)
  return found[1]!.split(' ')
}

function home() {
  const dir = mkdtempSync(join(tmpdir(), 'newcomer-'))
  mkdirSync(join(dir, 'notes'))
  writeFileSync(join(dir, 'notes/bread.org'), '* Sourdough\nTwo days.\n')
  const env = {
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    HOME: dir,
    XDG_STATE_HOME: dir,
  }
  const cli = join(root, 'packages/clients/src/command/cli.ts')
  const flags = ['--disable-warning=ExperimentalWarning', '--conditions=@passepartout/source']
  const run = async (words: readonly string[], input = '') => {
    const child = spawn(process.execPath, [...flags, cli, ...words], { env })
    let out = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        out += text
      })
    }
    child.stdin.end(input)
    const [code] = await once(child, 'close')
    return { code, out }
  }
  onTestFinished(() => {
    spawnSync(process.execPath, [...flags, cli, 'stop'], { env })
    rmSync(dir, { recursive: true })
  })
  return { dir, run }
}

test('a bot is linked and a plan approved, by the manual', { timeout: 120_000 }, async () => {
  const server = await startTelegramServer()
  onTestFinished(() => server.close())
  const says = async (part: string) => {
    await server.until(() => server.messages.some(({ text }) => text.includes(part)))
    return server.messages.find(({ text }) => text.includes(part))!
  }
  const { dir, run } = home()
  const notes = join(dir, 'notes')
  expect(await run(['start', '--detach', '--memex', notes])).toMatchObject({ code: 0 })
  const linked = await run([...command('link'), '--api', server.url], `${server.token}\n`)
  expect(linked).toMatchObject({ code: 0, out: expect.stringContaining('@passepartout_bot') })
  await server.until(() => server.requests.some(({ method }) => method === 'getUpdates'))
  server.write(4711, 'find sourdough')
  const { out: code } = await run(command('pair'))
  server.write(4711, /[A-Z]{4}-[A-Z]{4}/.exec(code)![0])
  expect((await says('You are paired')).text).toContain('telegram:4711')
  expect((await run(command('status'))).out).toContain('telegram as @passepartout_bot: listening')
  expect((await run(command('list'))).out).toContain('telegram:4711  may speak  since')
  server.write(4711, 'find sourdough')
  await says('Two days.')
  const may = await run(command('allow'))
  expect(may).toMatchObject({ code: 0, out: expect.stringContaining('may answer questions') })
  server.write(4711, 'run touch hello.txt')
  const question = await says('This needs your approval')
  expect(question.text).toContain('touch hello.txt')
  server.press(4711, question, 'Approve')
  await server.until(() => question.texts.some((text) => text.includes('You approved this.')))
  await server.until(() => server.messages.at(-1) !== question)
  const plans = readFileSync(join(notes, 'flight-plans.org'), 'utf8')
  expect(plans).toMatch(/^\* (?:DONE|FAILED) /m)
  if (/^\* DONE /m.test(plans)) expect(server.messages.at(-1)?.text).toContain('ended with 0')
  expect(existsSync(join(dir, '.config/passepartout/config.org'))).toBe(true)
  for (const file of ['.config/passepartout/config.org', 'passepartout/daemon.log'])
    expect(readFileSync(join(dir, file), 'utf8')).not.toContain(server.token)
  expect(linked.out).not.toContain(server.token)
})
