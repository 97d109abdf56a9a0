import { readCollection } from './corpus.ts'

const digits = '0123456789'
const lower = 'abcdefghijklmnopqrstuvwxyz'
const upper = lower.toUpperCase()

const alphabets: Record<string, string> = {
  digits,
  lower,
  upper: upper + digits,
  hex: `${digits}abcdef`,
  HEX: `${digits}ABCDEF`,
  mixed: digits + lower + upper,
  small: digits + lower,
  base32: `${upper}234567`,
  base58: '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz',
  base64: `${digits}${lower}${upper}+/`,
  url: `${digits}${lower}${upper}_-`,
}

function filled(line: string, seed: number): string {
  let state = 1_013_904_223 + seed * 7919
  return line.replace(/<(\w+) (\d+)>/g, (written, name: string, length: string) => {
    const letters = alphabets[name]
    if (letters === undefined) return written
    return Array.from({ length: Number(length) }, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return letters[(state >>> 8) % letters.length]
    }).join('')
  })
}

/** Texts with a secret in each, and texts without one. */
interface TextList {
  secrets: string[]
  harmless: string[]
}

/** Reads a list from the folder `corpus`. */
function textList(name: string): TextList {
  const lines = readCollection(name).map(({ category, line }, seed) => {
    return { category, text: filled(line, seed) }
  })
  const under = (heading: string) => {
    return lines.filter(({ category }) => category === heading).map(({ text }) => text)
  }
  return { secrets: under('secrets'), harmless: under('harmless') }
}

/** The list that rules may be mended by. */
export const mendedBy: TextList = textList('secret-texts.txt')

/** The list that is only counted. */
export const heldOut: TextList = textList('secret-texts-held-out.txt')
