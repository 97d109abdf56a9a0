import { expect, test } from 'vitest'
import { hasEmacs } from './emacs.ts'
import { compareTangling } from './tangle-compare.ts'

test.skipIf(!hasEmacs)('three hundred documents', { timeout: 300_000 }, () => {
  const { differences, compared, files } = compareTangling(300, 20, true)
  expect(differences).toEqual([])
  expect(compared).toBeGreaterThan(250)
  expect(files).toBeGreaterThan(150)
})
