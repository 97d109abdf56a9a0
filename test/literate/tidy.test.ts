import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const read = (pattern: string) =>
  globSync(pattern, { cwd: root })
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
const sources = read('{packages,tools}/*/src/**/*.{ts,css}')
const tests = read('{{packages,tools}/*/,}test/**/*.ts')

test('no literal is spread into an object', () => {
  const found = [...sources, ...tests].filter(({ text }) => /^\s*\.\.\.\{ ?[\w.]/m.test(text))
  expect(found.map(({ path }) => path)).toEqual([])
})

const stateful = [
  'packages/core/src/approval/verify.ts',
  'packages/core/src/jail/jail-program.ts',
  'packages/core/src/search/language.ts',
  'packages/gates/src/sandbox/network.ts',
  'packages/gates/src/sandbox/sandbox.ts',
  'packages/gates/src/secrets/confusables.ts',
  'packages/gates/src/secrets/entropy-runs.ts',
  'packages/gates/src/secrets/secret-content.ts',
  'packages/gates/src/secrets/vault-match.ts',
  'packages/gates/src/verdicts/check-arguments.ts',
  'packages/gates/src/verdicts/check-paths.ts',
  'packages/gates/src/verdicts/flight-plans.ts',
  'tools/tangle/src/positions/register.ts',
  'tools/weave/src/reader/live.ts',
]

test('no module has state', () => {
  const found = sources.filter(({ text }) => /^(?:export )?let /m.test(text))
  expect(found.map(({ path }) => path)).toEqual(stateful)
})

const linesMax = 500
const long = [
  'packages/clients/src/tui/state.ts',
  'packages/core/src/base/sqlite.ts',
  'packages/core/src/engine/skill-loader.ts',
  'packages/core/src/search/embeddings.ts',
  'packages/core/src/search/lexical.ts',
  'packages/gates/src/secrets/secret-rules.ts',
  'packages/gates/src/shell/programs.ts',
  'packages/gates/src/shell/readonly.ts',
  'packages/org-ast/src/edit/checkbox.ts',
  'packages/org-ast/src/tree/nodes.ts',
  'packages/skills/src/common/planner-dates.ts',
  'packages/skills/src/events/event-orchestrator.ts',
  'packages/skills/src/improve/self-improve.ts',
  'packages/skills/src/notes/tasks.ts',
  'tools/tangle/src/blocks/evaluate.ts',
  'tools/weave/src/content/content.ts',
  'tools/weave/src/pages/style.css',
]

test('no file is longer than a sitting', () => {
  const found = sources.filter(({ text }) => text.split('\n').length - 1 > linesMax)
  expect(found.map(({ path }) => path)).toEqual(long)
})
