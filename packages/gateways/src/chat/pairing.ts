import { createHash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'
import { commandName } from '@passepartout/core'
import { type Ledger, together, withdraw } from './delivery-ledger.ts'
import type { GatewayName, Incoming } from './gateway.ts'

/** Somebody who may speak. */
interface Person {
  gateway: GatewayName
  number: string
  /** What they called themselves then. */
  name: string
  /** ms since the epoch. */
  at: number
}

/** Lets somebody in. */
export function allow(ledger: Ledger, gateway: GatewayName, number: string, name = ''): void {
  const insert = 'INSERT OR REPLACE INTO people (gateway, number, name, at) VALUES (?, ?, ?, ?)'
  const shown = name
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
    .slice(0, 60)
    .toWellFormed()
  ledger.db.prepare(insert).run(gateway, number, shown, ledger.clock.now().getTime())
}

/** Takes somebody off the list; returns whether they were on it. */
export function deny(ledger: Ledger, gateway: GatewayName, number: string): boolean {
  return together(ledger, () => {
    withdraw(ledger, gateway, number)
    const remove = ledger.db.prepare('DELETE FROM people WHERE gateway = ? AND number = ?')
    return remove.run(gateway, number).changes === 1
  })
}

/** Whether this person may speak. */
export function isPaired({ db }: Ledger, gateway: GatewayName, number: string): boolean {
  const find = db.prepare('SELECT 1 FROM people WHERE gateway = ? AND number = ?')
  return find.get(gateway, number) !== undefined
}

/** Everybody who may speak, in the order in which they came. */
export function people({ db }: Ledger): Person[] {
  const rows = db.prepare('SELECT gateway, number, name, at FROM people ORDER BY at, rowid').all()
  return rows as unknown as Person[]
}

const letters = 'ABCDEFGHJKMNPQRSTUVWXYZ'
const codeLength = 8

/** How long a code is good, in ms. */
export const codeLifetimeMs: number = 10 * 60_000

function hashOf(salt: string, code: string): Buffer {
  return createHash('sha256').update(`${salt}:${code}`).digest()
}

/** Makes the one code with which somebody may come in, once, within ten minutes. */
export function newCode(ledger: Ledger, gateway: GatewayName): string {
  const code = Array.from({ length: codeLength }, () => letters[randomInt(letters.length)]).join('')
  const salt = randomBytes(16).toString('hex')
  const expires = ledger.clock.now().getTime() + codeLifetimeMs
  ledger.db
    .prepare('INSERT OR REPLACE INTO codes (gateway, salt, hash, expires) VALUES (?, ?, ?, ?)')
    .run(gateway, salt, hashOf(salt, code).toString('hex'), expires)
  return `${code.slice(0, 4)}-${code.slice(4)}`
}

/** The code that a text consists of, without its dash; null when it is none. */
export function codeIn(text: string): string | null {
  if (text.length > 40) return null
  const said = /^\s*(?:\/start\s+|\/?pair\s+)?([a-z]{4})[-\s]?([a-z]{4})\s*$/i.exec(text)
  const code = said === null ? '' : `${said[1]}${said[2]}`.toUpperCase()
  return [...code].every((letter) => letters.includes(letter)) && code !== '' ? code : null
}

/** How many tries one person has in the lifetime of a code, and how many all have. */
export const triesMax: { person: number; all: number } = { person: 5, all: 100 }
const personsMax = 1_000

/** What the doorkeeper says to a message. */
export type Entry = 'known' | 'paired' | 'stranger'

/** Decides who comes in; keeps a bounded count of those who try, and tells when they are too many. */
export function createDoorkeeper(
  ledger: Ledger,
  gateway: GatewayName,
  tell: (text: string) => void,
): (incoming: Incoming) => Entry {
  const tries = new Map<string, number>()
  const told = new Set<string>()
  let [all, since] = [0, 0]
  const tellOnce = (kind: string, text: string) => {
    if (told.has(kind)) return
    told.add(kind)
    tell(text)
  }
  const mayTry = (sender: string): boolean => {
    const now = ledger.clock.now().getTime()
    if (now - since >= codeLifetimeMs || now < since) {
      tries.clear()
      told.clear()
      all = 0
      since = now
    }
    const count = (tries.get(sender) ?? 0) + 1
    if (all >= triesMax.all) {
      tellOnce('all', guessedByMany(gateway))
      return false
    }
    if (count > triesMax.person) {
      tellOnce('person', guessedBy(gateway, sender))
      return false
    }
    all++
    tries.delete(sender)
    tries.set(sender, count)
    const [oldest] = tries.keys()
    if (tries.size > personsMax && oldest !== undefined) tries.delete(oldest)
    return true
  }
  return (incoming) => {
    const { isEdited, isForwarded, isGroup, press, sender, senderName, text } = incoming
    if (isPaired(ledger, gateway, sender)) return 'known'
    if (isGroup || isForwarded || isEdited || press !== null) return 'stranger'
    const code = codeIn(text)
    if (code === null || !hasCode(ledger, gateway) || !mayTry(sender)) return 'stranger'
    if (!spendCode(ledger, gateway, code)) return 'stranger'
    allow(ledger, gateway, sender, senderName)
    return 'paired'
  }
}

function guessedBy(gateway: GatewayName, sender: string): string {
  return `${gateway}:${sender} has said ${triesMax.person} wrong codes and is not heard for ten minutes. If that was not you, somebody has found your agent there; nobody comes in without a code.`
}

function guessedByMany(gateway: GatewayName): string {
  return `${triesMax.all} wrong codes were said on ${gateway}, so no code is taken there for ten minutes. To let somebody in now: ${commandName} gateway allow ${gateway} NUMBER`
}

function hasCode({ clock, db }: Ledger, gateway: GatewayName): boolean {
  const find = db.prepare('SELECT 1 FROM codes WHERE gateway = ? AND expires > ?')
  return find.get(gateway, clock.now().getTime()) !== undefined
}

function spendCode(ledger: Ledger, gateway: GatewayName, code: string): boolean {
  const { clock, db } = ledger
  return together(ledger, () => {
    const row = db
      .prepare('SELECT salt, hash FROM codes WHERE gateway = ? AND expires > ?')
      .get(gateway, clock.now().getTime())
    if (row === undefined) return false
    const isRight = timingSafeEqual(
      hashOf(String(row.salt), code),
      Buffer.from(String(row.hash), 'hex'),
    )
    if (isRight) db.prepare('DELETE FROM codes WHERE gateway = ?').run(gateway)
    return isRight
  })
}
