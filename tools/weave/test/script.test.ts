import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { pageScript } from '../src/script.ts'

test('the scripts are small, alone, and the same each time', async () => {
  const [reader, theme] = [await pageScript('reader'), await pageScript('reader-theme')]
  expect(gzipSync(reader).length).toBeLessThan(15_000)
  expect(gzipSync(theme).length).toBeLessThan(400)
  expect(reader + theme).not.toMatch(/\b(?:import|require|process)\b[ (.]/)
  expect(() => new Function(reader + theme)).not.toThrow()
  expect(await pageScript('reader')).toBe(reader)
})
