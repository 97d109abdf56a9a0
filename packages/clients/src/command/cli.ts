#!/usr/bin/env -S node --disable-warning=ExperimentalWarning --conditions=@passepartout/source
import { ownVersion, print, printError } from '@passepartout/core/presence'
import {
  type Context,
  count,
  defineProgram,
  flag,
  type Program,
  runProgram,
  text,
} from '#commands/program'
import { programs, serverPrograms, setup as writing } from '#commands/programs'

const daemon = 'The daemon'
const memex = text('FOLDER', 'the folder of your Org files (default: $MEMEX_DIR)')
const json = flag('print it as JSON')

const lifecycle = [
  defineProgram({
    name: 'start',
    section: daemon,
    summary: 'start the daemon, in this terminal',
    options: { memex, detach: flag('let it run behind the terminal', 'd') },
    run: async (given) => (await import('./lifecycle.ts')).start(given),
  }),
  defineProgram({
    name: 'stop',
    section: daemon,
    summary: 'end the daemon; it finishes what it is doing, within five seconds',
    run: async ({ env }) => (await import('./lifecycle.ts')).stop(env),
  }),
  defineProgram({
    name: 'restart',
    section: daemon,
    options: { memex, detach: flag('behind the terminal, as it is anyway', 'd') },
    summary: 'end the daemon and start one behind the terminal',
    run: async (given) => (await import('./lifecycle.ts')).restart(given),
  }),
  defineProgram({
    name: 'reload',
    section: daemon,
    summary: 'have it read its configuration again',
    run: async ({ env }) => (await import('./lifecycle.ts')).reload(env),
  }),
  defineProgram({
    name: 'status',
    section: daemon,
    summary: 'say how it is',
    options: { json },
    exits: { 0: 'it runs and answers', 3: 'none runs', 4: 'it does not answer' },
    run: async ({ env }) => (await import('./status.ts')).statusOf(env),
  }),
  defineProgram({
    name: 'top',
    section: daemon,
    summary: 'what it is doing, on a screen that follows; once into a pipe',
    options: { json: flag('the figures, once'), once: flag('once, in a terminal too') },
    run: async ({ env, options }) => (await import('./top.ts')).top(env, options),
  }),
  defineProgram({
    name: 'logs',
    section: daemon,
    summary: 'print the last lines of its log',
    options: {
      lines: count('NUMBER', 'how many', 50, 'n'),
      follow: flag('go on with those that come', 'f'),
      json: flag('as they are in the file'),
    },
    run: async (given) => (await import('./logs.ts')).printLog(given),
  }),
]

const talk = 'Talk to it'
const codes = { 0: 'done, or answered', 3: 'it needs a yes, or was refused' }
const answered = { json: flag('print one JSON object') }

const sayings = [
  defineProgram({
    name: 'ask',
    section: talk,
    usage: 'WORD...',
    options: {
      ...answered,
      continue: flag('go on with the last session', 'c'),
      session: text('NAME', 'in the session of this name, which begins if there is none'),
      consensus: flag('put it to several models at once; what most of them want is done'),
    },
    exits: codes,
    summary: 'ask one thing and print the answer; - stands for standard input',
    examples: [
      'ask what is next',
      'ask --continue and after that',
      'ask what changed here: - < CHANGES',
    ],
    run: async (given) => (await import('./ask.ts')).askThat(given),
  }),
  defineProgram({
    name: 'capture',
    section: talk,
    usage: 'WORD...',
    options: answered,
    exits: codes,
    summary: 'put something down in the inbox; - stands for standard input',
    run: async (given) => (await import('./ask.ts')).capture(given),
  }),
  defineProgram({
    name: 'approve',
    section: talk,
    usage: 'WORD [MORE...]',
    options: answered,
    summary: 'say yes to a question, by its word; “always” and what was offered may follow',
    run: async (given) => (await import('./ask.ts')).decide('approve', given),
  }),
  defineProgram({
    name: 'deny',
    section: talk,
    usage: 'WORD [MORE...]',
    options: answered,
    summary: 'say no to a question, by its word',
    run: async (given) => (await import('./ask.ts')).decide('deny', given),
  }),
  defineProgram({
    name: 'chat',
    section: talk,
    usage: '[NAME]',
    options: { resume: flag('go on with the last session, or with the one of this name', 'r') },
    summary: 'converse in this terminal',
    run: async ({ env, options: { resume }, words: [name] }) => {
      const wish = resume ? { name } : name === undefined ? null : { name, begin: true }
      return (await import('./chat.ts')).chat(env, wish)
    },
  }),
]

const screen = defineProgram({
  name: 'tui',
  section: talk,
  summary: 'converse on the whole screen, with cards, panes and a status',
  options: {
    'no-mouse': flag('leave the mouse to the terminal'),
    plain: flag('line by line, for screen readers; also with TERM=dumb'),
    resume: flag('go on with the last session, or with the one of this name', 'r'),
  },
  usage: '[NAME]',
  run: async ({ env, options: { 'no-mouse': isMouseless, plain, resume }, words: [name] }) => {
    process.env.NODE_ENV ??= 'production'
    const { tui } = await import('../tui/tui.ts')
    const session = name ?? (resume ? '' : null)
    process.exit(await tui({ mouse: !isMouseless, plain, env, session }))
  },
})

