import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Command } from 'commander'
import { expect, onTestFinished, test } from 'vitest'
import { program } from '../../src/command/cli.ts'
import { completionFor, manualPage } from '../../src/command/shells.ts'

function tree(): Command {
  const command = new Command('passepartout').description('An agent.')
  command
    .command('start')
    .option('--memex <folder>', "the owner's $HOME")
    .description('.begin \\ it')
  const memory = command.command('memory').description('what was')
  memory.command('diff').argument('<id>').description('Ar what "changed"')
  return command
}

const has = (name: string): boolean => spawnSync(name, ['--version']).error === undefined

function written(text: string, name: string): string {
  const dir = mkdtempSync(join(tmpdir(), 'shells-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  writeFileSync(join(dir, name), text)
  return join(dir, name)
}

test.skipIf(!has('bash'))('bash completes (skipped without bash)', () => {
  const complete = (script: string, ...words: string[]) => {
    const line = words.map((word) => `'${word}'`).join(' ')
    const ask = `. ${written(script, 'x')}; COMP_WORDS=(passepartout ${line}); COMP_CWORD=${words.length}; _passepartout; printf '%s\\n' "\${COMPREPLY[@]}"`
    const { stdout, stderr } = spawnSync('bash', ['-c', ask], { encoding: 'utf8' })
    expect(stderr).toBe('')
    return stdout.trim().split('\n')
  }
  const script = completionFor('bash', tree())
  expect(complete(script, '')).toEqual(['start', 'memory', 'help', '--help'])
  expect(complete(script, 'm')).toEqual(['memory'])
  expect(complete(script, 'memory', 'd')).toEqual(['diff'])
  expect(complete(script, 'start', '--m')).toEqual(['--memex'])
  expect(complete(script, 'start', '--memex', 'no-such-folder')).toEqual([''])
  const real = completionFor('bash', program())
  expect(complete(real, 'appr')).toEqual(['approve'])
  expect(complete(real, 'gates', '')).toContain('check')
  expect(complete(real, 'skill', 'en')).toEqual(['enable'])
  expect(complete(real, 'vault', 'list', '')).toEqual([''])
  expect(complete(real, 'agenda', '--d')).toEqual(['--days'])
})

test.each([
  ['zsh', ['-n']],
  ['fish', ['--no-execute']],
  ['bash', ['-n']],
])('%s can read its script (skipped without it)', (shell, flags) => {
  if (!has(shell)) return
  for (const command of [tree(), program()]) {
    const path = written(completionFor(shell, command), 'x')
    const { status, stderr } = spawnSync(shell, [...flags, path], { encoding: 'utf8' })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  }
})

test('there are three shells', () => {
  for (const shell of ['tcsh', 'toString', '']) {
    expect(() => completionFor(shell, tree())).toThrow('bash, zsh, fish')
  }
})

const programs = {
  memory: 'memory-program',
  search: 'search-program',
  doctor: 'doctor-program',
  setup: 'setup-program',
  skill: 'skill-program',
  why: 'why',
  vault: 'vault-program',
  gateway: 'gateway-program',
  usage: 'usage-program',
  'gates check': 'gates-check',
}

test.each(Object.entries(programs))(
  'the words behind %s are those of its help',
  (path, name) => {
    const flags = ['--disable-warning=ExperimentalWarning', '--conditions=@passepartout/source']
    const file = fileURLToPath(import.meta.resolve(`@passepartout/commands/${name}`))
    const asked = spawnSync(process.execPath, [...flags, file, '--help'], { encoding: 'utf8' })
    const help = asked.stdout + asked.stderr
    const lines = completionFor('bash', program()).split('\n')
    const row = (words: string) => lines.find((line) => line.includes(`'${words}') words=`))
    const rows = path === 'search' ? [path, 'show', 'agenda', 'backlinks'] : [path]
    const completed = rows.flatMap(
      (words) => /words='(.*)'/.exec(row(words)!)?.[1]?.split(' ') ?? [],
    )
    const usage = new RegExp(`(?:passepartout ${path} +|^  )([a-z]+)\\b`, 'gm')
    const options = help.match(/--[a-z][a-z-]*/g) ?? []
    for (const word of completed) expect(help).toContain(word)
    for (const word of options) if (word !== '--help') expect(completed).toContain(word)
    if (!['skill', 'vault', 'memory', 'gateway'].includes(path)) return
    for (const [, verb] of help.matchAll(usage)) expect(completed).toContain(verb)
  },
  60_000,
)

test('the manual page has every command, and none of them is an instruction', () => {
  const page = manualPage(tree(), 'November 21, 2026')
  expect(page).toContain('\n\\&.begin \\e it.\n')
  expect(page).toContain('.It Nm Cm memory diff Ar <id>')
  for (const name of ['ask', 'agenda', 'gates check', 'completion']) {
    expect(manualPage(program(), 'November 21, 2026')).toContain(`.It Nm Cm ${name}`)
  }
})

test.skipIf(!has('mandoc'))('mandoc has no objection (skipped without mandoc)', () => {
  for (const command of [tree(), program()]) {
    const page = manualPage(command, 'November 21, 2026')
    const lint = spawnSync('mandoc', ['-T', 'lint', '-W', 'warning'], {
      input: page,
      encoding: 'utf8',
    })
    expect(lint.stdout + lint.stderr).toBe('')
  }
})

test.skipIf(!has('groff'))('groff has no objection (skipped without groff)', () => {
  const input = manualPage(program(), 'November 21, 2026')
  const set = spawnSync('groff', ['-mdoc', '-Tutf8', '-ww'], { input, encoding: 'utf8' })
  expect(set.stderr).toBe('')
  expect(set.stdout).toContain('flight-plans.org')
})
