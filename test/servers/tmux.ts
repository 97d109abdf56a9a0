import { execFile, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'

/** Whether tmux can be run here. */
export const hasTmux: boolean = spawnSync('tmux', ['-V']).status === 0

const deadlineMs = 90_000
const pauseMs = 30

type Env = Record<string, string | undefined>
type Size = { columns: number; rows: number }

function assignments(env: Env): string[] {
  return Object.entries(env).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}=${value}`],
  )
}

/** A terminal with a program in it. */
export class Terminal {
  readonly #name = `passepartout-${randomUUID()}`

  /** Starts a shell command in a terminal of this size, with this environment and nothing else. */
  static async open(
    command: string,
    env: Env,
    size: Size = { columns: 80, rows: 24 },
  ): Promise<Terminal> {
    const terminal = new Terminal()
    const start = ['new-session', '-d', '-x', String(size.columns), '-y', String(size.rows)]
    await terminal.#tmux(...start, 'env', '-i', ...assignments(env), 'sh', '-c', command)
    await terminal.#tmux('set-option', '-g', 'window-size', 'manual')
    await terminal.#tmux('set-option', '-g', 'remain-on-exit', 'on')
    await terminal.#tmux('set-option', '-s', 'escape-time', '0')
    return terminal
  }

  async #tmux(...args: string[]): Promise<string> {
    const { stdout } = await promisify(execFile)('tmux', [
      '-L',
      this.#name,
      '-f',
      '/dev/null',
      ...args,
    ])
    return stdout
  }

  /** Presses keys by tmux's names, each in a chunk of its own. */
  async press(...keys: string[]): Promise<void> {
    for (const key of keys) await this.#tmux('send-keys', key)
  }

  /** Types a text in one go, escape sequences included. */
  async type(text: string): Promise<void> {
    const bytes = [...Buffer.from(text)].map((byte) => byte.toString(16).padStart(2, '0'))
    await this.#tmux('send-keys', '-H', ...bytes)
  }

  /** Pastes a text, marked as one. */
  async paste(text: string): Promise<void> {
    await this.#tmux('set-buffer', text)
    await this.#tmux('paste-buffer', '-p')
  }

  async resize(columns: number, rows: number): Promise<void> {
    await this.#tmux('resize-window', '-x', String(columns), '-y', String(rows))
  }

  /** What stands on the screen, with escape sequences for its colours when asked. */
  screen({ colours = false }: { colours?: boolean } = {}): Promise<string> {
    return this.#tmux('capture-pane', '-p', ...(colours ? ['-e'] : []))
  }

  /** Facts of tmux's about the terminal, such as `#{alternate_on}`. */
  async fact(format: string): Promise<string> {
    return (await this.#tmux('display-message', '-p', format)).trim()
  }

  /** Reads the screen until it is as expected. */
  until(expected: RegExp | ((screen: string) => boolean)): Promise<string> {
    return until(this, expected)
  }

  async close(): Promise<void> {
    await this.#tmux('kill-server').catch(() => {})
  }
}

/** Reads the screen until it is as expected; rejects with the screen when it never is. */
async function until(
  terminal: Terminal,
  expected: RegExp | ((screen: string) => boolean),
): Promise<string> {
  const end = performance.now() + deadlineMs
  const isMet = typeof expected === 'function' ? expected : (text: string) => expected.test(text)
  for (;;) {
    const screen = await terminal.screen()
    if (isMet(screen)) return screen
    if (performance.now() > end)
      throw new Error(`Expected ${expected.toString()} on the screen:\n${screen}`)
    await setTimeout(pauseMs)
  }
}

/** Waits until a program of this name has the terminal; rejects when it never has. */
export async function untilRunning(terminal: Terminal, program: string): Promise<void> {
  const end = performance.now() + deadlineMs
  while ((await terminal.fact('#{pane_current_command}')) !== program) {
    if (performance.now() > end) throw new Error(`${program} never ran`)
    await setTimeout(pauseMs)
  }
}
