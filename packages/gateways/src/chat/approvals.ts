import { createHash, randomBytes } from 'node:crypto'
import type { Approval } from '@passepartout/core'
import { type Ledger, recordOutgoing, together } from './delivery-ledger.ts'
import type { GatewayName, Incoming, Outgoing } from './gateway.ts'

/** What is looked at of an open question. */
export type OpenQuestion = Pick<Approval, 'id' | 'token' | 'digest' | 'expires'>

const hashed = (nonce: string) => createHash('sha256').update(nonce).digest('hex')

/** Writes a question down to be sent; returns its number in the book. */
export function sendQuestion(
  ledger: Ledger,
  gateway: GatewayName,
  message: Outgoing,
  { hasButtons, question }: { question: OpenQuestion; hasButtons: boolean },
): number {
  const nonce = randomBytes(16).toString('base64url')
  const buttons = [
    { label: 'Approve', data: `y:${nonce}` },
    { label: 'Deny', data: `n:${nonce}` },
  ]
  const text = `${message.text}\nReply “yes” or “no” to this message.`
  return together(ledger, () => {
    const sent = hasButtons ? { ...message, buttons } : { ...message, text }
    const outgoing = recordOutgoing(ledger, gateway, sent)
    ledger.db
      .prepare(
        'INSERT INTO questions (nonce, gateway, approval, digest, outgoing, expires) VALUES (?, ?, ?, ?, ?, ?)',
      )
      .run(hashed(nonce), gateway, question.id, question.digest, outgoing, question.expires)
    return outgoing
  })
}

interface Asked {
  nonce: string
  approval: string
  digest: string
  expires: number
  used: number
  /** The number of the message on the network; null while nobody knows it. */
  number: string | null
  chat: string
  text: string
  isYes: boolean
}

const yesWords = /^(?:yes|y|ok|okay|approve)[.!]?$/iu
const noWords = /^(?:no|n|deny)[.!]?$/iu
const picture =
  /^\p{Extended_Pictographic}[\p{Extended_Pictographic}\p{M}\p{Emoji_Modifier}\u200d]*$/u

const joined = `SELECT q.nonce, q.approval, q.digest, q.expires, q.used, o.number, o.chat,
  json_extract(o.body, '$.text') AS text
  FROM questions q JOIN outgoing o ON o.id = q.outgoing WHERE q.gateway = ?`

function asked(
  { db }: Ledger,
  gateway: GatewayName,
  { chat, files, press, replyTo, text }: Incoming,
): Asked | 'unknown' | 'picture' | null {
  if (press !== null) {
    const [, verb, nonce] = /^([yn]):([\w-]{22})$/.exec(press.data) ?? []
    if (nonce === undefined) return 'unknown'
    const row = db.prepare(`${joined} AND q.nonce = ?`).get(gateway, hashed(nonce))
    return row === undefined ? 'unknown' : ({ ...row, isYes: verb === 'y' } as unknown as Asked)
  }
  const isYes = yesWords.test(text.trim())
  const isPicture = picture.test(text.trim())
  if (replyTo === null || files.length > 0 || !(isYes || isPicture || noWords.test(text.trim())))
    return null
  const row = db.prepare(`${joined} AND o.number = ? AND o.chat = ?`).get(gateway, replyTo, chat)
  if (row === undefined) return null
  return isPicture ? 'picture' : ({ ...row, isYes } as unknown as Asked)
}

/** What a message says about a question. */
type Decision =
  /** Nothing: it is a message like any other. */
  | { kind: 'none' }
  | { kind: 'refused'; reason: string }
  /** It counts; `words` are what the owner would have typed. */
  | { kind: 'decided'; words: string; isYes: boolean; message: Outgoing | null }

/** Whether this message answers a question, and counts. */
export function decisionIn(
  ledger: Ledger,
  gateway: GatewayName,
  incoming: Incoming,
  { mayDecide, open }: { open: readonly OpenQuestion[]; mayDecide: boolean },
): Decision {
  const found = asked(ledger, gateway, incoming)
  if (found === null) return { kind: 'none' }
  const refused = (reason: string): Decision => ({ kind: 'refused', reason })
  if (found === 'unknown') return refused('This button is not one of mine.')
  if (found === 'picture') return refused('A picture decides nothing; reply with yes or no.')
  if (incoming.isForwarded || incoming.isEdited)
    return refused('This was forwarded or changed; answer the message itself.')
  if (!mayDecide) return refused('You may not answer questions here.')
  const isHere = found.chat === incoming.chat
  const isUnder = incoming.press === null || incoming.press.message === found.number
  if (!isHere || !isUnder || found.number === null)
    return refused('This button is not where I put it.')
  const question = open.find(({ digest, id }) => id === found.approval && digest === found.digest)
  const isLate = ledger.clock.now().getTime() >= found.expires
  if (found.used === 1 || question === undefined || isLate)
    return refused('This question is not open any more.')
  const use = 'UPDATE questions SET used = 1 WHERE nonce = ? AND used = 0'
  if (ledger.db.prepare(use).run(found.nonce).changes !== 1)
    return refused('This question is not open any more.')
  const words = `${found.isYes ? 'approve' : 'deny'} ${question.token}`
  const message = incoming.press === null ? null : answered(found)
  return { kind: 'decided', words, isYes: found.isYes, message }
}

function answered({ chat, isYes, number, text }: Asked): Outgoing {
  const said = isYes ? 'You approved this.' : 'You denied this.'
  const more = { spans: [], buttons: [], replaces: number }
  return { chat, text: `${text.slice(0, 3_900).toWellFormed()}\n\n${said}`, ...more }
}
