import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { lintJson, lintLines, lintSarif } from '../../src/lint/report.ts'

const place = { file: '/book/org/a b.org', line: 3, column: 5 }
const findings = [
  { ...place, rule: 'tab', severity: 'warning' as const, message: 'a tab' },
  { ...place, rule: 'dead-link', severity: 'error' as const, message: 'nowhere' },
]
const outcome = { root: '/book', documents: 2, findings }

test('findings are lines that an editor can jump from', () => {
  expect(lintLines(outcome, '/book/org').map(stripVTControlCharacters)).toEqual([
    'a b.org:3:5: warning: a tab [tab]',
    'a b.org:3:5: error: nowhere [dead-link]',
  ])
  expect(lintJson(outcome)).toMatchObject({
    documents: 2,
    findings: [{ file: 'org/a b.org', rule: 'tab' }, { rule: 'dead-link' }],
  })
})

test('SARIF names the rules, and each finding its own', () => {
  const log = JSON.parse(JSON.stringify(lintSarif(outcome)))
  const { tool, results } = log.runs[0]
  expect(log).toMatchObject({ version: '2.1.0', runs: [{ columnKind: 'utf16CodeUnits' }] })
  expect(results).toMatchObject([
    { ruleId: 'tab', level: 'warning', message: { text: 'a tab' } },
    {
      level: 'error',
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: 'org/a%20b.org', uriBaseId: 'ROOT' },
            region: { startLine: 3, startColumn: 5 },
          },
        },
      ],
    },
  ])
  for (const { ruleId, ruleIndex } of results) expect(tool.driver.rules[ruleIndex].id).toBe(ruleId)
})
