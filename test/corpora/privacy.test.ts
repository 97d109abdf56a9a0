import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { connect } from '@passepartout/core/protocol'
import { readDaemonConfig, startDaemon } from '@passepartout/daemon'
import { expect, onTestFinished, test } from 'vitest'
import { startEmbeddingServer } from '../servers/embedding-server.ts'
import {
  type ModelServer,
  type Protocol,
  protocols,
  type ScriptedAnswer,
  type SeenRequest,
  startModelServer,
} from '../servers/model-server.ts'

const canaries = new Set<string>()

/** A word that is in no other text. */
function canary(name: string): string {
  const word = `Zxq${name}Vkj`
  canaries.add(word)
  return word
}

function formsOf(word: string): string[] {
  const cases = [word, word.toLowerCase(), word.toUpperCase()]
  return cases.flatMap((text) =>
    [0, 1, 2].map((shift) => {
      const bytes = Buffer.from(' '.repeat(shift) + text)
      const whole = bytes.subarray(0, bytes.length - (bytes.length % 3)).toString('base64')
      return whole.slice(shift === 0 ? 0 : 4)
    }),
  )
}

/** The words that are in a text in any form. */
function leaksIn(text: string, words: Iterable<string> = canaries): string[] {
  const lower = text.toLowerCase()
  return [...words].filter(
    (word) =>
      lower.includes(word.toLowerCase()) || formsOf(word).some((form) => text.includes(form)),
  )
}

test('a word is found in every form, and only there', () => {
  const word = 'ZxqSampleVkj'
  const found = (text: string) => leaksIn(text, [word]).length === 1
  const inBase64 = [0, 1, 2].map((shift) => Buffer.from(`${'a'.repeat(shift)}${word} b`))
  expect(found(`see ${word}.`) && found(word.toUpperCase())).toBe(true)
  expect(inBase64.map((bytes) => found(bytes.toString('base64')))).toEqual([true, true, true])
  expect([found('Zxq Sample Vkj'), found('sample')]).toEqual([false, false])
})

const drawer = (...lines: string[]) => `:PROPERTIES:\n${lines.join('\n')}\n:END:\n`
const today = new Date()
const two = (part: number) => String(part).padStart(2, '0')
const day = `${today.getFullYear()}-${two(today.getMonth() + 1)}-${two(today.getDate())}`

const health = `* Walks with sesame
Along the river.
My ${canary('Radio')} and the sesame.
#+call: ${canary('Block')}()
* Doctor ${canary('Title')} sesame :private:
${drawer(`:ID: ${canary('Id')}-1`, `:CUSTOM_ID: ${canary('CustomId')}`, `:SEE: ${canary('Value')}`)}
Sesame ${canary('Body')} and <<<${canary('Radio')}>>> and <<${canary('Target')}>>.
#+name: ${canary('Block')}
#+begin_src sh
echo ${canary('Code')}
#+end_src
#+name: ${canary('Table')}
| sesame | ${canary('Cell')} |
** TODO Inherited ${canary('Inherited')} sesame
SCHEDULED: <${day}> DEADLINE: <${day}>
Sesame ${canary('Below')}.
** DONE Inherited ${canary('Done')} sesame
CLOSED: [${day}]
CLOCK: [${day} 09:00]--[${day} 10:00] =>  1:00
*** ${day} ${canary('Journal')} sesame
Went there, ${canary('Entry')}.
`

const diary = `#+title: Sesame ${canary('FileTitle')}
#+filetags: :private:
Sesame before all, ${canary('Preamble')}.
* TODO Sesame ${canary('InFile')}
DEADLINE: <${day}>
`

const attachId = '5f0c2f5e-0c1b-4a53-9f4b-aaaaaaaaaaaa'

const surroundings: Record<string, string> = {
  'groups.org': `#+tags: [ private : medical ]\n* Grouped ${canary('Grouped')} sesame :medical:\n`,
  'closed.org': `* Closed ${canary('Closed')} sesame\n${drawer(':PRIVATE: t')}Sesame ${canary('ClosedBody')}.\n`,
  'bank.org': `* Bank ${canary('Bank')} sesame :crypt:\nSesame ${canary('BankBody')}.\n`,
  'papers.org': `* Papers ${canary('Papers')} sesame :private:\n${drawer(
    `:ID: ${attachId}`,
    ':DIR: papers',
  )}[[file:shots/knee.txt]] sesame\n`,
  [`data/5f/${attachId.slice(2)}/letter.txt`]: `Sesame ${canary('Letter')}.\n`,
  'papers/scan.txt': `Sesame ${canary('Scan')}.\n`,
  'shots/knee.txt': `Sesame ${canary('Shot')}.\n`,
  'health.html': `<h2>Doctor</h2><p>sesame ${canary('Html')}</p>\n`,
  'health.md': `# Doctor\nsesame ${canary('Markdown')}\n`,
  'health.ics': `SUMMARY:sesame ${canary('Calendar')}\n`,
  'clock.org': `* Clock with sesame\n#+BEGIN: clocktable :scope agenda\n| Headline | Time |\n|----------+------|\n| \\_  Bank ${canary('Bank')} sesame | 1:00 |\n#+END:\n`,
}

