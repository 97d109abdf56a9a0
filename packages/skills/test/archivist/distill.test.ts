import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createLoop,
  createRuntime,
  type EntryBody,
  loadSkills,
  openMemex,
  type Signal,
} from '@passepartout/core'
import { policy } from '@passepartout/gates/verdicts'
import fc from 'fast-check'
import { headlines, parse } from 'org-ast'
import { applyPatches } from 'org-ast/edit'
import { expect, onTestFinished, test } from 'vitest'
import { distill, distillPrompt, storeTemplate } from '../../src/archivist/distill.ts'
import { actuators } from '../../src/common/actuators.ts'

const now = new Date(2026, 10, 21, 9, 30)

function stored(text: string, title: string, template: string): string {
  return applyPatches(text, storeTemplate(text, { title, template }, now))
}

test('a template is a headline with a block', () => {
  const first = stored('', 'Weekly review', 'Review {week}.')
  expect(first).toMatchInlineSnapshot(`
    "* Weekly review                                                    :template:
    :PROPERTIES:
    :CREATED:  [2026-11-21 Sat 09:30]
    :END:
    #+begin_src text :tangle no :eval never :noweb-ref no
      Review {week}.
    #+end_src
    "
  `)
  const second = stored(`${first}My remark.\n`, 'Letter', '* Dear {name}\n#+end_src')
  expect(second).toContain('  ,* Dear {name}\n  ,#+end_src\n')
  const third = stored(second, 'Weekly review', 'Review all of {week}.')
  expect(third).toBe(second.replace('Review {week}.', 'Review all of {week}.'))
})

test('any template is stored so that it can be read again', () => {
  const line = fc.constantFrom(
    '* a',
    '#+end_src',
    'Review {week}',
    '  indented',
    '',
    ',* b',
    ':END:',
  )
  const lines = fc.array(line, { minLength: 1 }).map((all) => `x${all.join('\n')}x`)
  const before = '#+title: Mine\n* TODO Other :a:\n* Letter\nNo block.\n'
  fc.assert(
    fc.property(lines, fc.boolean(), (template, twice) => {
      const once = stored(before, 'Letter', twice ? 'x' : template)
      const text = twice ? stored(once, 'Letter', template) : once
      expect(text.startsWith(before)).toBe(true)
      const titles = [...headlines(parse(text))].map(({ rawValue }) => rawValue)
      expect(titles).toEqual(['Other', 'Letter', 'Letter'])
      const bodies = text.slice(before.length).split(/^#\+begin_src text .*\n|^#\+end_src\n/m)
      const read = bodies[1]!.replace(/^ {2}/gm, '').replace(/^([ \t]*,*),(?=\*|#\+)/gm, '$1')
      expect(read.replaceAll('\u200b', '')).toBe(`${template}\n`)
    }),
  )
})

const meta = { source: 'cli', sessionId: 's' }
const wish: Signal = { type: 'event', meta, payload: { sensor: 'distill' }, depth: 0 }

function setting(line: string) {
  const dir = mkdtempSync(join(tmpdir(), 'distill-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const config = { home: dir, memexDir: dir, stateDir: join(dir, '.state') }
  const said: string[] = []
  const clock = { now: () => now }
  const reply = ({ payload }: Signal) => said.push(payload.text ?? '')
  const runtime = createRuntime({ config, memex: openMemex(dir), clock, reply })
  const model = {
    name: 'model',
    async *propose() {
      yield { type: 'text' as const, text: line }
    },
  }
  const models = { name: 'm', description: '', providers: () => [model] }
  loadSkills(runtime, [models, policy, actuators, distill])
  return { dir, runtime, said }
}

test.each([
  ['Weekly review\nReview {week}.', 'Weekly review', 'Review {week}.'],
  [
    '```text\n## Title: Weekly review**\n\nReview\n{week}.\n```',
    'Weekly review',
    'Review\n{week}.',
  ],
])('%j is a proposal', async (line, title, template) => {
  const { runtime } = setting(line)
  const exchange = { prompt: 'Review week 47', output: 'It was fine.' }
  expect(await distillPrompt(runtime, exchange, wish, new AbortController().signal)).toMatchObject({
    ok: true,
    value: { target: 'tool', payload: { tool: 'store-template', args: { title, template } } },
  })
})

test.each(['Only a title', '* :tag:\nx', ''])('%j is none', async (line) => {
  const abort = new AbortController().signal
  const exchange = { prompt: 'a', output: 'b' }
  expect(await distillPrompt(setting(line).runtime, exchange, wish, abort)).toMatchObject({
    ok: false,
  })
})

test('the last exchange becomes a template, if the gates let it', async () => {
  const { dir, runtime, said } = setting('Weekly review\nReview {week}.')
  const loop = createLoop(runtime)
  await loop.process(wish)
  expect(said[0]).toContain('nothing to distil')
  const say = (body: EntryBody) => runtime.sessions.add(runtime.sessions.of('s'), 't', body)
  say({ kind: 'words', origin: 'owner', text: 'Review week 47' })
  say({ kind: 'answer', text: 'It was fine.', calls: [], provider: 'm' })
  await loop.process(wish)
  expect(readFileSync(join(dir, 'templates.org'), 'utf8')).toContain('Review {week}.')
  runtime.gates.push({
    name: 'no-templates',
    priority: 1,
    check: ({ payload }) =>
      payload.tool === 'store-template' ? { kind: 'reject', reason: 'enough' } : { kind: 'pass' },
  })
  await loop.process(wish)
  expect(said.at(-2)).toContain('no-templates: enough')
})
