import { expect, test } from 'vitest'
import { maskedAbroad, type PromptMasks } from '../../src/mind/prompt-mask.ts'

test('a text passes both masks, and a mask that fails lets nothing through', () => {
  const told: string[] = []
  const masks: PromptMasks = {
    promptMask: (text) => text.replace('s3cr3t', '███'),
    materialMask: (text) => text.replace('Ann', '…'),
    log: (_, message) => told.push(message),
  }
  expect(maskedAbroad(masks, 'Ann has s3cr3t')).toBe('… has ███')
  const promptMask = () => {
    throw new Error('no rules')
  }
  expect(maskedAbroad({ ...masks, promptMask }, 'Ann has s3cr3t')).not.toContain('s3cr3t')
  expect(told).toEqual(['a part of the prompt was withheld: no rules'])
})
