import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import type { Gate } from '../../src/contract/gate.ts'
import { messageAction, type Signal } from '../../src/contract/signal.ts'
import { openMemex } from '../../src/memex/memex.ts'
import { createRuntime } from '../../src/pipeline/create-runtime.ts'
import { ingestMemex } from '../../src/pipeline/ingest.ts'
import { createLoop } from '../../src/pipeline/loop.ts'
import type { Actuator, SensorHandler } from '../../src/pipeline/runtime.ts'
import { loadSkills } from '../../src/pipeline/skill.ts'
import { openTrace } from '../../src/pipeline/trace.ts'
import { readTraceDay, type TraceEntry, traceDays } from '../../src/pipeline/trace-read.ts'

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
    expect.stringMatching(/^message: The folder of notes .* is not there any more\. /),
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
  expect(replies).toEqual(['message: That sensor is not yours.', 'turn-end: '])
})

test('an interrupt stops the turn of its own session', async () => {
  const steps: string[] = []
  const { loop, replies } = setting(
    (signal) => messageAction(signal.payload.text ?? ''),
    async (text) => {
      steps.push(text)
      await loop.process({ ...heard(''), payload: { sensor: 'interrupt' } })
      return again(text)
    },
  )
  await loop.process(heard('a'))
  expect(steps).toEqual(['a'])
  expect(replies).toContain('message: Stopped. What had been done by then stays done.')
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

function slowSetting() {
  const { loop, replies, runtime } = setting(() => null, quiet)
  const answers = new Map<string, () => void>()
  const asked: string[] = []
  const slow = {
    name: 'slow',
    async *propose({ signal }: { signal: Signal }) {
      const text = signal.payload.text ?? ''
      asked.push(text)
      if (text.startsWith('slow')) await new Promise<void>((done) => answers.set(text, done))
      yield { type: 'text' as const, text: `${text}!` }
    },
  }
  runtime.providers.splice(0, runtime.providers.length, slow)
  const note = ({ meta, payload }: Pick<Signal, 'meta' | 'payload'>) => {
    if (payload.action === 'message') replies.push(`${meta.sessionId}: ${payload.text}`)
  }
  runtime.reply = note
  const dispatch: Actuator['dispatch'] = async ({ payload }, { meta }) => {
    note({ meta, payload: { ...payload } })
    return null
  }
  runtime.actuators.set('cli', { name: 'cli', silent: true, dispatch })
  const say = (sessionId: string, text: string) =>
    loop.process({ ...heard(text), meta: { source: 'cli', sessionId } })
  return { loop, runtime, replies, asked, answers, say }
}

test('a slow model in one session does not delay another', async () => {
  const { asked, answers, replies, say } = slowSetting()
  const first = say('one', 'slow question')
  const behind = say('one', 'second')
  await say('two', 'quick')
  expect(asked).toEqual(['slow question', 'quick'])
  answers.get('slow question')!()
  await Promise.all([first, behind])
  expect(asked).toEqual(['slow question', 'quick', 'second'])
  expect(replies).toEqual(['two: quick!', 'one: slow question!', 'one: second!'])
})

test('every session keeps its order', async () => {
  const choose = fc.array(fc.nat(), { minLength: 30, maxLength: 30 })
  await fc.assert(
    fc.asyncProperty(choose, async (choices) => {
      const { answers, loop, replies, say } = slowSetting()
      const all: Promise<void>[] = []
      for (let at = 0; at < 10; at++)
        for (const n of [1, 2, 3]) all.push(say(`s${at}`, `slow ${at} ${n}`))
      for (const choice of choices) {
        while (answers.size === 0) await Promise.resolve()
        const [text, answer] = [...answers][choice % answers.size]!
        answers.delete(text)
        answer()
      }
      await Promise.all(all)
      await loop.idle()
      for (let at = 0; at < 10; at++) {
        const mine = replies.filter((reply) => reply.startsWith(`s${at}:`))
        expect(mine).toEqual([1, 2, 3].map((n) => `s${at}: slow ${at} ${n}!`))
      }
    }),
    { numRuns: 10 },
  )
})

test('a turn that breaks takes nothing of another with it', async () => {
  const { answers, runtime, say } = slowSetting()
  const dispatch: Actuator['dispatch'] = async ({ payload }) => {
    if (payload.text !== 'write!') throw new Error('out of paper')
    writeFileSync(join(runtime.memex.dir, 'b.org'), '* By the agent\n')
    return null
  }
  runtime.actuators.set('cli', { name: 'cli', silent: false, dispatch })
  const first = say('one', 'slow question')
  await say('two', 'write')
  answers.get('slow question')!()
  await first
  ingestMemex(runtime)
  const known = runtime.store.query({ text: 'By the agent', type: 'headline' })
  expect(known.map(({ authorship }) => authorship.by)).toEqual(['agent'])
})

test('a loop that is closed finishes what has begun', async () => {
  const { answers, loop, replies, say } = slowSetting()
  const first = say('one', 'slow question')
  const behind = say('one', 'second')
  await say('two', 'quick')
  loop.close()
  await say('two', 'late')
  answers.get('slow question')!()
  await Promise.all([first, behind, loop.idle()])
  expect(replies.slice(1)).toEqual([
    'two: The daemon is stopping; nothing was done.',
    'one: slow question!',
    'one: The daemon is stopping; nothing was done.',
  ])
})

const kinds = [
  ...['quick', 'slow', 'break', 'blank', 'ask', 'yes', 'no', 'forged', 'interrupt', 'answer'],
  ...['flood', 'close'],
] as const

function turnSetting() {
  const { answers, loop, runtime } = slowSetting()
  const said = new Map<string, string[]>()
  const asked = new Set<string>()
  runtime.reply = ({ meta: { turn = '' }, payload: { action = '', text = '' } }) => {
    if (text.startsWith('This needs your approval')) asked.add(turn)
    said.set(turn, [...(said.get(turn) ?? []), action])
  }
  const dispatch: Actuator['dispatch'] = async ({ payload }) => {
    if (payload.text === 'break!') throw new Error('out of paper')
    return null
  }
  runtime.actuators.set('cli', { name: 'cli', silent: true, dispatch })
  const check: Gate['check'] = ({ payload }) =>
    payload.text === 'ask!' ? { kind: 'approval', reason: 'sure?' } : { kind: 'pass' }
  runtime.gates.push({ name: 'gate', priority: 1, check })
  const sent: string[] = []
  const send = (sessionId: string, text: string, sensor = 'user-input') => {
    const turn = `t${sent.length}`
    if (sensor !== 'interrupt') sent.push(turn)
    const meta = { source: 'cli', sessionId, turn }
    return loop.process({ ...heard(text), meta, payload: { sensor, text } })
  }
  return { answers, asked, loop, runtime, said, send, sent }
}

test('every turn ends once, whatever becomes of it', async () => {
  const steps = fc.array(fc.tuple(fc.nat(2), fc.constantFrom(...kinds)), { maxLength: 25 })
  await fc.assert(
    fc.asyncProperty(steps, fc.array(fc.nat(9)), async (all, pauses) => {
      const { answers, asked, loop, runtime, said, send, sent } = turnSetting()
      const answer = () => {
        for (const release of answers.values()) release()
        answers.clear()
      }
      const token = () => runtime.approvals.open().at(-1)?.token ?? 'kfhtmw'
      for (const [at, [session, kind]] of all.entries()) {
        const id = `s${session}`
        if (kind === 'answer') answer()
        else if (kind === 'close') loop.close()
        else if (kind === 'flood') for (let n = 0; n < 150; n++) void send(id, 'quick')
        else if (kind === 'yes') void send(id, `approve ${token()}`)
        else if (kind === 'no') void send(id, `deny ${token()}`)
        else if (kind === 'forged') void send(id, 'x', 'tool-output')
        else if (kind === 'interrupt') void send(id, '', kind)
        else void send(id, kind === 'blank' ? ' ' : kind === 'slow' ? `slow ${at}` : kind)
        for (let ticks = 0; ticks < (pauses[at] ?? 0); ticks++) await new Promise(setImmediate)
      }
      const idle = { is: false }
      void loop.idle().then(() => {
        idle.is = true
      })
      while (!idle.is) {
        answer()
        await new Promise(setImmediate)
      }
      const ends = sent.map((turn) => said.get(turn)?.filter((action) => action === 'turn-end'))
      expect(ends).toEqual(sent.map(() => ['turn-end']))
      const late = sent.filter((turn) => !asked.has(turn) && said.get(turn)?.at(-1) !== 'turn-end')
      expect(late).toEqual([])
    }),
    { numRuns: 60 },
  )
})

test('a session that sends too much is refused, and delays no other', async () => {
  const { answers, asked, loop, replies, say } = slowSetting()
  const flood = Array.from({ length: 150 }, (_, at) => say('one', at === 0 ? 'slow' : `${at}`))
  await Promise.all(flood.slice(100))
  expect(replies).toHaveLength(50)
  expect(replies[0]).toContain('one: Too much is waiting in this session')
  await say('two', 'quick')
  expect(replies.at(-1)).toBe('two: quick!')
  answers.get('slow')!()
  const other = say('two', 'again')
  await other
  expect(asked.indexOf('again')).toBeLessThan(5)
  await loop.idle()
  expect(asked).toHaveLength(102)
})

test('an interrupt reaches a turn that has not had the floor yet', async () => {
  const { asked, loop, say } = slowSetting()
  const gate = Promise.withResolvers<void>()
  const held = loop.between(() => gate.promise)
  const turn = say('one', 'quick')
  await new Promise(setImmediate)
  const payload = { sensor: 'interrupt' }
  await loop.process({ ...heard(''), meta: { source: 'cli', sessionId: 'one' }, payload })
  gate.resolve()
  await Promise.all([held, turn])
  expect(asked).toEqual([])
})
