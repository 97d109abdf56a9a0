import { expect, test } from 'vitest'
import { z } from 'zod'
import type { Signal } from '../../src/contract/signal.ts'
import type { Runtime, Skill, Tool } from '../../src/pipeline/runtime.ts'
import { groupsFor, offerFor, skillWords } from '../../src/pipeline/tool-offer.ts'
import type { Entry, EntryBody } from '../../src/transcript/transcript.ts'

const tool = (name: string, fields: Partial<Tool> = {}): Tool => ({
  name,
  description: '',
  parameters: z.object({}),
  readOnly: true,
  run: async () => ({ status: 'success', content: '' }),
  ...fields,
})
const git: Skill = {
  name: 'git-tools',
  description: 'The history of a repository.',
  offeredFor: ['git', 'commit'],
  prompt: 'Commit little.',
  tools: [tool('git-log', { description: 'What was committed.' }), tool('git-diff')],
}
const garden: Skill = {
  name: 'garden',
  description: 'Beds and what grows there.',
  offeredFor: ['beds'],
  mandates: 'Never water at noon.',
  tools: [tool('water', { description: 'Waters a bed.' })],
}
const foreign = { definition: '', destroys: false, configured: [] }
const house: Skill[] = [
  { name: 'notes', description: '', tools: [tool('find', { isCore: true })] },
  git,
  garden,
  { name: 'manners', description: '', prompt: 'Be kind.', mandates: 'Never shout.' },
]
const signal: Signal = { type: 'event', meta: { source: 'cli' }, payload: {}, depth: 0 }

function runtimeWith(...more: Skill[]): Runtime {
  const skills = [...house, ...more]
  const mail = tool('mcp-post-send-letter', { foreign, description: 'git git git' })
  const all = [...skills.flatMap(({ tools = [] }) => tools), mail]
  const tools = new Map(all.map((one) => [one.name, one]))
  return { skills, tools, log: () => {} } as unknown as Runtime
}

const stamp = { turn: 't', at: 0 }
const words = (text: string, origin: 'owner' | 'web' = 'owner'): Entry => {
  return { kind: 'words', origin, text, ...stamp }
}
const called = (name: string, args: unknown = {}): Entry => {
  const body: EntryBody = {
    kind: 'answer',
    text: '',
    provider: 'm',
    calls: [{ id: '1', tool: name, args }],
  }
  return { ...body, ...stamp }
}
const offered = (...entries: Entry[]) =>
  offerFor(runtimeWith(), entries, signal).map(({ name }) => name)

test.each<[string, Entry[], string[]]>([
  ['nothing is asked for', [words('Hello')], []],
  ['the owner names it', [words('What did I commit?')], ['git-diff', 'git-log']],
  ['a page names it', [words('git commit', 'web')], []],
  ['it is called', [called('water')], ['water']],
  ['it is looked for', [called('find-tools', { need: 'what grows' })], ['water']],
  [
    'it is looked for by its name',
    [called('find-tools', { need: 'git-tools' })],
    ['git-diff', 'git-log'],
  ],
  ['a server is named', [words('Write a letter')], ['mcp-post-send-letter']],
  ['nonsense is looked for', [called('find-tools', { need: 7 }), called('find-tools', null)], []],
])('when %s', (_, entries, more) => {
  expect(offered(...entries)).toEqual(['find', ...more])
})

test('what came in stays, and stands before what comes later', () => {
  const first = [words('Water the beds')]
  const second = [...first, words('Now git')]
  expect(offered(...second)).toEqual(['find', 'water', 'git-diff', 'git-log'])
  expect(offered(...second).slice(0, 2)).toEqual(offered(...first))
})

test('where the room is short the last are left out', () => {
  const room = { tokensMax: 3, count: () => 1 }
  const entries = [words('Water the beds'), words('git')]
  const names = offerFor(runtimeWith(), entries, signal, room).map(({ name }) => name)
  expect(names).toEqual(['find', 'water', 'git-diff'])
})

test('a hidden tool is not offered', () => {
  const hiding: Skill = {
    name: 'hiding',
    description: '',
    hiddenTools(_, { payload }) {
      if (payload.text === 'break') throw new Error('no list')
      return ['git-log', 'unknown']
    },
  }
  const names = (text: string) =>
    offerFor(runtimeWith(hiding), [words('git')], { ...signal, payload: { text } }).map(
      ({ name }) => name,
    )
  expect([names('x'), names('break')]).toEqual([['find', 'git-diff'], []])
})

test('a need that nothing fits gets all groups', () => {
  const found = (need: string) => {
    const { fit, groups } = groupsFor(runtimeWith(), signal, need)
    return [fit, groups.map(({ name }) => name)]
  }
  expect(found('history of the repository')).toEqual([true, ['git-tools']])
  expect(found('xyzzy')).toEqual([false, ['garden', 'git-tools', 'mcp-post']])
})

test('a skill has words where it applies', () => {
  const says = (...entries: Entry[]) => skillWords(runtimeWith(), entries, signal)
  expect(says(words('Hello'))).toEqual(['Be kind.', 'Never shout.'])
  expect(says(words('commit the beds'))).toEqual([
    'Commit little.',
    'Be kind.',
    'Never water at noon.',
    'Never shout.',
  ])
  const off = () => {
    throw new Error('no')
  }
  const odd: Skill = { name: 'odd', description: '', prompt: 'Odd.', trigger: off }
  const mute: Skill = { name: 'mute', description: '', prompt: off }
  const day: Skill = { name: 'day', description: '', prompt: (_, { depth }) => `Depth ${depth}.` }
  expect(skillWords(runtimeWith(odd, mute, day), [], signal)).toEqual([
    'Be kind.',
    'Depth 0.',
    'Never shout.',
  ])
})
