import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRuntime, openMemex } from '@passepartout/core'
import { readDaemonConfig, skillsOf } from '@passepartout/daemon'
import { expect, onTestFinished, test } from 'vitest'
import { loadHouse, mandatoryGates, skillPlaces } from '../../src/improve/user-skills.ts'

function place() {
  const dir = mkdtempSync(join(tmpdir(), 'house-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const config = readDaemonConfig({ HOME: dir, MEMEX_DIR: dir, XDG_STATE_HOME: dir })
  const runtime = createRuntime({ config, memex: openMemex(dir) })
  return {
    config,
    runtime,
    places: skillPlaces({ skillsDir: dir, configDir: dir, stateDir: dir, memexDir: dir }),
  }
}

test('the house has all its gates', () => {
  const { config, places, runtime } = place()
  expect(() => loadHouse(runtime, skillsOf(config), places)).not.toThrow()
  expect(runtime.reloaders.has('skills')).toBe(true)
})

test.each(mandatoryGates.filter((name) => name !== 'skill-grants'))(
  'nothing starts without %s',
  (name) => {
    const { config, places, runtime } = place()
    const skills = skillsOf(config).filter(
      ({ gates }) => !gates?.some((gate) => gate.name === name),
    )
    expect(() => loadHouse(runtime, skills, places)).toThrow(`nothing runs without them: ${name}`)
  },
)
