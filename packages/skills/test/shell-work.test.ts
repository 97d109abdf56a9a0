import { parse } from 'unbash'
import { expect, test } from 'vitest'
import { readRuns } from '../src/shell-commands.ts'
import { toolsOfWork, workOf } from '../src/shell-work.ts'

function found(source: string): string | undefined {
  const { runs } = readRuns(parse(source), '/home/ann')
  return runs.map((run) => workOf(run)?.rule).find((rule) => rule !== undefined)
}

for (const { match } of Object.values(toolsOfWork)) {
  test.each(match.distant)('%s may talk to another machine', (source) => {
    expect(found(source)).toBe('network.connection')
  })
  test.each(match.local)('%s changes what is here', (source) => {
    expect(found(source)).toBe('shell.local-work')
  })
  test.each([...match.project, 'make'])('%s runs what the project says', (source) => {
    expect(found(source)).toBe('shell.project')
  })
}

test('what is no work of this kind has no reason here', () => {
  expect(found('rm x')).toBeUndefined()
  expect(found('curl example.org')).toBe('network.connection')
  expect(found('git frobnicate')).toBe('network.connection')
  expect(found('pytest -x')).toBe('shell.project')
})
