import { expect, test } from 'vitest'
import { labelledSecrets } from '../../src/secrets/labelled-secrets.ts'
import { sample } from '../../src/secrets/secret-rule.ts'

const value = sample('alnum', 24)

function rulesFor(text: string): string[] {
  const finds = labelledSecrets.filter(({ pattern, accepts }) =>
    [...text.matchAll(pattern)].some(([whole, secret = whole]) => accepts?.(secret) !== false),
  )
  return finds.map(({ name }) => name)
}

test.each([`client_secret = ${value}`, `export API_KEY=${value}`, `the token is ${value}`])(
  '%s has a label',
  (text) => expect(rulesFor(text)).not.toEqual([]),
)

test.each([`nextPageToken=${value}`, `token_count: ${value}`, `secret_name = ${value}`])(
  '%s has a label of something else',
  (text) => expect(rulesFor(text)).toEqual([]),
)
