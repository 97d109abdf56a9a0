import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
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
import { tangle, type WatchEvent, watchProject } from 'org-tangle'
import { expect, onTestFinished, test } from 'vitest'
import { hasEmacs } from './emacs.ts'

const document = '* One\n#+begin_src sh :tangle src/a.sh\necho one\n#+end_src\n'

async function watched() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'editor-')))
  onTestFinished(() => rmSync(root, { recursive: true }))
  mkdirSync(join(root, 'src'))
  const settings = { 'org-tangle': { sources: ['.'], owns: ['src'] } }
  writeFileSync(join(root, 'package.json'), JSON.stringify(settings))
  writeFileSync(join(root, 'a.org'), document)
  await tangle({ cwd: root })
  const events = new EventTarget()
  const said: WatchEvent[] = []
  const onEvent = (event: WatchEvent) => {
    said.push(event)
    events.dispatchEvent(new Event('said'))
  }
  const control = new AbortController()
  const ready = once(events, 'said')
  const ended = watchProject({ cwd: root, signal: control.signal, onEvent })
  onTestFinished(async () => {
    control.abort()
    await ended
  })
  await ready
  const until = async (kind: WatchEvent['kind']) => {
    while (!said.some((event) => event.kind === kind)) await once(events, 'said')
    return said.splice(0)
  }
  return { root, until }
}

function editInEmacs(file: string, setting: string, from: string, to: string): void {
  const program = `(progn
    (setq create-lockfiles t ${setting})
    (find-file ${JSON.stringify(file)})
    (search-forward ${JSON.stringify(from)})
    (replace-match ${JSON.stringify(to)} t t)
    (do-auto-save t)
    (save-buffer))`
  const { status, stderr } = spawnSync('emacs', ['-Q', '--batch', '--eval', program])
  if (status !== 0) throw new Error(String(stderr))
}

test.skipIf(!hasEmacs).each([
  ['a backup by renaming', 'make-backup-files t'],
  ['a backup by copying', 'make-backup-files t backup-by-copying t'],
  ['no backup', 'make-backup-files nil'],
  ['a neighbour that is renamed', 'file-precious-flag t make-backup-files nil'],
])('Emacs saves with %s', { timeout: 60_000 }, async (_, setting) => {
  const { root, until } = await watched()
  editInEmacs(join(root, 'a.org'), setting, 'echo one', 'echo two')
  const tangled = await until('tangled')
  expect(readFileSync(join(root, 'src/a.sh'), 'utf8')).toBe('echo two\n')
  editInEmacs(join(root, 'src/a.sh'), setting, 'two', 'three')
  const carried = await until('carried-back')
  expect(readFileSync(join(root, 'a.org'), 'utf8')).toBe(document.replace('one', 'three'))
  const kinds = new Set([...tangled, ...carried].map(({ kind }) => kind))
  expect(kinds).not.toContain('conflict')
  const { plan } = await tangle({ cwd: root, rehearse: true })
  expect(plan.files.map(({ action }) => action)).toEqual(['same'])
  expect(readdirSync(join(root, 'src')).filter((name) => !name.startsWith('a.sh'))).toEqual([])
})
