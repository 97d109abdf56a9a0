import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Action, GateContext, Runtime } from '@passepartout/core'
import { expect, onTestFinished, test } from 'vitest'
import { checkVault, createVaultSkill, openVault, VaultError } from '../../src/secrets/vault.ts'
import { annContext } from '../verdicts/ann.ts'

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'vault-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  return dir
}

const value = 'correct-horse-7-battery'

test('values are kept, encrypted, and for their owner only', async () => {
  const dir = join(folder(), 'state')
  const vault = await openVault({ dir })
  expect([vault.problem(), vault.names(), vault.get('bank')]).toEqual([null, [], null])
  await vault.set('bank', value)
  await Promise.all([vault.set('mail', 'x'), vault.set('news', 'y')])
  expect(await vault.remove('mail')).toBe(true)
  const again = await openVault({ dir })
  expect([again.names(), again.get('bank')]).toEqual([['bank', 'news'], value])
  expect(readdirSync(dir).sort()).toEqual(['vault.age', 'vault.key'])
  for (const name of readdirSync(dir)) {
    expect(statSync(join(dir, name)).mode & 0o777).toBe(0o600)
    expect(readFileSync(join(dir, name), 'latin1')).not.toContain(value)
  }
  expect(JSON.stringify(again)).toBe('{}')
})

test('a passphrase needs no file', async () => {
  const dir = folder()
  const options = { dir, passphrase: 'seven lamps', workFactor: 8 }
  await (await openVault(options)).set('bank', value)
  expect(readdirSync(dir)).toEqual(['vault.age'])
  expect((await openVault(options)).get('bank')).toBe(value)
  const wrong = await openVault({ ...options, passphrase: 'eight lamps' })
  expect([wrong.problem() !== null, wrong.get('bank'), wrong.names()]).toEqual([true, null, []])
  await expect(wrong.set('bank', 'z')).rejects.toThrow(VaultError)
})

test.each<[string, (file: string) => void]>([
  [
    'a changed byte',
    (file) => {
      const bytes = readFileSync(file)
      bytes[bytes.length - 5]! ^= 1
      writeFileSync(file, bytes)
    },
  ],
  ['a cut end', (file) => writeFileSync(file, readFileSync(file).subarray(0, -9))],
  ['an open mode', (file) => chmodSync(file, 0o644)],
  ['another text', (file) => writeFileSync(file, '{}')],
])('%s is noticed', async (_, damage) => {
  const dir = folder()
  const vault = await openVault({ dir })
  await vault.set('bank', value)
  damage(join(dir, 'vault.age'))
  expect(vault.isCurrent()).toBe(false)
  await vault.refresh()
  for (const one of [vault, await openVault({ dir })]) {
    expect(one.problem()).toMatch(/^The vault cannot be read/)
    expect(one.get('bank')).toBeNull()
  }
  expect(vault.matcher().namesIn(value)).toEqual(['bank'])
})

test('a vault that is gone, and one that another has changed', async () => {
  const dir = folder()
  const [one, other] = [await openVault({ dir }), await openVault({ dir })]
  await one.set('bank', value)
  await other.set('mail', 'from the other')
  expect(other.names()).toEqual(['bank', 'mail'])
  await one.refresh()
  expect(one.get('mail')).toBe('from the other')
  rmSync(join(dir, 'vault.age'))
  await one.refresh()
  expect(one.problem()).toContain('is gone')
})

function contextFor(facts: GateContext['facts']): GateContext {
  return annContext({ facts })
}

function call(args: Record<string, unknown>): Action {
  return { type: 'request', target: 'tool', payload: { action: 'call', tool: 'send', args } }
}

test('no value leaves, and reasons name the entry', async () => {
  const vault = await openVault({ dir: folder() })
  await vault.set('bank', value)
  const context = contextFor({ vault: { problem: null, namesIn: vault.matcher().namesIn } })
  for (const args of [
    { body: `it is ${value}` },
    { a: value.slice(0, 9), b: [{ c: value.slice(9) }] },
    { [value]: 1 },
    { [value.slice(0, 9)]: value.slice(9) },
    { a: value.slice(0, 9), n: 7, b: value.slice(9) },
    { a: value.slice(9), body: 'see you', b: value.slice(0, 9) },
    { a: value.slice(0, 5), n: 7, b: value.slice(5, 9), m: 8, c: value.slice(9) },
    { [value.slice(0, 5)]: { [value.slice(5, 9)]: value.slice(9) } },
    { a: `Dear Bob, ${'and so on, '.repeat(20)}${value.slice(0, 9)}`, n: 7, b: value.slice(9) },
    { body: Buffer.from(value).toString('base64') },
  ]) {
    const verdict = checkVault(call(args), context)
    expect(verdict).toMatchObject({ kind: 'reject', rule: 'vault.value' })
    expect(JSON.stringify(verdict)).toContain('bank')
    expect(JSON.stringify(verdict)).not.toContain(value)
  }
  expect(checkVault(call({ body: 'see you tomorrow' }), context).kind).toBe('pass')
  const message: Action = {
    type: 'request',
    target: 'cli',
    payload: { action: 'message', text: value },
  }
  expect(checkVault(message, context)).toMatchObject({
    kind: 'change',
    action: { payload: { text: expect.not.stringContaining(value) } },
  })
})

test('a vault in doubt lets nothing out', () => {
  const context = contextFor({ vault: { problem: 'The vault cannot be read.', namesIn: () => [] } })
  expect(checkVault(call({ to: 'bob' }), context)).toMatchObject({ rule: 'vault.integrity' })
  const message: Action = {
    type: 'request',
    target: 'cli',
    payload: { action: 'message', text: 'x' },
  }
  expect(checkVault(message, context).kind).toBe('pass')
  expect(checkVault({ ...message, target: 'telegram' }, context).kind).toBe('reject')
})

test('a long value holds an answer back', async () => {
  const vault = await openVault({ dir: folder() })
  const { holdBack } = createVaultSkill(vault)
  expect(holdBack?.({} as Runtime)).toBe(0)
  await vault.set('router', 'x1'.repeat(100))
  expect(holdBack?.({} as Runtime)).toBe(600)
  await vault.set('letter', 'x1'.repeat(9_000))
  expect(holdBack?.({} as Runtime)).toBe(4_000)
})
