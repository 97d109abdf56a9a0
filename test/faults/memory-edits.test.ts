import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { edits } from './memory-edits.ts'

const hasEmacs = spawnSync('emacs', ['--version']).status === 0

test.skipIf(!hasEmacs)(
  'four write at once, and nothing is lost',
  { timeout: 120_000 },
  async () => {
    const { faults, written, conflicts } = await edits(80)
    expect(faults).toEqual([])
    expect(written).toBe(80)
    expect(Object.values(conflicts).some((count) => count > 0)).toBe(true)
  },
)
