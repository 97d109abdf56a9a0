import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { pageScript } from '../../src/site/script.ts'

test('the scripts are small, alone, and the same each time', async () => {
  const [reader, theme] = [await pageScript('reader'), await pageScript('theme')]
  expect(gzipSync(reader).length).toBeLessThan(15_000)
  expect(gzipSync(theme).length).toBeLessThan(400)
  expect(reader + theme).not.toMatch(/\b(?:import|require|process)\b[ (.]/)
  expect(() => new Function(reader + theme)).not.toThrow()
  expect(await pageScript('reader')).toBe(reader)
})

test('what was bundled is remembered, for the sources it was made of', async () => {
  const memory = mkdtempSync(join(tmpdir(), 'script-'))
  onTestFinished(() => rmSync(memory, { recursive: true }))
  const script = await pageScript('theme', memory)
  const [file = ''] = readdirSync(memory)
  writeFileSync(join(memory, file), 'kept')
  expect(await pageScript('theme', memory)).toBe('kept')
  expect(script).toBe(await pageScript('theme'))
  const folder = join(import.meta.dirname, '../../src')
  const listed = /const sources = \[([^\]]*)\]/.exec(
    readFileSync(join(folder, 'script.ts'), 'utf8'),
  )
  const readers = readdirSync(folder).filter((name) => /^reader.*\.ts$/.test(name))
  for (const name of readers) {
    const text = readFileSync(join(folder, name), 'utf8')
    const imported = [...text.matchAll(/from '\.\/([\w-]+)\.ts'/g)].map((match) => match[1]!)
    for (const one of [name.replace('.ts', ''), ...imported])
      expect(listed![1]).toContain(`'${one}'`)
  }
})
