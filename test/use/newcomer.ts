import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startModelServer } from '../servers/model-server.ts'

const root = join(import.meta.dirname, '../..')
const promisedSeconds = 180

interface Newcomer {
  home: string
  run(script: string, input?: string): Promise<{ code: number | null; out: string }>
  leave(): void
}

const name = 'newcomer'
const networkNames = /^(?:NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|https?_proxy|no_proxy)$/i

function newcomer(folder: string): Newcomer {
  const isRoot = process.getuid?.() === 0
  const home = join(folder, 'home')
  const network = Object.entries(process.env).filter(([key]) => networkNames.test(key))
  const env = { HOME: home, PATH: '/usr/local/bin:/usr/bin:/bin', ...Object.fromEntries(network) }
  if (isRoot) execFileSync('useradd', ['--create-home', '--home-dir', home, name])
  else execFileSync('mkdir', [home])
  const ids = isRoot ? { uid: idOf('-u'), gid: idOf('-g') } : {}
  return {
    home,
    run: async (script, input = '') => {
      const child = spawn('sh', ['-c', script], { cwd: home, env, ...ids })
      child.stdin.end(input)
      return readAll(child)
    },
    leave() {
      if (isRoot) execFileSync('userdel', [name])
    },
  }
}

const idOf = (option: string) =>
  Number(execFileSync('id', [option, name], { encoding: 'utf8' }).trim())

function readAll(child: ChildProcess): Promise<{ code: number | null; out: string }> {
  let out = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      out += text
    })
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, out }))
  })
}

const readme = readFileSync(join(root, 'README.md'), 'utf8')

/** The command, as long as the README has it. */
function said(command: string): string {
  const commands = [...readme.matchAll(/^```sh\n(.*?)^```/gms)].flatMap(([, block = '']) =>
    block.split('\n').map((line) => line.replace(/\s+#.*/, '')),
  )
  commands.push(...[...readme.matchAll(/`([^`\n]+)`/g)].map(([, text = '']) => text))
  if (commands.includes(command)) return command
  throw new Error(`The README does not say “${command}” any more`)
}

interface Step {
  what: string
  script: string
  input?: string
  expects: RegExp[]
}

async function walk(user: Newcomer, steps: readonly Step[]): Promise<number> {
  let seconds = 0
  for (const { expects, input, script, what } of steps) {
    const begun = performance.now()
    const { code, out } = await user.run(script, input)
    const took = (performance.now() - begun) / 1_000
    seconds += took
    console.log(`${what.padEnd(52)} ${took.toFixed(1).padStart(6)} s`)
    const missing = expects.find((pattern) => !pattern.test(out))
    if (code === 0 && missing === undefined) continue
    throw new Error(
      `“${script}” ended with ${code}, without ${String(missing ?? 'a fault')}:\n${out}`,
    )
  }
  return seconds
}

const notes = `#+title: My things
* TODO Paint the bicycle shed
* Beehives
The queen was marked blue in May.
`

function firstSteps(bundle: string): Step[] {
  const inside = (command: string) => `cd passepartout && ${command}`
  const own = 'what is next?\nfind beehives\ncapture call the dentist tomorrow\n'
  return [
    { what: 'clone', script: `git clone -q ${bundle} passepartout`, expects: [] },
    { what: said('npm ci'), script: inside('npm ci'), expects: [/added \d+ packages/] },
    {
      what: `${said('npm start')}, with the example`,
      script: inside('npm start'),
      input: 'what is next?\n',
      expects: [/Next: Call the plumber/],
    },
    {
      what: said('MEMEX_DIR=~/notes npm start'),
      script: inside('MEMEX_DIR=~/notes npm start'),
      input: own,
      expects: [
        /Next: Paint the bicycle shed/,
        /marked blue in May/,
        /Captured “Call the dentist”/,
      ],
    },
  ]
}

function laterSteps(baseUrl: string): Step[] {
  const inside = (command: string) => `cd passepartout && ${command}`
  const setup = `${said('npx passepartout setup')} --yes --memex ~/notes`
  const model = `--provider openai-compatible --model small --base-url ${baseUrl}`
  const start = said('npx passepartout start --detach')
  const ask = 'npx passepartout ask'
  return [
    { what: 'npx passepartout setup', script: inside(setup), expects: [/models: 0/] },
    { what: start, script: inside(start), expects: [/Ready for .*notes/] },
    { what: 'a question', script: inside(`${ask} find beehives`), expects: [/marked blue/] },
    {
      what: said('npx passepartout doctor'),
      script: inside('npx passepartout doctor'),
      expects: [/no model is configured/, /answers/],
    },
    { what: 'setup, with a model', script: inside(`${setup} ${model}`), expects: [/models: 1/] },
    { what: 'reload', script: inside('npx passepartout restart'), expects: [/Ready for/] },
    {
      what: 'a question to the model',
      script: inside(`${ask} how are my bees`),
      expects: [/Your queen is the blue one/],
    },
    { what: 'stop', script: inside('npx passepartout stop'), expects: [/Stopped/] },
  ]
}

const folder = mkdtempSync(join(tmpdir(), 'newcomer-'))
chmodSync(folder, 0o755)
const bundle = join(folder, 'passepartout.bundle')
execFileSync('git', ['bundle', 'create', '--quiet', bundle, 'HEAD'], { cwd: root })
chmodSync(bundle, 0o644)
const server = await startModelServer({ text: ['Your queen ', 'is the blue one.'] })
const user = newcomer(folder)
try {
  const mine = join(folder, 'todo.org')
  writeFileSync(mine, notes, { mode: 0o644 })
  await user.run(`mkdir notes && cp ${mine} notes/todo.org`)
  const seconds = await walk(user, firstSteps(bundle))
  console.log(
    `from the clone to one’s own notes: ${seconds.toFixed(1)} s, promised ${promisedSeconds}`,
  )
  if (seconds > promisedSeconds) process.exitCode = 1
  await walk(user, laterSteps(server.baseUrl('openai-compatible')))
  console.log(`the model was asked ${server.requests.length} times`)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  await user.run('cd passepartout && npx passepartout stop').catch(() => {})
  user.leave()
  await server.close()
  rmSync(folder, { recursive: true, force: true })
}
