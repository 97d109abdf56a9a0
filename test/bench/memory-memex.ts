import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The day that is today in a generated memex. */
export const memexToday = '2026-11-21'

/** Numbers that are the same in every run. */
export class Dice {
  #state: number

  constructor(seed: number = 42) {
    this.#state = seed
  }

  /** From 0 to below 1. */
  next(): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0
    return this.#state / 2 ** 32
  }

  /** A whole number below a limit. */
  below(limit: number): number {
    return Math.floor(this.next() * limit)
  }

  /** How many, with this average and seldom many more. */
  about(average: number): number {
    return Math.floor(-Math.log(1 - this.next()) * average)
  }

  /** A rank below a limit, the low ones far more often. */
  rank(limit: number): number {
    return Math.min(limit - 1, Math.floor(limit ** this.next()) - 1)
  }
}

const syllables =
  'ba be bi bo da de di do fa fe ga go ka ki ko la le li lo ma me mi mo na ne ni no pa pe po ra re ri ro sa se si so ta te ti to va ve wi'.split(
    ' ',
  )
const endings = ['', 's', 'ing', 'ed', 'er', 'ly', 'ness', '']
const small =
  'the of and to in a is that for it was on with as be at by this had not are but from or have an they'.split(
    ' ',
  )

/** The words that notes are made of, the most usual first. */
export const vocabulary: readonly string[] = Array.from({ length: 30_000 }, (_, at) => {
  const mixed = Math.imul(at + 1, 0x9e3779b1) >>> 0
  const parts = [mixed % 47, (mixed >>> 6) % 47, (mixed >>> 12) % 47].slice(
    0,
    2 + (at > 2_000 ? 1 : 0),
  )
  return parts.map((part) => syllables[part % syllables.length]).join('') + endings[mixed >>> 29]
})

function words(dice: Dice, count: number): string {
  return Array.from({ length: count }, () =>
    dice.below(3) === 0 ? small[dice.rank(small.length)] : vocabulary[dice.rank(vocabulary.length)],
  ).join(' ')
}

const dayMs = 86_400_000

function stamp(dice: Dice): string {
  const near = dice.below(2) === 0
  const days = near ? dice.below(60) - 30 : dice.below(1_100) - 730
  const at = new Date(Date.parse(memexToday) + days * dayMs)
  const weekday = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'][at.getUTCDay()]
  const hour = dice.below(4) === 0 ? ` ${String(8 + dice.below(12)).padStart(2, '0')}:30` : ''
  const again = dice.below(10) === 0 ? ` ${['+1w', '.+2d', '++1m', '+1y'][dice.below(4)]}` : ''
  return `<${at.toISOString().slice(0, 10)} ${weekday}${hour}${again}>`
}

const tagNames =
  'work home idea book phone errand garden money health travel music code letter recipe'.split(' ')

/** The name of the tag of this rank. */
export function tagOf(rank: number): string {
  return tagNames[rank] ?? `topic${rank}`
}

function tags(dice: Dice): string {
  const count = dice.below(10) < 6 ? 0 : 1 + dice.below(3)
  const names = new Set(Array.from({ length: count }, () => tagOf(dice.rank(80))))
  return names.size === 0 ? '' : ` :${[...names].join(':')}:`
}

function note(dice: Dice, name: string, level: number, files: number): string {
  const todo =
    dice.below(3) > 0
      ? ''
      : dice.below(10) < 6
        ? 'DONE '
        : dice.below(4) === 0
          ? 'WAITING '
          : 'TODO '
  const priority = todo !== '' && dice.below(8) === 0 ? `[#${'ABC'.charAt(dice.below(3))}] ` : ''
  const head = `${'*'.repeat(level)} ${todo}${priority}${words(dice, 2 + dice.below(6))}${tags(dice)}\n`
  const isPlanned = todo !== '' && dice.below(10) < 7
  const kind = ['SCHEDULED', 'DEADLINE', 'SCHEDULED'][dice.below(3)]
  const planning = isPlanned
    ? `${todo === 'DONE ' ? `CLOSED: [${memexToday} Sat 09:00] ` : ''}${kind}: ${stamp(dice)}\n`
    : ''
  const extra = dice.below(6) === 0 ? `:EFFORT: 0:${10 + dice.below(50)}\n` : ''
  const id = dice.below(5) === 0 ? `:ID: ${name}\n` : ''
  const drawer = id + extra === '' ? '' : `:PROPERTIES:\n${id}${extra}:END:\n`
  return `${head}${planning}${drawer}${body(dice, files)}`
}

function body(dice: Dice, files: number): string {
  const paragraphs = Array.from({ length: 1 + dice.about(1.6) }, () => {
    const lines = Array.from({ length: 1 + dice.about(5.6) }, () => words(dice, 11))
    return `${lines.join('\n')}\n`
  })
  const links =
    dice.below(10) < 4
      ? `See [[id:note-${dice.rank(files)}-${dice.rank(10)}][${words(dice, 2)}]].\n`
      : ''
  const list = dice.below(5) === 0 ? `- ${words(dice, 4)}\n- ${words(dice, 5)}\n` : ''
  const date = dice.below(12) === 0 ? `Seen on ${stamp(dice)}.\n` : ''
  return `${paragraphs.join('\n')}${list}${links}${date}`
}

/** What was written. */
interface Written {
  files: number
  headlines: number
  bytes: number
}

/** Writes so many files into a folder. */
export function makeMemex(dir: string, files: number, dice: Dice = new Dice()): Written {
  const written = { files, headlines: 0, bytes: 0 }
  for (let file = 0; file < files; file++) {
    const path = join(dir, `folder${file % 53}`, file % 3 === 0 ? 'deeper' : '.', `note${file}.org`)
    mkdirSync(dirname(path), { recursive: true })
    const marks =
      file % 100 === 99 ? ':private:' : file % 10 === 0 ? `:${tagOf(dice.rank(80))}:` : null
    const top = `#+title: ${words(dice, 3)}\n${marks === null ? '' : `#+filetags: ${marks}\n`}`
    const count = 1 + dice.about(9.5)
    let level = 1
    const notes = Array.from({ length: count }, (_, at) => {
      level = at === 0 ? 1 : 1 + dice.below(Math.min(level + 1, 5))
      return note(dice, `note-${file}-${at}`, level, files)
    })
    const text = `${top}\n${words(dice, 12)}\n${notes.join('')}`
    writeFileSync(path, text)
    written.headlines += count
    written.bytes += Buffer.byteLength(text)
  }
  return written
}
