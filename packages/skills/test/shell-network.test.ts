import { parse } from 'unbash'
import { expect, test } from 'vitest'
import { readRuns } from '../src/shell-commands.ts'
import { findLeak, networkRules } from '../src/shell-network.ts'

function leak(source: string) {
  return findLeak(readRuns(parse(source), '/home/ann'))
}

for (const [name, { match, not }] of Object.entries(networkRules)) {
  test.each(match)(`%s is refused by the rule ${name}`, (source) => {
    expect(leak(source)?.rule).toBe(`network.${name}`)
  })
  test.each(not)(`%s is not refused by the rule ${name}`, (source) => {
    expect(leak(source)?.rule).not.toBe(`network.${name}`)
  })
}
