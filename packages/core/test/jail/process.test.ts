import { expect, onTestFinished, test } from 'vitest'
import { type JailMessage, startJailProcess } from '../../src/jail/process.ts'

function started(isPlain: boolean, textMax = 1_000) {
  const waiting: { kind: string; resolve(message: never): void }[] = []
  const ended = Promise.withResolvers<string>()
  const ears = {
    heard(message: JailMessage) {
      for (const each of waiting) if (each.kind === message.kind) each.resolve(message as never)
    },
    ended: ended.resolve,
  }
  const jail = startJailProcess({ memoryMb: 32, textMax }, ears, isPlain)
  onTestFinished(() => jail.kill())
  const next = <K extends JailMessage['kind']>(kind: K) => {
    const { promise, resolve } = Promise.withResolvers<Extract<JailMessage, { kind: K }>>()
    waiting.push({ kind, resolve })
    return promise
  }
  return { jail, next, ended: ended.promise }
}

const load = { kind: 'load', id: 1, skill: 'a', file: 'skill-a.js', tests: '' }

test.each([false, true])(
  'a skill is loaded and called; without bubblewrap: %s',
  async (isPlain) => {
    const { jail, next } = started(isPlain)
    await next('ready')
    const loaded = next('reply')
    jail.send({ ...load, code: "hook('a', (n) => n + 1)" })
    expect(JSON.parse((await loaded).text)).toEqual({
      ok: true,
      value: { contributions: [{ kind: 'hook', name: 'a' }], tests: [] },
      printed: [],
    })
    const [replied, idle] = [next('reply'), next('idle')]
    jail.send({ kind: 'call', id: 2, skill: 'a', entry: 'hook:a', input: 6 })
    expect(JSON.parse((await replied).text).value).toBe(7)
    expect(await idle).toEqual({ kind: 'idle', seen: 2 })
  },
)

test.each([false, true])('an end is told; without bubblewrap: %s', async (isPlain) => {
  const { ended, jail, next } = started(isPlain)
  await next('ready')
  jail.send({ ...load, code: "'x'.padEnd(2 ** 28).split('')" })
  expect(await ended).toBe('it used up its memory')
})
