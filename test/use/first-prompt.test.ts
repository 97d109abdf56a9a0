import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createLoop,
  createRuntime,
  exampleOf,
  ingestMemex,
  loadSkills,
  messagesText,
  openMemex,
  type Provider,
  type ProviderRequest,
  readArguments,
  type Signal,
  toolJson,
} from '@passepartout/core'
import { readDaemonConfig, skillsOf } from '@passepartout/daemon'
import { createTokenCounter } from '@passepartout/models/profiles'
import { expect, onTestFinished, test } from 'vitest'
import { makeMemex } from '../bench/memory-memex.ts'

const tokens = createTokenCounter()
await tokens.ready()

interface Costs {
  system: number
  tools: number
  messages: number
  all: number
}

function costsOf({ messages, system, tools }: ProviderRequest): Costs {
  const parts = {
    system: tokens.count(system),
    tools: tokens.count(tools.map(toolJson).join('\n')),
    messages: tokens.count(messagesText(messages)),
  }
  return { ...parts, all: parts.system + parts.tools + parts.messages }
}

function houseWith(fill: (memexDir: string) => void, window?: number) {
  const home = mkdtempSync(join(tmpdir(), 'first-prompt-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const memexDir = join(home, 'memex')
  mkdirSync(memexDir)
  fill(memexDir)
  const config = readDaemonConfig({ HOME: home, MEMEX_DIR: memexDir })
  const runtime = createRuntime({ config, memex: openMemex(memexDir), tokens })
  ingestMemex(runtime)
  const asked: ProviderRequest[] = []
  const listening: Provider = {
    name: 'listening',
    ...(window === undefined ? {} : { tokensMax: window }),
    async *propose(request) {
      asked.push(request)
      yield { type: 'text', text: 'I see.' }
    },
  }
  loadSkills(runtime, skillsOf(config))
  runtime.providers.unshift(listening)
  const loop = createLoop(runtime)
  onTestFinished(() => loop.close())
  const ask = async (text: string, sessionId = 's') => {
    const meta = { source: 'cli', sessionId, origin: 'owner' } as const
    const payload = { sensor: 'user-input', text }
    const signal: Signal = { type: 'event', meta, payload, depth: 0 }
    await loop.process(signal)
    return asked.at(-1)!
  }
  return { ask, memexDir, runtime }
}

const example = (memexDir: string) =>
  cpSync(join(import.meta.dirname, '../memex'), memexDir, { recursive: true })
const generated = (memexDir: string) => void makeMemex(memexDir, 1_000)

/** The first headlines of three files. */
function titlesIn(memexDir: string): string {
  const files = readdirSync(memexDir, { recursive: true, encoding: 'utf8' }).sort()
  const texts = files.filter((path) => path.endsWith('.org')).slice(5, 8)
  const lines = texts.flatMap((path) => readFileSync(join(memexDir, path), 'utf8').split('\n'))
  const titles = lines.filter((line) => line.startsWith('* '))
  return titles
    .slice(0, 6)
    .map((line) => line.replace(/^\*+ (?:[A-Z]+ )?/, ''))
    .join(' ')
}

const facts = Array.from({ length: 60 }, (_, at) => `* Fact ${at}: likes the window seat\n`).join(
  '',
)

test.each([
  ['the example memex', example, () => 'What should I plant beside the beans this spring?'],
  ['ten thousand notes', generated, titlesIn],
])(
  '%s: the first request',
  async (_, fill, questionIn) => {
    const { ask, memexDir, runtime } = houseWith((dir) => {
      fill(dir)
      writeFileSync(join(dir, 'known.org'), facts)
    })
    const request = await ask(questionIn(memexDir))
    const costs = costsOf(request)
    expect(messagesText(request.messages)).toContain("The owner's notes, in part")
    expect(messagesText(request.messages)).toContain('Known of the owner:')
    expect(costs.system).toBeLessThanOrEqual(600)
    expect(costs.tools).toBeLessThanOrEqual(1_300)
    expect(costs.all).toBeLessThanOrEqual(4_000)
    expect(runtime.tools.size).toBeGreaterThan(60)
    const bare = costsOf(await ask('Hello!', 'another session'))
    expect(bare.all).toBeLessThanOrEqual(2_400)
  },
  60_000,
)

test('a small window is enough to begin with', async () => {
  const { ask } = houseWith(example, 6_144)
  const request = await ask('What should I plant beside the beans this spring?')
  expect(costsOf(request).all).toBeLessThanOrEqual(4_000)
  expect(request.tools.map(({ name }) => name)).toContain('show-note')
})

test('no tool is named that is not offered', async () => {
  const { ask, runtime } = houseWith(example)
  const { messages, system, tools } = await ask('Hello!')
  const offered = new Set(tools.map(({ name }) => name))
  const sent = [system, messagesText(messages), ...tools.map(toolJson)].join('\n')
  const others = [...runtime.tools.keys()].filter(
    (name) => !offered.has(name) && name.includes('-'),
  )
  expect(others.filter((name) => new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(sent))).toEqual([])
})

test('an error of a tool has an example in it', () => {
  const { runtime } = houseWith(example)
  for (const tool of runtime.tools.values()) {
    const read = readArguments(tool, { nonsense: 1 })
    expect([tool.name, read.ok ? '' : read.reason]).toEqual([
      tool.name,
      expect.stringContaining(JSON.stringify(exampleOf(tool.parameters))),
    ])
  }
})
