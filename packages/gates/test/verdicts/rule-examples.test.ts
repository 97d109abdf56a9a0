import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRuntime, loadSkills, openMemex } from '@passepartout/core'
import { expect, onTestFinished, test } from 'vitest'
import { dispatcher } from '../../src/verdicts/gate-dispatcher.ts'
import { ruleExamples } from '../../src/verdicts/rule-examples.ts'

const examples = [...ruleExamples()]

test.each(examples.map((example) => [example.rule, example.text, example] as const))(
  '%s: %s',
  (_rule, _text, example) => {
    expect(example.holds()).toBe(true)
  },
)

test('there are many', () => {
  expect(examples.length).toBeGreaterThan(1_400)
  expect(new Set(examples.map(({ rule }) => rule)).size).toBeGreaterThan(200)
})

test('the dispatcher is loaded with them', () => {
  const dir = mkdtempSync(join(tmpdir(), 'examples-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const config = { home: dir, memexDir: dir, stateDir: dir }
  const runtime = createRuntime({ config, memex: openMemex(dir) })
  loadSkills(runtime, [dispatcher])
  expect(runtime.proofs.advance(0)).toBe(false)
  expect(runtime.proofs.finish()).toEqual([])
})