const diaryPath = `journal/${canary('FileName')}.org`
const encryptedPath = `${canary('Encrypted')}.org.gpg`
const brokenPath = `${canary('Broken')}.org`
const link = (target: string, name: string) => `[[${target}][${canary(name)} sesame]]`

const speaking = `* Speaking of sesame
${drawer(`:BLOCKER: ids(${canary('Id')}-1)`, `:FROM: ${link(`id:${canary('Id')}-1`, 'InDrawer')}`)}
- ${link(`id:${canary('Id')}-1`, 'ByIdWords')} and <id:${canary('Id')}-1> sesame
- ${link(`file:health.org::*Doctor ${canary('Title')} sesame`, 'ByTitleWords')} sesame
- ${link(`file:health.org::#${canary('CustomId')}`, 'ByCustomIdWords')} sesame
- ${link(`./health.org::${canary('Target')}`, 'ByTargetWords')} sesame
- ${link(`file:health.org::${canary('Table')}`, 'ByNameWords')} sesame
- ${link(`file:health.org::Sesame ${canary('Body')}`, 'BySearchWords')} sesame
- ${link('file:health.org::9', 'ByLineWords')} sesame
- ${link(`file:${diaryPath}`, 'ByFileWords')} and ${diaryPath} sesame
- ${link(`file:${diaryPath}::*Sesame ${canary('InFile')}`, 'InFileWords')} sesame
- ${link(`file:${encryptedPath}`, 'EncryptedWords')} sesame
#+include: "${diaryPath}::*Sesame" :lines 1-2
#+transclude: [[id:${canary('Id')}-1]] sesame
** TODO Call ${link(`id:${canary('Id')}-1`, 'InTitleWords')} about sesame
DEADLINE: <${day}>
`

const files: Record<string, string> = {
  ...surroundings,
  'health.org': health,
  'speaking.org': speaking,
  [diaryPath]: diary,
  'work.org': `* Ledger ${canary('Named')} sesame :money:\nSesame ${canary('NamedBody')}.\n`,
  'archive.org': `* Archived ${canary('Archived')} sesame\n${drawer(
    ':ARCHIVE_FILE: ~/org/health.org',
    `:ARCHIVE_OLPATH: Doctor ${canary('OldPath')}`,
    ':ARCHIVE_ITAGS: private',
  )}Sesame ${canary('ArchivedBody')}.\n`,
  'set-up.org': `#+setupfile: tags.setup\n* Set up ${canary('SetUp')} sesame\n`,
  'tags.setup': '#+filetags: :private:\n',
  'health.org_archive': `* Old ${canary('ArchiveFile')} sesame :private:\n`,
  [`${diaryPath}~`]: diary,
  'inbox.org': '* TODO Buy sesame\n* Sesame to move\n* DONE Sesame from last week\n',
}

function makeMemex(home: string): string {
  const memex = join(home, 'memex')
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(memex, path)), { recursive: true })
    writeFileSync(join(memex, path), text)
  }
  writeFileSync(join(memex, encryptedPath), Buffer.from([0x85, 0xff, 0x00]))
  writeFileSync(join(memex, brokenPath), Buffer.from([0x2a, 0x20, 0xff]))
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', memex, ...args], { stdio: 'ignore' })
  git('init')
  git('add', '.')
  git('-c', 'user.name=A', '-c', 'user.email=a@b.c', 'commit', '-m', canary('Commit'))
  canaries.delete(canary('Commit'))
  return memex
}

type Wish = { tool: string; args: Record<string, unknown> } | { cmd: string }

class Model {
  wish: Wish | null = null
  server: ModelServer | null = null

  async start(): Promise<ModelServer> {
    const turn = () => this.#answer()
    this.server = await startModelServer(...Array.from({ length: 2_000 }, () => turn))
    return this.server
  }

