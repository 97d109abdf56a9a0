import { expect, test } from 'vitest'
import { plistToObject, readPlist } from '../../src/base/plist.ts'
import { decodeSignal } from '../../src/wire/envelope.ts'
import {
  type Answer,
  admission,
  answerHello,
  checkAdmission,
  hello,
  judgeAnswer,
  proofOf,
  provesToken,
  readHello,
  sealKeyOf,
} from '../../src/wire/handshake.ts'

const token = 'a'.repeat(64)
const theirs = 'd'.repeat(32)
const ours = 'c'.repeat(32)
const greeting = { version: '9.9.9', capabilities: ['approval'], nonce: theirs }

test('a proof is good for one token and one nonce', () => {
  const proof = proofOf('token', 'nonce')
  expect(provesToken(proof, 'token', 'nonce')).toBe(true)
  expect(provesToken(proof, 'token', 'other')).toBe(false)
  expect(provesToken(proof, 'other', 'nonce')).toBe(false)
  expect(provesToken(undefined, 'token', 'nonce')).toBe(false)
})

test('a hello is read, and what is none is refused', () => {
  expect(readHello(hello(greeting))).toEqual({ ...greeting, protocols: [1], isOpen: false })
  expect(readHello(hello(greeting, true)).isOpen).toBe(true)
  const { payload } = hello(greeting)
  const like = (changes: object) => ({
    ...hello(greeting),
    payload: { ...payload, ...changes },
  })
  expect(readHello(like({ protocol: undefined, capabilities: null })).protocols).toEqual([1])
  const written = plistToObject(readPlist('((:APPROVAL :STREAM-CHUNK) (:SEALED) ("a" "b"))'))
  expect(
    (written as unknown[]).map((capabilities) => readHello(like({ capabilities }))),
  ).toMatchObject(
    [['approval', 'stream-chunk'], ['sealed'], ['a', 'b']].map((capabilities) => ({
      capabilities,
    })),
  )
  expect(() => readHello(null)).toThrow('hello of a daemon')
  expect(() => readHello(like({ nonce: `daemon:${theirs}` }))).toThrow('hello of a daemon')
  expect(() => readHello(like({ protocol: [7, 8] }))).toThrow('version 7, 8')
})

test.each([
  ['(:STREAM-CHUNK)', ['stream-chunk']],
  ['(:STREAM-CHUNK :DEEDS)', ['stream-chunk', 'deeds']],
  ['(:deeds :stream-chunk)', ['deeds', 'stream-chunk']],
  ['(:A :B :STREAM-CHUNK)', ['a', 'b', 'stream-chunk']],
  ['(:STREAM-CHUNK "deeds")', ['stream-chunk', 'deeds']],
  ['NIL', []],
])('the capabilities %s', (written, capabilities) => {
  const text = `(:TYPE :REQUEST :PAYLOAD (:ACTION :AUTHENTICATE :CAPABILITIES ${written}))`
  const signal = decodeSignal(text)
  expect(signal.ok && judgeAnswer(signal.value, theirs, null)).toMatchObject({ capabilities })
})

const wishes = { source: 'tui', nonce: ours, capabilities: ['stream-chunk'], sealed: true }

function answering(changes: Partial<Answer> = {}, key = token) {
  const answer = answerHello(readHello(hello(greeting)), key, { ...wishes, sessionId: undefined })
  return { ...answer, payload: { ...answer.payload, ...changes } }
}

test('an answer with the proof is let in, and says what the client wants', () => {
  expect(judgeAnswer(answering(), theirs, token)).toMatchObject({ ...wishes, protocol: 1 })
  expect(judgeAnswer(answering({ proof: '', sealed: false }), theirs, null).source).toBe('tui')
})

test('every other answer is refused with a reason', () => {
  const refusal = (signal: ReturnType<typeof answering>, key: string | null = token) =>
    expect(() => judgeAnswer(signal, theirs, key))
  refusal(answering({}, 'b'.repeat(64))).toThrow('proof of the token')
  refusal(answering({ proof: proofOf(token, ours) })).toThrow('proof of the token')
  refusal(answering({ protocol: 2 })).toThrow('Version 2')
  refusal(answering({ nonce: '' })).toThrow('nonce from each side')
  refusal(answering(), null).toThrow('Seals need a token')
  refusal({ ...answering(), payload: { sensor: 'user-input' } } as never).toThrow('proof')
  refusal(answering({ capabilities: 7 as never })).toThrow('look at capabilities')
})

test('a client believes a daemon that holds the token, and nobody else', () => {
  const judged = judgeAnswer(answering(), theirs, token)
  const word = admission(judged, 's-1', theirs, token)
  const check = (changes: object) => {
    const signal = { ...word, payload: { ...word.payload, ...changes } }
    return checkAdmission(signal, readHello(hello(greeting)), token, wishes)
  }
  expect(check({})).toBe('s-1')
  expect(() => check({ proof: proofOf(token, ours) })).toThrow('not the daemon')
  expect(() => check({ proof: judged.proof })).toThrow('not the daemon')
  expect(() => check({ proof: undefined })).toThrow('not the daemon')
  expect(() => check({ sealed: undefined })).toThrow('seals')
  expect(() => check({ action: 'error', text: 'No.' })).toThrow('No.')
  expect(sealKeyOf(token, theirs, ours)).not.toBe(sealKeyOf(token, ours, theirs))
})
