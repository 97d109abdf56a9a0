import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readDaemonConfig, startDaemon } from '../../src/lifecycle/daemon.ts'

function temporary(name: string): string {
  const directory = mkdtempSync(join(tmpdir(), `${name}-`))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  return directory
}

test('a running daemon takes over what can be', async () => {
  const home = temporary('home')
  mkdirSync(join(home, 'passepartout'))
  const file = join(home, 'passepartout/config.org')
  const model = (name: string, more = ':MODEL: m') =>
    `* ${name}\n:PROPERTIES:\n:PROVIDER: ollama\n${more}\n:END:\n`
  const memex = temporary('memex')
  const env = { HOME: home, MEMEX_DIR: memex, XDG_CONFIG_HOME: home, XDG_STATE_HOME: home }
  writeFileSync(file, model('One'))
  const said: string[] = []
  const daemon = await startDaemon(readDaemonConfig(env), '0.0.0', {
    read: () => readDaemonConfig(env),
    say: (line) => said.push(line),
  })
  onTestFinished(() => daemon.stop())
  const names = () => daemon.runtime.providers.map(({ name }) => name)
  const [, planner] = names()
  daemon.runtime.reloaders.set('broken', () => Promise.reject(new Error('no skill')))
  daemon.runtime.reloaders.set('others', async () => ['two of them'])
  writeFileSync(file, model('One') + model('Two'))
  await daemon.reload()
  expect(names()).toEqual(['One', 'Two', planner])
  expect(said.join('')).toMatch(
    /2 models\n.*broken was not read again: no skill\n.*others: two of them/s,
  )
  writeFileSync(file, model('Three') + model('Four', ':SIZE: 3'))
  await daemon.reload()
  expect(names()).toEqual(['One', 'Two', planner])
  expect(said.join('')).toContain('the configuration stays as it was')
  writeFileSync(file, '* Tags\n:PROPERTIES:\n:PRIVATE_TAGS: diary\n:END:\n')
  await daemon.reload()
  expect(names()).toEqual([planner])
  expect(said.join('')).toContain('the tags of private notes changed')
})
