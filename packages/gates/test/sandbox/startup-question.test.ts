import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStack } from '@passepartout/commands/gates-check'
import { createLoop, parseAction } from '@passepartout/core'
import { expect, onTestFinished, test } from 'vitest'
import { hostSandbox } from '../../src/sandbox/sandbox.ts'

test.runIf(hostSandbox().available)(
  'a change is put back, shown, and made with a yes',
  async () => {
    const home = realpathSync(mkdtempSync(join(tmpdir(), 'question-')))
    onTestFinished(() => rmSync(home, { recursive: true }))
    const notes = join(home, 'notes')
    for (const folder of ['notes', 'state']) mkdirSync(join(home, folder))
    const read = (name: string) => readFileSync(join(notes, name), 'utf8')
    writeFileSync(join(notes, 'Makefile'), 'all: ; true\n')
    const { runtime, close } = openStack({
      HOME: home,
      XDG_STATE_HOME: join(home, 'state'),
      MEMEX_DIR: notes,
    })
    onTestFinished(close)
    const told: string[] = []
    runtime.reply = ({ payload }) => void told.push(payload.text ?? '')
    const meta = { source: 'cli', sessionId: 's', origin: 'owner' as const }
    const payload = { sensor: 'user-input', text: 'build it' }
    const signal = { type: 'event' as const, meta, payload, depth: 0 }
    const cmd = `echo 'all: ; evil' > Makefile; echo evil > conftest.py; mkdir -p r/.git
echo evil > r/.git/commondir; echo "#!/bin/sh" > tidy.sh; printf '\\377' > setup.py`
    const shell = runtime.actuators.get('shell')!
    const action = parseAction({
      type: 'request',
      target: 'shell',
      payload: { action: 'execute', cmd },
    })
    if (!action.ok) throw new Error(action.reason)
    const abort = new AbortController().signal
    const feedback = await shell.dispatch(action.value, signal, runtime, abort)
    expect(feedback?.payload.text).toMatch(/Makefile was changed .* asked/)
    expect(feedback?.payload.text).toMatch(/conftest\.py appeared .* asked/)
    expect(feedback?.payload.text).toMatch(
      /commondir appeared and was disabled, since it would run later\./,
    )
    expect(feedback?.payload.text).toMatch(
      /setup\.py appeared and was disabled, since it would run later\./,
    )
    expect(readdirSync(notes)).not.toContain('conftest.py')
    expect(readdirSync(notes).filter((name) => name.includes('disabled'))).toEqual([
      'setup.py.passepartout-disabled',
    ])
    expect(read('Makefile')).toBe('all: ; true\n')
    const kept = readdirSync(join(runtime.config.stateDir, 'set-aside'))
    expect(kept.map((name) => name.split('-').slice(2).join('-')).sort()).toEqual([
      'Makefile.passepartout-disabled',
      'conftest.py.passepartout-disabled',
    ])
    const question = runtime.approvals
      .open()
      .find(({ preview }) => preview?.includes('+all: ; evil'))
    expect(question?.askers.map(({ rule }) => rule).join()).toContain('paths.build')
    expect(told.join('\n')).toContain(`approve ${question?.token}`)
    const loop = createLoop(runtime)
    await loop.process({ ...signal, payload: { ...payload, text: `approve ${question?.token}` } })
    expect(read('Makefile')).toBe('all: ; evil\n')
  },
)
