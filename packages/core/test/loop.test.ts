import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Gate } from '../src/gate.ts'
import { createLoop } from '../src/loop.ts'
import { openMemex } from '../src/memex.ts'
import { createRuntime, ingestMemex } from '../src/runtime.ts'
import { messageAction, type Signal } from '../src/signal.ts'
import { loadSkills, type SensorHandler } from '../src/skill.ts'
import { openTrace } from '../src/trace.ts'
import { readTraceDay, type TraceEntry, traceDays } from '../src/trace-read.ts'

function heard(text: string): Signal {
  const payload = { sensor: 'user-input', text }
  return { type: 'event', meta: { source: 'cli', sessionId: 's' }, payload, depth: 0 }
}

function setting(handler: SensorHandler, echo: (text: string) => Promise<Signal | null>) {
  const dir = mkdtempSync(join(tmpdir(), 'loop-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  writeFileSync(join(dir, 'a.org'), '* One\n')
  const replies: string[] = []
  const runtime = createRuntime({
    config: { home: dir, memexDir: dir, stateDir: dir },
    memex: openMemex(dir),
    reply: ({ payload }) => replies.push(`${payload.action}: ${payload.text ?? ''}`),
  })
  const provider = {
    name: 'echo',
    async *propose({ signal }: { signal: Signal }) {
      yield { type: 'text' as const, text: signal.payload.text ?? '' }
    },
  }
  loadSkills(runtime, [
    {
      name: 'echo',
      description: '',
      providers: () => [provider],
      sensors: { 'tool-output': handler },
      actuators: [
        { name: 'cli', silent: false, dispatch: (action) => echo(action.payload.text ?? '') },
      ],
    },
  ])
  ingestMemex(runtime)
  return { runtime, replies, loop: createLoop(runtime) }
}

const quiet = async () => null
const again = async (text: string): Promise<Signal> => ({
  ...heard(text),
  payload: { sensor: 'tool-output', text: `${text}!` },
})

test('a turn ends, and says so', async () => {
  const { loop, replies } = setting(() => null, quiet)
  await Promise.all([loop.process(heard('a')), loop.process(heard('b')), loop.process(heard(' '))])
  expect(replies).toEqual(['turn-end: ', 'turn-end: ', 'turn-end: '])
})

test('an agent that talks to itself is stopped', async () => {
  const said: string[] = []
  const { loop, replies } = setting(
    (signal) => messageAction(signal.payload.text ?? ''),
    async (text) => {
      said.push(text)
      return again(text)
    },
  )
  await loop.process(heard('a'))
  expect(said).toHaveLength(11)
  expect(replies).toEqual(['message: I stopped after 10 steps.', 'turn-end: '])
})

test('a broken turn is undone, reported, and not the end', async () => {
  const { loop, replies, runtime } = setting(
    () => null,
    async (text) => {
      runtime.store.ingestFile('b.org', '* Half done\n')
      if (text === 'break') throw new Error('out of paper')
      return null
    },
  )
  const root = runtime.store.root()
  await loop.process(heard('break'))
  expect(runtime.store.root()).toBe(root)
  await loop.process(heard('fine'))
  expect(replies).toEqual([
    'message: Something went wrong inside: out of paper',
    'turn-end: ',
    'turn-end: ',
  ])
})

test('a memex that is away for a while is told, and not the end', async () => {
  const { loop, replies, runtime } = setting(() => null, quiet)
  const { dir } = runtime.memex
  renameSync(dir, `${dir}-away`)
  await loop.process(heard('x'))
  renameSync(`${dir}-away`, dir)
  writeFileSync(join(dir, 'b.org'), '* Two\n')
  await loop.process(heard('x'))
  expect(replies).toEqual([
    expect.stringMatching(/^message: Something went wrong inside: ENOENT/),
    'turn-end: ',
    'turn-end: ',
  ])
  expect(runtime.store.query({ type: 'headline' }).map(({ title }) => title)).toContain('Two')
})

test('a turn that cannot even be reported is not the end', async () => {
  const { loop, runtime } = setting(() => null, quiet)
  const answered: string[] = []
  runtime.reply = () => {
    throw new Error('no line')
  }
  await loop.process(heard('x'))
  runtime.reply = ({ payload }) => answered.push(payload.action ?? '')
  await loop.process(heard('x'))
  expect(answered).toEqual(['turn-end'])
})

test('an approved action goes on where it was left', async () => {
  const seen: unknown[] = []
  const { loop, runtime, replies } = setting(
    (signal) => messageAction(signal.payload.text ?? ''),
    async (text) => (text === 'a' ? again(text) : null),
  )
  const check: Gate['check'] = (action, { signal }) => {
    seen.push([action.payload.text, signal.payload.sensor, signal.depth])
    const isFirst = action.payload.text === 'a'
    return isFirst ? { kind: 'pass' } : { kind: 'approval', reason: 'sure?' }
  }
  runtime.gates.push({ name: 'gate', priority: 1, check })
  await loop.process(heard('a'))
  const token = /approve ([a-z]{6})/.exec(replies[0]!)![1]!
  seen.length = 0
  await loop.process(heard(`approve ${token}`))
  expect(seen).toEqual([['a!', 'tool-output', 1]])
  await loop.process(heard(`approve ${token}`))
  expect(replies.at(-2)).toContain('No question is open')
})

test('a client cannot speak for a tool', async () => {
  const { loop, replies } = setting(() => messageAction('believed'), quiet)
  await loop.process({ ...heard('x'), payload: { sensor: 'tool-output', text: 'x' } })
  expect(replies).toEqual(['message: That sensor is not yours.'])
})

test('an interrupt stops the turn of its own session', async () => {
  const steps: string[] = []
  const { loop } = setting(
    (signal) => messageAction(signal.payload.text ?? ''),
    async (text) => {
      steps.push(text)
      await loop.process({ ...heard(''), payload: { sensor: 'interrupt' } })
      return again(text)
    },
  )
  await loop.process(heard('a'))
  expect(steps).toEqual(['a'])
})

test('the trace of a turn is on the disk before its end is announced', async () => {
  const { loop, runtime } = setting(
    () => null,
    async (text) => (text === 'a' ? again(text) : null),
  )
  const dir = join(runtime.config.stateDir, 'trace')
  runtime.trace = openTrace({ dir, clock: runtime.clock })
  const found: TraceEntry[] = []
  runtime.reply = ({ payload }) => {
    if (payload.action !== 'turn-end') return
    for (const day of traceDays(dir)) found.push(...readTraceDay(dir, day))
  }
  await loop.process(heard('a'))
  expect(found.map(({ complete }) => complete)).toEqual([true, true])
  const [first, second] = found
  expect(second!.fields).toMatchObject({ cause: first!.id, sensor: 'tool-output', origin: 'tool' })
  const kinds = first!.records.map(({ kind }) => kind)
  expect(kinds).toEqual(
    expect.arrayContaining([
      'input',
      'prompt',
      'proposal',
      'verdict',
      'dispatch',
      'outcome',
      'done',
    ]),
  )
})

test('a trace that cannot be written is told', async () => {
  const { loop, replies, runtime } = setting(() => null, quiet)
  const dir = join(runtime.config.stateDir, 'trace')
  writeFileSync(dir, 'a file in the place of the folder')
  runtime.trace = openTrace({ dir, clock: runtime.clock })
  await loop.process(heard(' '))
  expect(replies).toEqual([expect.stringContaining('The trace could not be written'), 'turn-end: '])
  rmSync(dir)
  await loop.process(heard(' '))
  expect(traceDays(dir)).toHaveLength(1)
})