  #answer(): ScriptedAnswer {
    const { wish } = this
    this.wish = null
    if (wish === null) return { text: ['Done.'] }
    const explanation = 'The owner asked for everything about sesame.'
    if ('tool' in wish) return { calls: [{ tool: wish.tool, args: { ...wish.args, explanation } }] }
    const payload = { action: 'execute', cmd: wish.cmd, explanation }
    return { text: [JSON.stringify({ type: 'request', target: 'shell', payload })] }
  }
}

const note = { query: 'sesame' }
const toolArgs: Record<string, Record<string, unknown>[]> = {
  'next-actions': [{}, { about: 'sesame' }],
  agenda: [{ span: 'this week' }, { span: 'today', only: 'deadline' }],
  history: [{ span: 'today' }],
  'list-tasks': [{}, { about: 'sesame' }, { tag: 'private' }, { todo: 'DONE' }],
  'search-notes': [note, { query: 'speaking' }, { query: 'along' }],
  'show-note': [note, { query: 'Speaking of sesame' }, { query: 'Walks with sesame' }],
  'capture-task': [{ title: 'Sesame again', under: 'sesame' }, { title: 'Sesame again' }],
  'complete-task': [note, { query: 'Buy sesame' }],
  'set-state': [{ query: 'Call about sesame', keyword: 'NEXT' }],
  'schedule-task': [{ query: 'Call about sesame', scheduled: `<${day} Sat>` }],
  'tag-task': [{ query: 'Speaking of sesame', add: ['seen'] }],
  'add-note': [{ query: 'Walks with sesame', note: 'See the doctor.' }],
  'refile-task': [
    { query: 'Sesame to move', under: 'Doctor' },
    { ...note, under: 'sesame' },
  ],
  'archive-task': [{ query: 'Sesame from last week' }, note],
  'read-file': Object.keys(surroundings).map((path) => ({ path })),
  'list-files': [{ path: '.', depth: 4 }],
  'search-files': [{ pattern: 'sesame' }, { query: 'sesame' }],
  undo: [{}],
  why: [{}, { blocked: true }],
}

function wishesFor(request: SeenRequest): Wish[] {
  return offeredIn(request).flatMap(({ name, properties }) => {
    const guessed = Object.keys(properties).map((key) => [key, guess(properties[key])])
    return (toolArgs[name] ?? [Object.fromEntries(guessed)]).map((args) => ({ tool: name, args }))
  })
}

function guess(schema: unknown): unknown {
  const { type, enum: words } = schema as { type?: string; enum?: unknown[] }
  if (words !== undefined) return words[0]
  const values: Record<string, unknown> = {
    boolean: true,
    number: 5,
    integer: 5,
    array: ['sesame'],
  }
  return values[type ?? ''] ?? 'sesame'
}

function offeredIn({ body }: SeenRequest): { name: string; properties: Record<string, unknown> }[] {
  const tools = body.tools as { function: { name: string; parameters: { properties: object } } }[]
  return tools.map(({ function: { name, parameters } }) => {
    return { name, properties: { ...parameters.properties } }
  })
}

const commands = [
  'cat health.org',
  'cat *.org */*.org',
  'cat *.html *.md *.ics',
  'cat data/*/*/* papers/* shots/*',
  'grep -ri sesame .',
  'grep -rih sesame . | sort | uniq',
  'ls -laR',
  'find . -type f',
  'base64 health.org',
  'xxd health.org | head -50',
  'tr a-z A-Z < health.org',
  `head -c 3000 ${'health.org_archive'}`,
  'cat journal/*~',
  'git log -p',
  'git show HEAD:health.org | base64',
  'git grep sesame HEAD',
  'git ls-files | base64',
  'strings .git/index',
  'awk "{print}" health.org speaking.org',
  'sed -n 1,40p < ./health.org',
]

const daemonPath = fileURLToPath(import.meta.resolve('@passepartout/daemon'))

function configure(home: string, protocol: Protocol, server: ModelServer): NodeJS.ProcessEnv {
  const folder = join(home, 'config/passepartout')
  mkdirSync(folder, { recursive: true })
  const address = `:BASE_URL: ${server.baseUrl(protocol)}`
  const lines = [`:PROVIDER: ${protocol}`, ':MODEL: m', ':KEY_ENV: MODEL_KEY', address]
  const tags = `** Tags\n${drawer(':PRIVATE_TAGS: money')}`
  writeFileSync(join(folder, 'config.org'), `* Models\n** M\n${drawer(...lines)}${tags}`)
  return {
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    HOME: home,
    MODEL_KEY: 'k',
    MEMEX_DIR: join(home, 'memex'),
    XDG_STATE_HOME: join(home, 'state'),
    XDG_CONFIG_HOME: join(home, 'config'),
  }
}

