/** The lengths of the longest rows in a text, in UTF-16 units. */
interface Rows {
  /** Of everything that keys and encodings are made of. */
  any: number
  base64: number
  base32: number
  /** With what may stand between the numbers. */
  hex: number
  /** Whether there is a row of twenty that looks like a key. */
  key: boolean
}

const bits = { any: 1, base64: 2, base32: 4, hex: 8, key: 16, digit: 32, beyondHex: 64 }
const kinds = new Uint8Array(128)

for (let code = 0; code < 128; code++) {
  const letter = String.fromCharCode(code)
  if (/[A-Za-z0-9_+/=.~-]/.test(letter)) kinds[code]! |= bits.any
  if (/[A-Za-z0-9+/_-]/.test(letter)) kinds[code]! |= bits.base64
  if (/[A-Z2-7]/.test(letter)) kinds[code]! |= bits.base32
  if (/[0-9A-Fa-fx\\ :,]/.test(letter)) kinds[code]! |= bits.hex
  if (/[A-Za-z0-9_+-]/.test(letter)) kinds[code]! |= bits.key
  if (/\d/.test(letter)) kinds[code]! |= bits.digit
  if (/[g-zG-Z]/.test(letter)) kinds[code]! |= bits.beyondHex
}

const keyMin = 20

/** The longest rows in the text. Not to be written to. */
export const rowsIn: (text: string) => Rows = lastAnswer(countRows)

function lastAnswer(count: (text: string) => Rows): (text: string) => Rows {
  let last = ''
  let rows = count(last)
  return (text) => {
    if (text === last) return rows
    rows = count(text)
    last = text
    return rows
  }
}

function countRows(text: string): Rows {
  const longest: Rows = { any: 0, base64: 0, base32: 0, hex: 0, key: false }
  let any = 0
  let base64 = 0
  let base32 = 0
  let hex = 0
  let key = 0
  let seen = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    const kind = code < 128 ? kinds[code]! : 0
    any = (kind & bits.any) === 0 ? 0 : any + 1
    base64 = (kind & bits.base64) === 0 ? 0 : base64 + 1
    base32 = (kind & bits.base32) === 0 ? 0 : base32 + 1
    hex = (kind & bits.hex) === 0 ? 0 : hex + 1
    key = (kind & bits.key) === 0 ? 0 : key + 1
    seen = key === 0 ? 0 : seen | kind
    if (any > longest.any) longest.any = any
    if (base64 > longest.base64) longest.base64 = base64
    if (base32 > longest.base32) longest.base32 = base32
    if (hex > longest.hex) longest.hex = hex
    if (key >= keyMin && (seen & bits.digit) !== 0 && (seen & bits.beyondHex) !== 0)
      longest.key = true
  }
  return longest
}
