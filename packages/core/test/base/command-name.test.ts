import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { commandName, nameIn } from '../../src/base/command-name.ts'

test('the command is the one that works here', () => {
  expect(commandName).toBe('npx passepartout')
  expect(nameIn('file:///usr/lib/node_modules/passepartout/dist/doctor.js')).toBe('passepartout')
})

const others = new Set(['agents-md', 'skill-template', 'shells', 'rollback', 'self-improve'])

test('no message spells the command out', () => {
  const folder = join(import.meta.dirname, '../../..')
  const files = globSync('*/src/**/*.ts', { cwd: folder })
  const advice =
    /[:;(“] *passepartout (?:start|stop|restart|reload|setup|doctor|skill|gateway|logs)\b/
  const found = files.flatMap((file) => {
    const text = readFileSync(join(folder, file), 'utf8').replace(/(?:help = |about: )`[^`]*`/g, '')
    const lines = text
      .split('\n')
      .filter((line) => advice.test(line) && !/^ *(?:\/?\*|\/\/)/.test(line))
    return others.has(basename(file, '.ts')) ? [] : lines.map((line) => `${file}: ${line.trim()}`)
  })
  expect(files.length).toBeGreaterThan(400)
  expect(found).toEqual([])
})