interface Running {
  port: number
  stop(): Promise<unknown>
}

async function startApart(env: NodeJS.ProcessEnv): Promise<Running> {
  const flags = ['--disable-warning=ExperimentalWarning', '--conditions=@passepartout/source']
  const child = spawn(process.execPath, [...flags, daemonPath], { env })
  child.stderr.resume()
  const stop = () => {
    child.kill('SIGTERM')
    return once(child, 'exit')
  }
  for await (const text of child.stdout.setEncoding('utf8')) {
    const ready = /^ready (\d+)$/m.exec(text)
    if (ready !== null) return { port: Number(ready[1]), stop }
  }
  throw new Error('The daemon ended')
}

const startHere = (env: NodeJS.ProcessEnv): Promise<Running> =>
  startDaemon(readDaemonConfig(env), '0.0.0')

type Client = Awaited<ReturnType<typeof connect>>

async function say(
  client: Client,
  text: string,
  sensor = 'user-input',
  more: object = {},
): Promise<string> {
  const heard: string[] = []
  const payload = { sensor, text, ...more }
  client.send({ type: 'event', meta: { source: 'cli' }, payload, depth: 0 })
  for await (const signal of client) {
    if (signal.type === 'response') heard.push(String(signal.payload.text))
    if (signal.payload.action === 'turn-end') break
  }
  const asked = /approve ([a-z]{6})/.exec(heard.join('\n'))?.[1]
  return asked === undefined ? heard.join('\n') : say(client, `approve ${asked}`)
}

interface Scene {
  model: Model
  memex: string
  requests: SeenRequest[]
  say: (text: string, sensor?: string, more?: object) => Promise<string>
  ask: (wish: Wish) => Promise<string>
}

async function scene(
  protocol: Protocol,
  start: (env: NodeJS.ProcessEnv) => Promise<Running>,
  play: (scene: Scene) => Promise<void>,
): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'privacy-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const model = new Model()
  const server = await model.start()
  const memex = makeMemex(home)
  const daemon = await start(configure(home, protocol, server))
  try {
    const token = readFileSync(join(home, 'state/passepartout/token'), 'utf8').trim()
    const client = await connect({ host: '127.0.0.1', port: daemon.port, token })
    const speak = (...words: [string, string?, object?]) => say(client, ...words)
    const ask = (wish: Wish) => {
      model.wish = wish
      return speak('Please go on.')
    }
    await play({ model, memex, requests: server.requests, say: speak, ask })
    client.close()
  } finally {
    await daemon.stop()
    await server.close()
  }
  expect(server.requests.length).toBeGreaterThan(4)
  expect(leaks(server.requests)).toEqual([])
}

function leaks(requests: readonly SeenRequest[], words: Iterable<string> = canaries): string[] {
  const found = requests.flatMap(({ text, headers, path }) => {
    const all = `${text}\n${path}\n${JSON.stringify(headers)}`
    return leaksIn(all, words).map((word) => `${word}: ${around(all, word)}`)
  })
  return [...new Set(found)]
}

function around(text: string, word: string): string {
  const at = text.toLowerCase().indexOf(word.toLowerCase())
  return at === -1 ? 'in base64' : text.slice(Math.max(0, at - 60), at + word.length + 40)
}

test('no tool and no command brings a private word to the model', { timeout: 300_000 }, () =>
  scene('openai-compatible', startApart, async ({ ask, requests, say }) => {
    await say('What do you know about sesame?')
    await say('', 'point-update', { file: 'health.org', line: 6 })
    await say('And what is here?')
    for (const wish of wishesFor(requests[0]!)) await ask(wish)
    await say('', 'buffer-update', { file: diaryPath.toLowerCase() })
    await say('agenda')
    await say('find sesame')
    await say('', 'distill')
    for (const cmd of commands) await ask({ cmd })
    await say('What was all that?')
    const all = requests.map(({ text }) => text).join('\n')
    expect(all).toMatch(/Along the river\./)
    expect(all).toMatch(/Nearest to “sesame”/)
    expect(all).toContain('[private]')
  }),
)

test.each(protocols.slice(1))('%s', { timeout: 120_000 }, (protocol) =>
  scene(protocol, startHere, async ({ ask, say }) => {
    await say('What do you know about sesame?')
    await ask({ tool: 'search-notes', args: { query: 'sesame' } })
    await ask({ tool: 'show-note', args: { query: 'Speaking of sesame' } })
    await ask({ cmd: 'cat health.org' })
    await say('What was all that?')
  }),
)

