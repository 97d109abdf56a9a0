import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { defineProgram, flag, type Program, text } from '#commands/program'
import { passepartout } from '../../src/command/cli.ts'
import { completionFor, manualPage } from '../../src/command/shells.ts'

function tree(): Program {
  const start = defineProgram({
    name: 'start',
    summary: '.begin \\ it',
    options: { memex: text('FOLDER', "the owner's $HOME"), force: flag('at once') },
  })
  const diff = defineProgram({ name: 'diff', usage: '<id> all|one', summary: 'Ar what "changed"' })
  const memory = defineProgram({ name: 'memory', summary: 'what was', programs: [diff] })
  return defineProgram({ name: 'passepartout', summary: 'An agent.', programs: [start, memory] })
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
  expect(complete(script, '')).toEqual(['start', 'memory', '--help'])
  expect(complete(script, 'm')).toEqual(['memory'])
  expect(complete(script, 'memory', 'd')).toEqual(['diff'])
  expect(complete(script, 'memory', 'diff', 'o')).toEqual(['one'])
  expect(complete(script, 'start', '--m')).toEqual(['--memex'])
  expect(complete(script, 'start', '--memex', 'no-such-folder')).toEqual([''])
  const real = completionFor('bash', passepartout)
  expect(complete(real, 'appr')).toEqual(['approve'])
  expect(complete(real, 'gates', '')).toContain('check')
  expect(complete(real, 'skill', 'en')).toEqual(['enable'])
  expect(complete(real, 'vault', 'list', '')).toEqual(['--json', '--help'])
  expect(complete(real, 'agenda', '--d')).toEqual(['--days'])
})

test.each([
  ['zsh', ['-n']],
  ['fish', ['--no-execute']],
  ['bash', ['-n']],
])('%s can read its script (skipped without it)', (shell, flags) => {
  if (!has(shell)) return
  for (const command of [tree(), passepartout]) {
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

test('the manual page has every command, and none of them is an instruction', () => {
  const page = manualPage(tree(), 'November 21, 2026')
  expect(page).toContain('\n\\&.begin \\e it.\n')
  expect(page).toContain('.It Nm Cm memory diff Ar <id>')
  for (const name of ['ask', 'agenda', 'gates check', 'completion']) {
    expect(manualPage(passepartout, 'November 21, 2026')).toContain(`.It Nm Cm ${name}`)
  }
})

test.skipIf(!has('mandoc'))('mandoc has no objection (skipped without mandoc)', () => {
  for (const command of [tree(), passepartout]) {
    const page = manualPage(command, 'November 21, 2026')
    const lint = spawnSync('mandoc', ['-T', 'lint', '-W', 'warning'], {
      input: page,
      encoding: 'utf8',
    })
    expect(lint.stdout + lint.stderr).toBe('')
  }
})

test.skipIf(!has('groff'))('groff has no objection (skipped without groff)', () => {
  const input = manualPage(passepartout, 'November 21, 2026')
  const set = spawnSync('groff', ['-mdoc', '-Tutf8', '-ww'], { input, encoding: 'utf8' })
  expect(set.stderr).toBe('')
  expect(set.stdout).toContain('flight-plans.org')
})
