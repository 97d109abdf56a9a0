import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  endProcess,
  release,
  spawnDaemon,
} from '../../packages/clients/src/session/daemon-process.ts'
import { type ModelServer, startModelServer, type Turn } from './model-server.ts'
import { Terminal } from './tmux.ts'

/** A home with notes, a model and a daemon. */
export interface TerminalStage {
  home: string
  memex: string
  model: ModelServer
  env: Record<string, string | undefined>
  startDaemon: () => Promise<void>
  stopDaemon: () => Promise<void>
  /** Opens a terminal with `passepartout` and these words in it. */
  open: (
    words: string,
    given?: { columns?: number; rows?: number; env?: Record<string, string> },
  ) => Promise<Terminal>
  close: () => Promise<void>
}

const drawer = (...lines: string[]) => `:PROPERTIES:\n${lines.join('\n')}\n:END:\n`
const command = join(import.meta.dirname, '../../packages/clients/src/command/cli.ts')
const flags = '--disable-warning=ExperimentalWarning --conditions=@passepartout/source'

function configure(home: string, model: ModelServer): void {
  const folder = join(home, 'config/passepartout')
  mkdirSync(folder, { recursive: true })
  const address = `:BASE_URL: ${model.baseUrl('openai-compatible')}`
  const lines = [':PROVIDER: openai-compatible', ':MODEL: m', address, ':KEY_ENV: MODEL_KEY']
  writeFileSync(join(folder, 'config.org'), `* qwen3\n${drawer(...lines)}`)
  const rule = drawer(':PERMISSION: ask', ':TOOL: capture-task')
  writeFileSync(join(folder, 'permissions.org'), `* Ask before a task\n${rule}`)
}

/** Sets a stage with these notes, by their names, and this script for the model. */
export async function setStage(
  notes: Record<string, string>,
  ...script: Turn[]
): Promise<TerminalStage> {
  const home = mkdtempSync(join(tmpdir(), 'stage-'))
  const memex = join(home, 'notes')
  mkdirSync(memex)
  for (const [name, text] of Object.entries(notes)) writeFileSync(join(memex, name), text)
  const model = await startModelServer(...script)
  configure(home, model)
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    XDG_STATE_HOME: join(home, 'state'),
    XDG_CONFIG_HOME: join(home, 'config'),
    XDG_CACHE_HOME: join(tmpdir(), 'passepartout-cache'),
    MODEL_KEY: 'sk-of-the-stage',
  }
  const terminals: Terminal[] = []
  let daemon: Awaited<ReturnType<typeof spawnDaemon>> | null = null
  const stopDaemon = async () => {
    if (daemon?.child.pid !== undefined) await endProcess(daemon.child.pid)
    daemon = null
  }
  return {
    home,
    memex,
    model,
    env,
    stopDaemon,
    async startDaemon() {
      daemon = await spawnDaemon({ ...env, MEMEX_DIR: memex })
      release(daemon)
    },
    async open(words, { columns = 80, rows = 24, env: more = {} } = {}) {
      const line = `'${process.execPath}' ${flags} '${command}' ${words}`
      const terminal = await Terminal.open(line, { ...env, ...more }, { columns, rows })
      terminals.push(terminal)
      return terminal
    },
    async close() {
      for (const terminal of terminals) await terminal.close()
      await stopDaemon()
      await model.close()
      rmSync(home, { recursive: true })
    },
  }
}
