import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Script } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { pageScript, scriptSources } from '../../src/site/script.ts'

test('the scripts are small, alone, and the same each time', async () => {
  const [reader, theme] = [await pageScript('reader'), await pageScript('theme')]
  expect(gzipSync(reader).length).toBeLessThan(15_000)
  expect(gzipSync(theme).length).toBeLessThan(400)
  expect(reader + theme).not.toMatch(/\b(?:import|require|process)\b[ (.]/)
  expect(() => new Script(reader + theme)).not.toThrow()
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
})

test('every module that a script imports is among its sources', () => {
  const listed = scriptSources()
  const imported = listed.flatMap((path) => {
    const found = readFileSync(path, 'utf8').matchAll(/from '(\.[^']+)'/g)
    return [...found].map((match) => join(dirname(path), match[1]!))
  })
  expect(imported.length).toBeGreaterThan(2)
  expect(imported.filter((path) => !listed.includes(path))).toEqual([])
})
