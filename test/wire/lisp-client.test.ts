import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { socketPathOf } from '@passepartout/core'
import { type Daemon, readDaemonConfig, startDaemon } from '@passepartout/daemon'
import { expect, onTestFinished, test } from 'vitest'

const hasLisp = spawnSync('sbcl', ['--version']).status === 0

async function daemonIn(home: string, env: Record<string, string> = {}): Promise<Daemon> {
  const given = { HOME: home, XDG_STATE_HOME: home, MEMEX_DIR: home, ...env }
  const daemon = await startDaemon(readDaemonConfig(given), '0.1.0')
  onTestFinished(async () => {
    await daemon.stop()
    rmSync(home, { recursive: true })
  })
  return daemon
}

async function lisp(address: string, sentence: string): Promise<string> {
  const program = join(import.meta.dirname, 'lisp-client.lisp')
  const flags = [
    '--noinform',
    '--no-userinit',
    '--disable-debugger',
    '--load',
    program,
    '--quit',
    '--end-toplevel-options',
  ]
  const env = { ...process.env, LC_ALL: 'C.UTF-8' }
  const child = spawn('sbcl', [...flags, address, sentence], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return text(child.stdout)
}

test.skipIf(!hasLisp)(
  'SBCL and the daemon understand each other (skipped without sbcl)',
  async () => {
    const home = mkdtempSync(join(tmpdir(), 'lisp-'))
    await daemonIn(home)
    const address = socketPathOf(join(home, 'passepartout'))!
    const said = await lisp(address, 'capture "Brühe" 🍲 kochen')
    expect(said).not.toContain('NO')
    expect(said).toMatch(/all of Unicode comes back: yes/)
    expect(said).toMatch(/prints as it was sent: yes[\s\S]*answer: .*"Brühe" 🍲 kochen/)
    expect(readFileSync(join(home, 'inbox.org'), 'utf8')).toContain('"Brühe" 🍲 kochen')
  },
)

test.skipIf(!hasLisp)(
  'a client of the first daemon talks where it may (skipped without sbcl)',
  async () => {
    const home = mkdtempSync(join(tmpdir(), 'lisp-'))
    const { port } = await daemonIn(home, { PASSEPARTOUT_LEGACY_CLIENTS: '1' })
    const said = await lisp(String(port), 'agenda')
    expect(said).toMatch(/the daemon says hello: yes[\s\S]*answer: /)
    expect(said).not.toContain('NO')
  },
)
