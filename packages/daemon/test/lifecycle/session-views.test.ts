import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createRuntime,
  type EntryBody,
  ingestMemex,
  openMemex,
  type Signal,
} from '@passepartout/core'
import { expect, onTestFinished, test } from 'vitest'
import { sessionViews } from '../../src/lifecycle/session-views.ts'

const text = `#+todo: TODO NEXT | DONE
* TODO [#A] Call the plumber
DEADLINE: <2026-11-20 Fri>
* NEXT Write to Bo
* TODO Some day
* DONE Pay rent
CLOSED: [2026-11-21 Sat 08:00]
* DONE Old thing
CLOSED: [2026-10-01 Thu 08:00]
* TODO Secret thing :private:
DEADLINE: <2026-11-20 Fri>
* Roof
:PROPERTIES:
:SCOPE: project:roof
:END:
** TODO [#C] Buy tiles
** DONE Measure
CLOSED: [2026-10-01 Thu 08:00]
`

function setting() {
  const home = mkdtempSync(join(tmpdir(), 'views-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const memexDir = join(home, 'notes')
  mkdirSync(memexDir)
  writeFileSync(join(memexDir, 'a.org'), text)
  const told: Signal['payload'][] = []
  const config = { home, memexDir, stateDir: join(home, 'state') }
  const clock = { now: () => new Date(2026, 10, 21, 9, 30) }
  const reply = ({ payload }: Signal) => void told.push(payload)
  const runtime = createRuntime({ config, memex: openMemex(memexDir), clock, reply })
  ingestMemex(runtime)
  const ask = async (sensor: string, meta: Partial<Signal['meta']> = {}) => {
    const all = { source: 'acp', sessionId: 's', origin: 'message' as const, ...meta }
    const signal: Signal = { type: 'event', meta: all, payload: { sensor }, depth: 0 }
    expect(await sessionViews.sensors![sensor]!(signal, runtime)).toBeNull()
    return told.pop()
  }
  return { runtime, ask }
}

test('the plan is what is for today, or the project', async () => {
  const { runtime, ask } = setting()
  expect((await ask('session-plan'))?.steps).toEqual([
    { title: 'Call the plumber', state: 'pending', priority: 'A' },
    { title: 'Write to Bo', state: 'under-way', priority: null },
    { title: 'Pay rent', state: 'done', priority: null },
  ])
  runtime.scopes.push('s', 'project:roof')
  expect((await ask('session-plan'))?.steps).toEqual([
    { title: 'Buy tiles', state: 'pending', priority: 'C' },
    { title: 'Measure', state: 'done', priority: null },
  ])
})

test('what was said is told to its session, and to whoever names it', async () => {
  const { runtime, ask } = setting()
  const { sessions } = runtime
  const say = (body: EntryBody) => sessions.add(sessions.of('s'), 't', body)
  const calls = [{ id: 'a', tool: 'find', args: { query: 'x' } }]
  say({ kind: 'material', text: 'It is Saturday.' })
  say({ kind: 'words', origin: 'owner', text: 'hello' })
  say({ kind: 'answer', text: '', provider: 'm', calls })
  say({ kind: 'result', call: 'a', tool: 'find', state: 'done', text: 'a page', origin: 'web' })
  say({ kind: 'answer', text: 'no', provider: 'm', calls: [], ending: 'withdrawn' })
  say({ kind: 'answer', text: 'good day', provider: 'm', calls: [] })
  const at = runtime.clock.now().getTime()
  const made = { call: 'a', tool: 'find', args: '{"query":"x"}', state: 'done' }
  const said = [
    { speaker: 'owner', text: 'hello', at },
    { speaker: 'call', text: 'a page', at, ...made },
    { speaker: 'agent', text: 'good day', at },
  ]
  expect(await ask('session-talk')).toEqual({ action: 'session-talk', said })
  expect(await ask('session-talk', { sessionId: 't' })).toMatchObject({ said: [] })
  expect(await ask('session-talk', { isUnproven: true })).toBeUndefined()
  expect(await ask('session-plan', { isUnproven: true })).toBeUndefined()
})
