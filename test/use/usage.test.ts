import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLoop } from '@passepartout/core'
import { readDaemonConfig, startDaemon } from '@passepartout/daemon'
import { expect, onTestFinished, test } from 'vitest'
import { startModelServer } from '../servers/model-server.ts'

async function setting(ledger: string) {
  const model = await startModelServer({ text: ['From the model.'] })
  const dir = mkdtempSync(join(tmpdir(), 'usage-daemon-'))
  const usage = join(dir, 'passepartout/usage')
  const memex = join(dir, 'notes')
  for (const path of [usage, memex, join(dir, 'config/passepartout')])
    mkdirSync(path, { recursive: true })
  const budget = '* Per day\n:PROPERTIES:\n:BUDGET: 100000 tokens\n:PER: day\n:END:\n'
  writeFileSync(join(dir, 'config/passepartout/config.org'), budget)
  writeFileSync(join(usage, `usage-${new Date().toISOString().slice(0, 7)}.org`), ledger)
  writeFileSync(join(memex, 'a.org'), '* Ferns\nThey want shade.\n')
  const env = {
    HOME: dir,
    XDG_STATE_HOME: dir,
    XDG_CONFIG_HOME: join(dir, 'config'),
    MEMEX_DIR: memex,
    PASSEPARTOUT_PROVIDER_URL: model.baseUrl('openai-compatible'),
    PASSEPARTOUT_PROVIDER_MODEL: 'scripted',
  }
  const daemon = await startDaemon(readDaemonConfig(env), '0.0.0', { say: () => {} })
  onTestFinished(async () => {
    await daemon.stop()
    await model.close()
    rmSync(dir, { recursive: true })
  })
  const said: string[] = []
  daemon.runtime.reply = ({ payload }) => said.push(String(payload.text ?? ''))
  const ask = async (text: string) => {
    const meta = { source: 'cli', sessionId: 's' }
    const payload = { sensor: 'user-input', text }
    await createLoop(daemon.runtime).process({ type: 'event', meta, payload, depth: 0 })
    return said.join('\n')
  }
  return { ask, model, usage }
}

const row = (tokens: number) =>
  `| ${new Date().toISOString()} | openai-compatible:scripted | scripted | conversation | ${tokens} | 0 | 0 | 0.000000 | told |\n`

test('a budget that is spent leaves the answer to the planner', async () => {
  const { ask, model } = await setting(row(100_000))
  const said = await ask('Why do ferns like shade so much?')
  expect(said).toContain('The budget “Per day” is spent for this day: 100000 of 100000 tokens')
  expect(said).toContain('the planner did, which works by rules')
  expect(model.requests).toEqual([])
})

test('a budget with something left lets the model answer, and is charged', async () => {
  const { ask, model, usage } = await setting(row(1_000))
  expect(await ask('Why do ferns like shade so much?')).toContain('From the model.')
  expect(model.requests).toHaveLength(1)
  const [file = ''] = readdirSync(usage)
  expect(readFileSync(join(usage, file), 'utf8')).toMatch(
    /Z \| openai-compatible:scripted \| scripted \| conversation \| 9 \| 0 \| 2 \| 0\.000000 \| told \|\n$/,
  )
})
