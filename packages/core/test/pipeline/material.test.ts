import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Signal } from '../../src/contract/signal.ts'
import { openMemex } from '../../src/memex/memex.ts'
import { createRuntime } from '../../src/pipeline/create-runtime.ts'
import { materialFor } from '../../src/pipeline/material.ts'
import type { Skill } from '../../src/pipeline/runtime.ts'
import { loadSkills } from '../../src/pipeline/skill.ts'
import { type EmbeddingBackend, trigramBackend } from '../../src/search/embedding.ts'
import { Embeddings } from '../../src/search/embeddings.ts'
import { handClock } from '../base/hand-clock.ts'
import { provider } from '../contract/scripted.ts'

const signal: Signal = {
  type: 'event',
  meta: { source: 'cli', sessionId: 's', origin: 'owner' },
  payload: { sensor: 'user-input', text: 'What about the beans?' },
  depth: 0,
}

function runtimeWith(...skills: Partial<Skill>[]) {
  const dir = mkdtempSync(join(tmpdir(), 'material-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const config = { home: dir, memexDir: dir, stateDir: join(dir, '.state') }
  const clock = handClock()
  const runtime = createRuntime({ config, memex: openMemex(dir), clock })
  const named = skills.map((skill, index) => ({ name: `s${index}`, description: '', ...skill }))
  loadSkills(runtime, named)
  return { runtime, clock }
}

const model: Partial<Skill> = { providers: () => [provider('model', 'Hm.')] }

test('a model is shown what it should see', async () => {
  const broken = () => {
    throw new Error('no')
  }
  const { runtime } = runtimeWith(
    { mandates: 'Never shout.', prompt: 'You like beans.' },
    { prompt: 'Not now.', trigger: () => false },
    { prompt: 'Broken.', trigger: broken },
    model,
  )
  runtime.store.ingestFile('a.org', '* Beans\nSown in March.\n* Diary :private:\nbeans\n')
  const text = await materialFor(runtime, signal)
  expect(text).toMatch(
    /^Today is Sat Nov 21 2026\..*Sown in March\..*\n\nYou like beans\.\n\nNever shout\.$/s,
  )
  expect(text).not.toMatch(/Not now|Broken|Diary/)
  runtime.providers.splice(0, 1, { ...provider('rules', 'Hm.'), rules: true })
  expect(await materialFor(runtime, signal)).toBe('')
})

test('a question is read with the one before it', async () => {
  const { runtime } = runtimeWith(model)
  const rest = '* Rye\nSalt.\n'.repeat(60)
  runtime.store.ingestFile('a.org', `* Beans\nSown in March, in the back bed.\n${rest}`)
  const words = { kind: 'words', origin: 'owner', text: 'Where are the beans?' } as const
  runtime.sessions.add(runtime.sessions.of('s'), 't', words)
  const again = { ...signal, payload: { ...signal.payload, text: 'And when?' } }
  expect(await materialFor(runtime, again)).toContain('the back bed')
})

test('embeddings are asked about the question, and hear nothing that a model would not', async () => {
  const sent: string[] = []
  const { runtime, clock } = runtimeWith(model)
  const { store } = runtime
  runtime.promptMask = (text) => text.replaceAll('hunter2', '···')
  const rest = '* Rye\nSalt.\n'.repeat(40)
  store.ingestFile('a.org', `* Gardening\nBeanstalks climb.\n* Diary :private:\nzebra\n${rest}`)
  const backend = {
    ...trigramBackend,
    isRemote: true,
    embed(...given: Parameters<EmbeddingBackend['embed']>) {
      sent.push(...given[1])
      return trigramBackend.embed(...given)
    },
  }
  runtime.embeddings = new Embeddings({ store, backend, clock, log: () => {} })
  await runtime.embeddings.wake()
  const payload = { sensor: 'user-input', text: 'beanstalk hunter2' }
  expect(await materialFor(runtime, { ...signal, payload })).toContain('Beanstalks climb.')
  expect(sent.filter((text) => text.includes('beanstalk'))).toHaveLength(1)
  expect(sent.join()).not.toMatch(/zebra|hunter2/)
})
