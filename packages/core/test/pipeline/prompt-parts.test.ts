import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import type { Signal } from '../../src/contract/signal.ts'
import { openMemex } from '../../src/memex/memex.ts'
import { createRuntime } from '../../src/pipeline/create-runtime.ts'
import { promptContents, promptText } from '../../src/pipeline/prompt-parts.ts'
import { loadSkills } from '../../src/pipeline/skill.ts'
import type { EntryBody } from '../../src/transcript/transcript.ts'

test('what fills the prompt is told part by part, and what is not in it', () => {
  const dir = mkdtempSync(join(tmpdir(), 'prompt-parts-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const config = { home: dir, memexDir: dir, stateDir: join(dir, '.state') }
  const tokens = { count: (text: string) => text.length }
  const runtime = createRuntime({ config, memex: openMemex(dir), tokens })
  const tool = (name: string, isCore: boolean) => ({
    name,
    description: '',
    isCore,
    parameters: z.object({}),
    readOnly: true,
    run: async () => ({ status: 'success', content: '' }) as const,
  })
  loadSkills(runtime, [
    { name: 'notes', description: '', tools: [tool('find', true)] },
    { name: 'git', description: '', tools: [tool('git-log', false)] },
  ])
  const meta = { source: 'cli', sessionId: 's' }
  const signal: Signal = { type: 'event', meta, payload: {}, depth: 0 }
  const result = { kind: 'result', call: '1', tool: 'find', state: 'done', origin: 'tool' } as const
  const said: EntryBody[] = [
    { kind: 'words', origin: 'owner', text: 'before' },
    { kind: 'summary', text: 'short', before: 1 },
    { kind: 'words', origin: 'owner', text: 'Hello' },
    { kind: 'answer', text: 'Yes', provider: 'm', calls: [{ id: '1', tool: 'find', args: {} }] },
    { ...result, text: 'a\n[Lines 1–9 and 30–40 of 40 are shown; …]\nb' },
  ]
  const transcript = runtime.sessions.of('s')
  for (const body of said) runtime.sessions.add(transcript, 't', body)
  const contents = promptContents(runtime, signal)
  expect(contents.parts.slice(1).map(({ count, name }) => `${count} ${name}`)).toEqual([
    '1 tools',
    '1 summary of what was said before',
    '1 what was said to the model',
    '1 answers and calls',
    '1 results of calls',
  ])
  expect(contents.parts.find(({ name }) => name.startsWith('what was'))?.tokens).toBe(5)
  expect(promptText(contents)).toMatch(/^Tokens of .*\n +\d+ {2}system prompt\n[\s\S]*\d+ {2}all\n/)
  expect(contents.leftOut).toEqual([
    '1 entries before the summary',
    'the middle of 1 long results',
    'tools of git',
  ])
})