const context = defineProgram({
  name: 'context',
  section: talk,
  usual: 'show',
  summary: 'the project that new sessions begin in: show, push PROJECT, pop; and prompt',
  about: 'What is open already stays where it is.',
  programs: [
    defineProgram({
      name: 'show',
      summary: 'where sessions begin',
      options: { json },
      run: async (given) => (await import('./context.ts')).moveTo(given, ['where am i']),
    }),
    defineProgram({
      name: 'push',
      usage: 'PROJECT',
      options: { json },
      summary: 'in this project from now on',
      run: async (given) => (await import('./context.ts')).pushContext(given),
    }),
    defineProgram({
      name: 'pop',
      summary: 'one back',
      options: { json },
      run: async (given) => {
        return (await import('./context.ts')).moveTo(given, ['pop-context', 'keep-context'])
      },
    }),
    defineProgram({
      name: 'prompt',
      usage: '[SESSION]',
      options: { json },
      summary: 'what fills the prompt of a session, in tokens, and what was left out',
      run: async (given) => (await import('./context.ts')).showPrompt(given),
    }),
  ],
})

const others = 'For other programs'

const withMemex = (env: Context['env'], folder: string | undefined) =>
  folder === undefined ? env : { ...env, MEMEX_DIR: folder }

const servers = [
  defineProgram({
    name: 'acp',
    section: others,
    options: { memex },
    summary: 'be an agent for an editor: the Agent Client Protocol on standard input and output',
    run: async ({ env, options }) => {
      await (await import('../editor/acp.ts')).acp(withMemex(env, options.memex))
      return { text: '' }
    },
  }),
  defineProgram({
    name: 'mcp',
    section: others,
    programs: serverPrograms,
    summary: 'serve the notes to other agents: the Model Context Protocol, on standard output',
    options: {
      memex,
      http: count('PORT', 'listen on this port of this machine instead; 0 for any', undefined),
    },
    run: async ({ env, options }) => {
      const { mcp } = await import('../mcp/mcp.ts')
      await mcp(withMemex(env, options.memex), options.http ?? null)
      return { text: '' }
    },
  }),
  defineProgram({
    name: 'completion',
    section: others,
    usage: 'bash|zsh|fish',
    summary: 'print a script that completes commands',
    examples: ['completion bash > ~/.local/share/bash-completion/completions/passepartout'],
    run: async ({ words: [shell = ''] }) => {
      return { text: (await import('./shells.ts')).completionFor(shell, passepartout) }
    },
  }),
  defineProgram({
    name: 'manual-page',
    section: others,
    summary: 'print the manual page, for man',
    run: async ({ now }) => {
      const day = now.toLocaleDateString('en-US', { dateStyle: 'long' })
      return { text: (await import('./shells.ts')).manualPage(passepartout, day) }
    },
  }),
]

const setup: Program = {
  ...writing,
  run: async (given) => (await import('./setup.ts')).setup(given),
}

/** The tree of all programs. */
export const passepartout: Program = defineProgram({
  name: 'passepartout',
  summary: 'a personal agent that lives in your Org files',
  about: `Begin with: passepartout setup, then passepartout start --detach, then passepartout chat.
passepartout --version says which one this is.`,
  programs: [
    ...[...lifecycle, ...sayings, screen, context],
    ...programs.map((each) => (each === writing ? setup : each)),
    ...servers,
  ],
})

/** Makes a failing standard output the end of this process, after `finish`. */
export function endWithReader(finish: () => Promise<void>): void {
  let ending = false
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (ending) return
    ending = true
    const closed = error.code === 'EPIPE'
    if (!closed) printError(`passepartout: ${error.message}\n`)
    void finish().finally(() => process.exit(closed ? 141 : 1))
  })
}

/** Runs the command; sets the exit code. */
export async function main(words: readonly string[]): Promise<void> {
  endWithReader(async () => {})
  if (words.length === 1 && /^(?:-V|--version)$/.test(words[0]!)) {
    print(`${ownVersion(import.meta.dirname)}\n`)
    return
  }
  const { env, stdout } = process
  const { code, err, out } = await runProgram(passepartout, words, {
    env,
    daemon: {
      say: async (...said) => (await import('./daemon-requests.ts')).sayTo(env, ...said),
      tell: async (event) => (await import('./daemon-requests.ts')).tell(env, event),
    },
    terminal: {
      width: stdout.isTTY ? stdout.columns : null,
      colours: stdout.isTTY && (env.NO_COLOR ?? '') === '',
    },
  })
  if (out !== '') print(out)
  if (err !== '') printError(err)
  if (code !== 0) process.exitCode = code
}

if (import.meta.main) await main(process.argv.slice(2))
