import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readDaemonConfig } from '../../src/configuration/daemon-config.ts'

function temporary(name: string): string {
  const directory = mkdtempSync(join(tmpdir(), `${name}-`))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  return directory
}

test('the configuration comes from the environment, and what is wrong is named', () => {
  const memex = temporary('memex')
  const env = { HOME: '/home/ann', MEMEX_DIR: memex }
  expect(readDaemonConfig(env)).toEqual({
    memexDir: memex,
    stateDir: '/home/ann/.local/state/passepartout',
    home: '/home/ann',
    port: 0,
    models: [],
    mind: {},
    embedding: null,
    privateTags: ['private', 'crypt'],
    approvers: [],
    workspaces: [],
    webHosts: [],
    archivist: { isOn: true, automatic: [], archiveAfter: 60, staleAfter: 90, scribe: 'yes' },
    sessions: expect.objectContaining({ place: 'state' }),
    events: { reflex: 500, cognition: 20, reasoning: 5 },
    mcpServers: [],
    gateways: [],
    permissionsFile: '/home/ann/.config/passepartout/permissions.org',
    skillsDir: '/home/ann/.local/share/passepartout/skills',
    budgets: [],
    improve: 'on-request',
    problems: [],
    telemetryUrl: null,
    telemetryContent: false,
    takesLegacy: false,
  })
  expect(readDaemonConfig({ ...env, PASSEPARTOUT_LEGACY_CLIENTS: '1' }).takesLegacy).toBe(true)
  expect(() => readDaemonConfig({ ...env, PASSEPARTOUT_LEGACY_CLIENTS: 'yes' })).toThrow('1 or 0')
  expect(() => readDaemonConfig({})).toThrow('MEMEX_DIR')
  expect(() => readDaemonConfig({ ...env, MEMEX_DIR: join(memex, 'none') })).toThrow('MEMEX_DIR')
  expect(() => readDaemonConfig({ ...env, PASSEPARTOUT_PORT: '70000' })).toThrow(
    'PASSEPARTOUT_PORT',
  )
})

test('what is right in the owner’s file is used, and the rest is told', () => {
  const home = temporary('home')
  mkdirSync(join(home, 'passepartout'))
  const file = join(home, 'passepartout/config.org')
  const model = (name: string, more: string) =>
    `* ${name}\n:PROPERTIES:\n:PROVIDER: ollama\n:MODEL: m\n${more}:END:\n`
  const phone = '* My phone\n:PROPERTIES:\n:APPROVER: telegram:4711\n:END:\n'
  writeFileSync(file, model('Here', '') + model('There', ':KEY_ENV: NOT_SET\n') + phone)
  const env = { HOME: home, MEMEX_DIR: temporary('memex'), XDG_CONFIG_HOME: home }
  const config = readDaemonConfig(env)
  expect(config.models.map(({ settings }) => settings.name)).toEqual(['Here'])
  expect(config.approvers).toEqual(['telegram:4711'])
  expect(config.problems).toEqual([
    `${file}:10: error: :KEY_ENV: the variable NOT_SET is not set; set it`,
  ])
})
