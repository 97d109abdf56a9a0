import { ObjectStore } from '@passepartout/core'
import { expect, test } from 'vitest'
import { traceMask } from '../src/trace-mask.ts'
import type { Vault } from '../src/vault.ts'
import { matcherFor } from '../src/vault-match.ts'

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
