import { parse } from 'unbash'
import { expect, test } from 'vitest'
import { readRuns } from '../../src/shell/commands.ts'
import { workOf } from '../../src/shell/work.ts'

function found(source: string): string | undefined {
  const { runs } = readRuns(parse(source), '/home/ann')
  return runs.map((run) => workOf(run)?.rule).find((rule) => rule !== undefined)
}

test('what is no work of this kind has no reason here', () => {
  expect(found('rm x')).toBeUndefined()
  expect(found('curl example.org')).toBe('network.connection')
  expect(found('git frobnicate')).toBe('network.connection')
  expect(found('pytest -x')).toBe('shell.project')
})
