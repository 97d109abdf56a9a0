import { cpus } from 'node:os'
import { type Gate, type GateContext, verify } from '@passepartout/core'
import { dispatcher, policy, validator } from '@passepartout/skills'
import { z } from 'zod'
import { type CorpusCase, shellAction, toolAction } from '../corpus.ts'
import { corpus as commands } from '../corpus-commands.ts'
import { corpus as ordinary } from '../corpus-ordinary.ts'

const gates: Gate[] = [policy, dispatcher, validator].flatMap((skill) => skill.gates ?? [])
const parameters = z.looseObject({})
const context: GateContext = {
  signal: {
    type: 'event',
    meta: { source: 'cli', origin: 'owner' },
    payload: { sensor: 'user-input', text: 'Please go on with what we were doing.' },
    depth: 0,
  },
  tools: new Map([
    ['show-note', { parameters, readOnly: true }],
    ['capture-task', { parameters, readOnly: false }],
  ]),
  home: '/home/ann',
  memexDir: '/home/ann/memex',
  stateDir: '/home/ann/.local/state/passepartout',
  realPaths: (path) => path,
  ownerWords: ['Please go on with what we were doing.'],
  facts: {},
}

const answer = 'I have put it on the list for Friday, together with the other two.'
const typical: CorpusCase['action'][] = [
  { type: 'request', target: 'cli', payload: { action: 'message', text: answer } },
  toolAction('show-note', { id: 'garden' }),
  toolAction('capture-task', { title: 'Call the plumber', date: '2026-11-23' }),
  shellAction('git status'),
  shellAction('ls -la projects'),
  shellAction('grep -rn TODO src'),
  shellAction('npm test'),
  shellAction('cat inbox.org | head -20'),
]

const kinds = {
  'typical actions': typical,
  'commands that only read': ordinary
    .filter(({ expect }) => expect === 'read-only')
    .map(({ action }) => action),
  'ordinary work': ordinary
    .filter(({ expect }) => expect === 'ordinary')
    .map(({ action }) => action),
  'dangerous commands': commands.map(({ action }) => action),
}

interface Measured {
  rate: number
  times: number[]
}

function measure(actions: readonly CorpusCase['action'][], atLeastMs: number): Measured {
  const times: number[] = []
  const end = performance.now() + atLeastMs
  const before = process.cpuUsage()
  while (performance.now() < end) {
    for (const action of actions) {
      const start = performance.now()
      verify(gates, action, context)
      times.push(performance.now() - start)
    }
  }
  const { user, system } = process.cpuUsage(before)
  return { rate: (times.length / (user + system)) * 1e6, times: times.sort((a, b) => a - b) }
}

const head = ['verdicts/s', 'median µs', 'p99 µs'].map((name) => name.padStart(12)).join('')
console.log(`${cpus()[0]?.model ?? 'unknown processor'}, one core, Node ${process.version}`)
console.log(`${'actions'.padEnd(28)}${head}`)
for (const [name, actions] of Object.entries(kinds)) {
  measure(actions, 1_000)
  const { rate, times } = measure(actions, 3_000)
  const at = (share: number) => ((times[Math.floor(times.length * share)] ?? 0) * 1_000).toFixed(0)
  const numbers = [rate.toFixed(0), at(0.5), at(0.99)].map((text) => text.padStart(12)).join('')
  console.log(`${name.padEnd(28)}${numbers}`)
}
