import fc from 'fast-check'
import { expect, test } from 'vitest'
import { deliveryOf, readReceived } from '../../src/chat/signal.ts'

const envelope = {
  source: '+4930901820',
  sourceNumber: '+4930901820',
  sourceUuid: 'e2c2a1c6-8f2f-4d0a-9b58-0f2a9d8ef9f1',
  sourceName: 'Ann',
  sourceDevice: 1,
  timestamp: 1_795_000_000_123,
}
const dataMessage = { timestamp: 1_795_000_000_123, message: 'hello', expiresInSeconds: 0 }

test('a message is read', () => {
  const plain = { envelope: { ...envelope, dataMessage }, account: '+49' }
  expect(readReceived(plain, '+49')).toEqual({
    key: '+4930901820:1795000000123',
    number: '1795000000123',
    chat: '+4930901820',
    isGroup: false,
    sender: '+4930901820',
    senderName: 'Ann',
    text: 'hello',
    isForwarded: false,
    isEdited: false,
    replyTo: null,
    press: null,
    files: [],
  })
  const hidden = { ...envelope, sourceNumber: null, dataMessage }
  expect(readReceived({ envelope: hidden }, '+49')?.sender).toBe(envelope.sourceUuid)
  const quoting = { ...dataMessage, quote: { id: 17, author: '+49', text: 'Really?' } }
  expect(readReceived({ envelope: { ...envelope, dataMessage: quoting } }, '+49')?.replyTo).toBe(
    '17',
  )
  for (const quote of [{ id: 17, author: '+50' }, { id: 17 }, { id: 17, author: null }]) {
    const others = { ...envelope, dataMessage: { ...dataMessage, quote } }
    expect(readReceived({ envelope: others }, '+49')?.replyTo).toBeNull()
  }
  const edit = { targetSentTimestamp: 1, dataMessage }
  expect(readReceived({ envelope: { ...envelope, editMessage: edit } }, '+49')).toMatchObject({
    isEdited: true,
    number: '1',
    text: 'hello',
  })
  const taken = { ...dataMessage, message: null, remoteDelete: { timestamp: 17 } }
  expect(readReceived({ envelope: { ...envelope, dataMessage: taken } }, '+49')).toMatchObject({
    isEdited: true,
    number: '17',
    text: '',
  })
  const grouped = { ...dataMessage, groupInfo: { groupId: 'abc=', type: 'DELIVER' } }
  expect(readReceived({ envelope: { ...envelope, dataMessage: grouped } }, '+49')).toMatchObject({
    chat: 'group.abc=',
    isGroup: true,
  })
})

test.each([
  ['a receipt', { ...envelope, receiptMessage: { when: 1, isDelivery: true } }],
  ['a copy', { ...envelope, syncMessage: { sentMessage: { message: 'x' } } }],
  ['nobody’s', { dataMessage }],
  ['typing', { ...envelope, typingMessage: { action: 'STARTED' } }],
  [
    'a thumb',
    { ...envelope, dataMessage: { ...dataMessage, message: '👍', reaction: { emoji: '👍' } } },
  ],
])('%s is not read', (_, envelope) => expect(readReceived({ envelope }, '+49')).toBeNull())

test('anything can come', () => {
  fc.assert(fc.property(fc.anything(), (value) => void readReceived(value, '+49')))
})

test.each([
  [-1, 'refused'],
  [-2, 'unknown'],
  [-3, 'unknown'],
  [-4, 'refused'],
  [-5, 'later'],
  [-32_602, 'refused'],
  [-32_603, 'unknown'],
])('the error %s is %s', (code, kind) => {
  expect(deliveryOf({ code, message: 'x' }).kind).toBe(kind)
})
