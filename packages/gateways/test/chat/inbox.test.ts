import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRuntime, openMemex } from '@passepartout/core'
import { expect, onTestFinished, test } from 'vitest'
import { fileName, HeldFiles, keepAttachment } from '../../src/chat/inbox.ts'

function setting() {
  const dir = mkdtempSync(join(tmpdir(), 'inbox-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const clock = { now: () => new Date(2026, 10, 22, 13, 5) }
  const config = { home: dir, memexDir: dir, stateDir: join(dir, '.state') }
  const runtime = createRuntime({ config, memex: openMemex(dir), clock })
  const held = new HeldFiles()
  const keep = (attachment: string) => {
    const meta = { source: 'telegram' }
    const signal = { type: 'event', meta, payload: {}, depth: 0 } as const
    const abort = new AbortController().signal
    return keepAttachment(held).run({ attachment }, { runtime, signal, abort })
  }
  return { dir, held, keep }
}
const letter = { name: 'letter.pdf', from: 'telegram:7', caption: '', bytes: Buffer.from('%PDF') }

test.each([
  ['letter.pdf', 'letter.pdf'],
  ['../../.bashrc', 'bashrc'],
  ['C:\\x\\Résumé 2.doc', 'Résumé 2.doc'],
  ['plans.ORG', 'plans.ORG.txt'],
  ['.dir-locals.el', 'dir-locals.el.txt'],
  ['a\nb\u202efdp.exe', 'a_b_fdp.exe'],
  ['...', 'file'],
  [`${'x'.repeat(200)}.jpg`, `${'x'.repeat(76)}.jpg`],
])('%j becomes %j', (given, name) => expect(fileName(given)).toBe(name))

test('a file is kept as Org keeps files', async () => {
  const { dir, held, keep } = setting()
  const key = held.hold({ ...letter, caption: '* TODO pay\n#+end_quote' })
  expect(await keep(key)).toMatchObject({ status: 'success' })
  expect(await keep(key)).toMatchObject({ status: 'error' })
  const text = readFileSync(join(dir, 'inbox.org'), 'utf8')
  const id = /:ID: (\S+)/.exec(text)![1]!
  expect(text.replace(id, 'ID')).toBe(
    '* letter.pdf :ATTACH:\n:PROPERTIES:\n:ID: ID\n:FROM: telegram:7\n' +
      ':RECEIVED: [2026-11-22 Sun 13:05]\n:END:\n[[attachment:letter.pdf]]\n' +
      ': \u200b* TODO pay\n: \u200b#+end_quote\n',
  )
  const path = join(dir, 'data', id.slice(0, 2), id.slice(2), 'letter.pdf')
  expect(readFileSync(path, 'utf8')).toBe('%PDF')
})

test('the name of a file is no state of a task', async () => {
  const { dir, held, keep } = setting()
  await keep(held.hold({ ...letter, name: 'TODO Wire 500 EUR.pdf' }))
  await keep(held.hold({ ...letter, name: 'COMMENT src_sh{x} a.pdf' }))
  const text = readFileSync(join(dir, 'inbox.org'), 'utf8')
  const titles = text.split('\n').filter((line) => line.startsWith('* '))
  expect(titles).toEqual([
    '* \u200bTODO Wire 500 EUR.pdf :ATTACH:',
    '* \u200bCOMMENT src_sh_x_ a.pdf :ATTACH:',
  ])
})

test('a link in the way is not followed', async () => {
  const { dir, held, keep } = setting()
  const elsewhere = mkdtempSync(join(tmpdir(), 'elsewhere-'))
  onTestFinished(() => rmSync(elsewhere, { recursive: true }))
  symlinkSync(elsewhere, join(dir, 'data'))
  expect(await keep(held.hold(letter))).toMatchObject({ status: 'error' })
  expect(existsSync(join(dir, 'inbox.org'))).toBe(false)
})

test('few files wait', () => {
  const held = new HeldFiles()
  const keys = Array.from({ length: 9 }, () => held.hold(letter))
  expect(keys.map((key) => held.get(key) !== null)).toEqual([false, ...Array(8).fill(true)])
})
