import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openMemex } from '../../src/memex/memex.ts'
import { parseConfig } from '../../src/settings/config.ts'
import { openSessionFiles } from '../../src/transcript/session-file.ts'
import {
  placeSessions,
  sessionDefaults,
  sessionSection,
} from '../../src/transcript/session-settings.ts'
import type { Entry } from '../../src/transcript/transcript.ts'

test('sessions go into the memex and back, and are no notes there', () => {
  const dir = mkdtempSync(join(tmpdir(), 'place-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const config = { memexDir: join(dir, 'memex'), stateDir: join(dir, 'state') }
  for (const path of [config.memexDir, config.stateDir]) mkdirSync(path)
  const words = (text: string): Entry => {
    return { kind: 'words', origin: 'owner', text, turn: 't', at: 0 }
  }
  const place = (where: 'state' | 'memex') =>
    openSessionFiles(placeSessions(config, { ...sessionDefaults, place: where }))
  place('state').append('s', words('one'))
  place('memex').append('s', words('two'))
  expect(place('memex').read('s')).toEqual([words('one'), words('two')])
  expect(readdirSync(join(config.memexDir, '.passepartout/sessions'))).toHaveLength(1)
  expect(openMemex(config.memexDir).files()).toEqual([])
  expect(place('state').read('s')).toEqual([words('one'), words('two')])
})

test('the section is read, and a slip is told', () => {
  const read = (...lines: string[]) => {
    const text = `* Sessions\n:PROPERTIES:\n:SESSIONS: state\n${lines.join('\n')}\n:END:\n`
    return parseConfig(
      text,
      'config.org',
      { sessions: sessionSection },
      {
        isSecret: () => false,
        linesOf: () => [],
      },
    )
  }
  expect(read(':KEEP_DAYS: 90', ':MEGABYTES: 100').sections.sessions).toMatchObject([
    { place: 'state', limits: { days: 90, totalBytes: 100_000_000, sessions: 5_000 } },
  ])
  expect(read(':KEEP_DAYS: 0').problems).toMatchObject([{ line: 4 }])
})
