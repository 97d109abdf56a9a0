import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createLoop,
  createRuntime,
  ingestMemex,
  messagesText,
  ObjectStore,
  openMemex,
  type Provider,
} from '@passepartout/core'
import { expect, onTestFinished, test } from 'vitest'
import { promptMask, traceMask } from '../../src/secrets/trace-mask.ts'
import type { Vault } from '../../src/secrets/vault.ts'
import { matcherFor } from '../../src/secrets/vault-match.ts'

const diary = 'Today I told nobody about the surprise party for Ben in the old mill.'

function setting() {
  const store = new ObjectStore()
  store.ingestFile('a.org', `* Diary :private:\n${diary}\n* Garden\nThe beans are sown in March.\n`)
  const matcher = matcherFor(new Map([['MAIL_KEY', 'correct-horse-battery-staple']]))
  const vault = { matcher: () => matcher } as unknown as Vault
  return traceMask(store, vault)
}

const inHex = Buffer.from('correct-horse-battery-staple').toString('hex')

test.each([
  ['a value of the vault', 'key: correct-horse-battery-staple', /staple/],
  ['one in disguise', `echo ${inHex}`, new RegExp(inHex)],
  ['one over two lines', 'correct-horse-bat\ntery-staple', /horse/],
  ['a secret', `AWS_SECRET_ACCESS_KEY=${'wJalrXUtnFEMI/K7MDENG/bPxRfiCY'}zEXAQLEKEY`, /wJalr/],
  ['a private note', `It says:\n${diary}\nThat is all.`, /mill/],
  ['one in an action', JSON.stringify({ payload: { text: diary } }), /mill/],
])('%s is taken out', (_, text, forbidden) => {
  expect(setting()(text)).not.toMatch(forbidden)
  expect(setting()(text)).toMatch(/…|\[/)
})

test('everything else stays as it is', () => {
  const text = 'The beans are sown in March.\n{"action":"message","text":"Hello"}\n\n'
  expect(setting()(text)).toBe(text)
  expect(setting()(`It says:\n${diary}\nThat is all.`)).toMatch(/^It says:\n….*\nThat is all\.$/)
})

test('a model is not shown a secret, and is shown what the owner pastes', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'mask-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  writeFileSync(join(dir, 'a.org'), '* Garden shed\nDB_PASSWORD=hunter2hunter2\nBeans.\n')
  const matcher = matcherFor(new Map([['MAIL_KEY', 'correct-horse-battery-staple']]))
  const vault = { matcher: () => matcher } as unknown as Vault
  const heard: string[] = []
  const config = { home: dir, memexDir: dir, stateDir: join(dir, 'state') }
  const runtime = createRuntime({ config, memex: openMemex(dir), promptMask: promptMask(vault) })
  const model: Provider = {
    name: 'model',
    async *propose({ messages, system }) {
      heard.push(system, messagesText(messages))
      yield { type: 'text', text: 'Sown.' }
    },
  }
  runtime.providers.push(model)
  ingestMemex(runtime)
  const text = `Why are the garden shed beans so slow?\n${diary}\ncorrect-horse-battery-staple`
  const meta = { source: 'cli', origin: 'owner' as const, sessionId: 's' }
  const payload = { sensor: 'user-input', text }
  await createLoop(runtime).process({ type: 'event', meta, payload, depth: 0 })
  const all = heard.join('\n')
  expect(all).toMatch(/Beans\..*garden shed beans.*old mill/s)
  expect(all).not.toMatch(/hunter2|horse/)
})
