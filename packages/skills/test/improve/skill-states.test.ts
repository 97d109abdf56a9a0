import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { holdInstance, type SkillStatus, startServer } from '@passepartout/core'
import { expect, onTestFinished, test } from 'vitest'
import { knownSkills } from '../../src/improve/skill-states.ts'

function home() {
  const dir = mkdtempSync(join(tmpdir(), 'skill-states-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const folder = join(dir, 'skills')
  mkdirSync(folder)
  writeFileSync(join(folder, 'guard.org'), '#+CAPABILITIES: gates\n')
  writeFileSync(join(folder, 'torn.org'), '#+CAPABILITIES: network\n')
  const folders = [{ path: folder, isOwners: true }]
  return { dir, known: () => knownSkills({ folders, grantsPath: join(dir, 'skills.org') }, dir) }
}

async function daemon(stateDir: string, skills: () => SkillStatus[]): Promise<void> {
  onTestFinished(holdInstance(stateDir, '/m', new Date()))
  const socketPath = join(stateDir, 'daemon.sock')
  const server = await startServer({
    host: '127.0.0.1',
    port: 0,
    socketPath,
    token: 't'.repeat(64),
    version: '0.0.0',
    onSignal: () => {},
    onHealth: () => ({ skills: skills() }),
  })
  onTestFinished(() => server.close())
  const announced = { pid: process.pid, port: server.port, socket: socketPath, memex: '/m' }
  writeFileSync(join(stateDir, 'daemon.json'), JSON.stringify(announced))
}

test('the daemon says how its skills are, and the files when there is none', async () => {
  const { dir, known } = home()
  expect(await known()).toMatchObject({
    from: 'files',
    silence: null,
    skills: [
      { name: 'guard', state: 'waiting', missing: ['gates'] },
      { name: 'torn', state: 'broken' },
    ],
  })
  const empty = { capabilities: ['gates'], missing: [], brings: [], problems: [], hash: 'aa' }
  const common = { name: 'guard', path: '/s/guard.org', origin: 'owner', ...empty } as const
  const answers: SkillStatus[][] = [
    [],
    [{ ...common, state: 'running', brings: ['gate quiet'] }],
    [{ ...common, state: 'faulty', problems: ['guard.org:3: error: x', 'guard.org:4: error: y'] }],
  ]
  let at = 0
  await daemon(dir, () => answers[at]!)
  for (at = 0; at < answers.length; at++) {
    expect(await known()).toEqual({ from: 'daemon', silence: null, skills: answers[at] })
  }
})

test('a daemon that does not say leaves it to the files', async () => {
  const { dir, known } = home()
  onTestFinished(holdInstance(dir, '/m', new Date()))
  const { from, silence, skills } = await known()
  expect([from, skills.length]).toEqual(['files', 2])
  expect(silence).toContain(`process ${process.pid}`)
})
