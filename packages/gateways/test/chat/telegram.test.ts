import fc from 'fast-check'
import { expect, test } from 'vitest'
import { deliveryOf, readUpdate } from '../../src/chat/telegram.ts'

const said = {
  message_id: 7,
  date: 1,
  from: { id: 4711, is_bot: false, first_name: 'Ann' },
  chat: { id: 4711, type: 'private' },
  text: 'hello',
}

test('an update is a message of somebody’s', () => {
  expect(readUpdate({ update_id: 1, message: said })).toEqual({
    key: '1',
    number: '7',
    chat: '4711',
    isGroup: false,
    sender: '4711',
    senderName: 'Ann',
    text: 'hello',
    isForwarded: false,
    isEdited: false,
    replyTo: null,
    press: null,
    files: [],
  })
  const pressed = { id: 'q', from: said.from, message: { ...said, edit_date: 2 }, data: 'y:x' }
  expect(readUpdate({ update_id: 2, callback_query: pressed })).toMatchObject({
    isEdited: true,
    press: { id: 'q', data: 'y:x', message: '7' },
  })
})

test.each([
  ['nothing', {}],
  ['a thumb', { message_reaction: { ...said, new_reaction: [{ type: 'emoji', emoji: '👍' }] } }],
  ['a bot', { message: { ...said, from: { ...said.from, is_bot: true } } }],
  ['a channel', { message: { ...said, sender_chat: { id: -1 } } }],
  ['nobody', { message: { ...said, from: undefined } }],
  ['another bot’s words', { message: { ...said, via_bot: { id: 1 } } }],
  ['a press on nothing', { callback_query: { id: 'q', from: said.from, data: 'x' } }],
  ['a channel post', { channel_post: said }],
])('%s is dropped', (_, what) => expect(readUpdate({ update_id: 1, ...what })).toBeNull())

test('any update can be read', () => {
  fc.assert(fc.property(fc.anything(), (value) => void readUpdate(value)))
})

test.each([
  [{ error_code: 429, description: 'x', parameters: { retry_after: 7 } }, 'later', 7_000],
  [{ error_code: 409, description: 'x' }, 'later', 60_000],
  [{ error_code: 403, description: 'x' }, 'refused', undefined],
  [{ error_code: 400, description: 'x' }, 'refused', undefined],
  [{ error_code: 502, description: 'x' }, 'unknown', undefined],
  [{ error: { cause: { code: 'ECONNREFUSED' } } }, 'later', null],
  [{ error: { cause: { code: 'ECONNRESET' } } }, 'unknown', undefined],
  [new Error('https://api.telegram.org/bot4711:secret/x'), 'unknown', undefined],
])('%j is %s', (error, kind, retryAfterMs) => {
  const delivery = deliveryOf(error)
  expect(delivery).toMatchObject(retryAfterMs === undefined ? { kind } : { kind, retryAfterMs })
  expect(JSON.stringify(delivery)).not.toContain('secret')
})
