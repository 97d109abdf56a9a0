import { formatProblem } from '@passepartout/core'
import { readConfig } from '@passepartout/gates/secrets'
import { expect, test } from 'vitest'
import { gatewaySection, sessionOf } from '../../src/chat/gateway.ts'

function read(properties: string) {
  const text = `* Bot\n:PROPERTIES:\n${properties}\n:END:\n`
  const { problems, sections } = readConfig(text, 'config.org', { gateways: gatewaySection })
  return { gateways: sections.gateways, problems: problems.map(formatProblem) }
}

test('a network is linked by a headline', () => {
  expect(read(':GATEWAY: telegram\n:TOKEN_VAULT: bot\n:API: http://127.0.0.1:9/')).toMatchObject({
    gateways: [{ name: 'telegram', tokenVault: 'bot', api: 'http://127.0.0.1:9' }],
    problems: [],
  })
  expect(read(':GATEWAY: signal\n:ACCOUNT: +4930901820').gateways).toMatchObject([
    { server: '127.0.0.1:7583', takesGroups: false },
  ])
})

test.each([
  [':GATEWAY: carrier-pigeon', 'one of telegram, signal'],
  [':GATEWAY: telegram\n:TOKEN: 4711:AAEhBOweik6ad9r_QXMENQjcrGbqCr4K-bc', 'looks like a secret'],
  [':GATEWAY: telegram\n:API: http://example.org', 'http on this machine'],
  [':GATEWAY: telegram\n:API: https://user:pw@example.org', 'config.org:4: error'],
  [':GATEWAY: telegram\n:WEBHOOK: http://example.org/x', 'an https address'],
  [':GATEWAY: telegram\n:LISTEN: 0.0.0.0:8470', 'on this machine'],
  [':GATEWAY: signal', 'your agent’s number'],
  [':GATEWAY: signal\n:ACCOUNT: +4930901820\n:SERVER: example.org:7583', 'on this machine'],
])('%s is told', (properties, message) => {
  const { gateways, problems } = read(properties)
  expect(gateways).toEqual([])
  expect(problems.join('\n')).toContain(message)
})

test('a chat is a session with a plain name', () => {
  expect(sessionOf('signal', '+4930901820')).toBe('signal.4930901820')
  expect(sessionOf('telegram', `-100${'9'.repeat(90)}`)).toMatch(/^telegram\.-1009{46}$/)
})
