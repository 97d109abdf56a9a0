import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createRuntime,
  messagesText,
  openMemex,
  type Provider,
  type ProviderEvent,
  type ProviderRequest,
  type Signal,
} from '@passepartout/core'
import { expect, onTestFinished, test } from 'vitest'
import { askForDocument } from '../../src/improve/asking.ts'

const signal: Signal = { type: 'event', meta: { source: 'cli' }, payload: {}, depth: 0 }

function setting(event?: ProviderEvent) {
  const dir = mkdtempSync(join(tmpdir(), 'asking-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const promptMask = (text: string) => text.replaceAll('hunter2', '***')
  const config = { home: dir, memexDir: dir, stateDir: dir }
  const runtime = createRuntime({ config, memex: openMemex(dir), promptMask })
  const seen: ProviderRequest[] = []
  const provider: Provider = {
    name: 'model',
    async *propose(request) {
      seen.push(request)
      if (event !== undefined) yield event
    },
  }
  if (event !== undefined) runtime.providers.push(provider)
  const wish = {
    skill: 'guard',
    document: '* Old',
    problems: ['guard.org:3: error'],
    words: 'Mend it.',
  }
  const asked = (more: object = {}) =>
    askForDocument(runtime, { ...wish, ...more }, signal, undefined)
  return { asked, seen }
}

const args = { skill: 'guard', document: '* New' }
const payload = { action: 'call', tool: 'propose-document', args, explanation: 'so' }

test.each<ProviderEvent>([
  { type: 'tool-call', tool: 'propose-document', args },
  { type: 'action', action: { type: 'request', target: 'tool', payload } },
  { type: 'text', text: JSON.stringify(args) },
  { type: 'text', text: `\`\`\`json\n${JSON.stringify(args)}\n\`\`\`` },
])('%j is a document', async (event) => {
  const { asked, seen } = setting(event)
  expect(await asked()).toMatchObject({ ok: true, value: { ...args, provider: 'model' } })
  expect(messagesText(seen[0]?.messages ?? [])).toContain(
    'What is wrong:\nguard.org:3: error\n\nThe document:\n* Old',
  )
})

test.each<ProviderEvent>([
  { type: 'tool-call', tool: 'shell', args },
  { type: 'text', text: '* New' },
  { type: 'text', text: '{"skill": "guard"}' },
])('%j is none', async (event) => {
  expect(await setting(event).asked()).toMatchObject({ ok: false })
})

test('a secret is not shown, and a missing model is said', async () => {
  const { asked, seen } = setting({ type: 'text', text: JSON.stringify(args) })
  expect(await asked({ document: 'const password = "hunter2"' })).toMatchObject({ ok: false })
  expect(seen).toEqual([])
  expect(await setting().asked()).toEqual({ ok: false, reason: 'No model is configured to ask.' })
})