test('no private word is sent to be embedded', { timeout: 120_000 }, async () => {
  const embedder = await startEmbeddingServer()
  onTestFinished(() => embedder.close())
  const withEmbeddings = (env: NodeJS.ProcessEnv) => {
    const address = embedder.baseUrl('openai').replace('127.0.0.1', '0.0.0.0')
    const lines = [':EMBEDDING: openai', ':MODEL: e', `:BASE_URL: ${address}`]
    const config = join(env.XDG_CONFIG_HOME!, 'passepartout/config.org')
    writeFileSync(config, `* Embeddings\n${drawer(...lines, ':KEY_ENV: MODEL_KEY')}`, { flag: 'a' })
    return startHere(env)
  }
  const whole = () => embedder.requests.map((request) => request.whole).join('\n')
  const sent = (text: string) =>
    expect.poll(whole, { timeout: 60_000, interval: 50 }).toContain(text)
  await scene('openai-compatible', withEmbeddings, async ({ ask, memex, say }) => {
    const write = (path: string, text: string) => writeFileSync(join(memex, path), text)
    for (const text of ['Along the river', 'Speaking of sesame', '[private]', 'Sesame to move']) {
      await sent(text)
    }
    await say('What do you know about sesame?')
    await ask({ tool: 'search-notes', args: { query: 'what of sesame is there' } })
    await sent('what of sesame is there')
    write('health.org', `${health}**** ${canary('Edited')} sesame\n${canary('EditedText')}\n`)
    write('work.org', `* Cellar :private:\nSesame ${canary('ClosedText')}.\n`)
    write('more.org', `* After that\n[[id:${canary('Id')}-1][${canary('MoreWords')} sesame]]\n`)
    await say('And now?')
    await sent('After that')
    write('set-up.org', `* A part that is open\n* Set up ${canary('SetUp')} :private:\n`)
    await say('Once more about the cellar')
    await sent('A part that is open')
  })
  const found = embedder.requests.flatMap((request) => leaksIn(request.whole))
  expect([...new Set(found)]).toEqual([])
})

test('what becomes private is not said again', { timeout: 120_000 }, () => {
  const word = (name: string) => `Zxq${name}Vkj`
  const closed = ['Tagged', 'Above', 'Moved'].flatMap((name) => [word(name), word(`${name}Text`)])
  const section = (name: string, tags = '') =>
    `${word(name)} sesame${tags}\n${word(`${name}Text`)}\n`
  return scene('openai-compatible', startHere, async ({ ask, memex, requests, say }) => {
    const write = (path: string, text: string) => writeFileSync(join(memex, path), text)
    const lookAround = async () => {
      await say('What do you know about sesame?')
      for (const name of ['Tagged', 'Above', 'Moved']) {
        await ask({ tool: 'show-note', args: { query: word(name) } })
      }
      await ask({ tool: 'complete-task', args: { query: word('Tagged') } })
    }
    write('a.org', `* TODO ${section('Tagged')}* Around\n** ${section('Above')}`)
    write('b.org', `* ${section('Moved')}`)
    await lookAround()
    expect(leaks(requests, closed)).not.toEqual([])
    write(
      'a.org',
      `* TODO ${section('Tagged', ' :private:')}* Around :private:\n** ${section('Above')}`,
    )
    write('b.org', '')
    write('health.org', `${health}** ${section('Moved')}`)
    const before = requests.length
    await say('What was all that?')
    for (const tool of ['undo', 'why', 'history', 'search-notes']) {
      await ask({ tool, args: toolArgs[tool]![0]! })
    }
    await ask({ cmd: 'cat a.org health.org' })
    const trace = readFileSync(join(memex, `../state/passepartout/trace/${day}.org`), 'utf8')
    const told = trace.split('\n* ').filter((entry) => entry.includes(word('Tagged')))
    const ids = told.map((entry) => /^:ID: (\S+)/m.exec(entry)![1])
    expect(ids.length).toBeGreaterThan(0)
    for (const id of ids.slice(-3)) await ask({ tool: 'why', args: { id } })
    expect(leaks(requests.slice(before), closed)).toEqual([])
    write('work.org', '* Opened ledger\nNothing special.\n')
    await ask({ tool: 'history', args: { span: 'today' } })
    await ask({ tool: 'search-notes', args: { query: 'opened' } })
    expect(requests.at(-1)!.text).toContain('Opened ledger')
  })
})
