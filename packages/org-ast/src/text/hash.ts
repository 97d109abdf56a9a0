const primes: number[] = []
for (let number = 2; primes.length < 64; number++) {
  if (primes.every((prime) => number % prime !== 0)) primes.push(number)
}

const fraction = (root: number) => (root - Math.floor(root)) * 2 ** 32
const starts = Uint32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime)))
const rounds = Uint32Array.from(primes, (prime) => fraction(Math.cbrt(prime)))

function bytesOf(text: string): Uint8Array {
  if (!/\p{Surrogate}/u.test(text)) return new TextEncoder().encode(text)
  const parts = text.split(/(\p{Surrogate})/u)
  const bytes: number[] = []
  parts.forEach((part, at) => {
    const code = part.charCodeAt(0)
    if (at % 2 === 0) for (const byte of new TextEncoder().encode(part)) bytes.push(byte)
    else bytes.push(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63))
  })
  return Uint8Array.from(bytes)
}

/** SHA-256 of a text in UTF-8, as 64 hexadecimal digits; a lone surrogate has three bytes. */
export function hashText(text: string): string {
  const bytes = bytesOf(text)
  const padded = new Uint8Array((((bytes.length + 8) >> 6) + 1) << 6)
  padded.set(bytes)
  padded[bytes.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setBigUint64(padded.length - 8, BigInt(bytes.length) * 8n)
  const state = Uint32Array.from(starts)
  const words = new Uint32Array(64)
  for (let at = 0; at < padded.length; at += 64) {
    for (let word = 0; word < 16; word++) words[word] = view.getUint32(at + word * 4)
    mix(state, words)
  }
  return Array.from(state, (word) => word.toString(16).padStart(8, '0')).join('')
}

function mix(state: Uint32Array, words: Uint32Array): void {
  for (let at = 16; at < 64; at++) {
    const [early, late] = [words[at - 15]!, words[at - 2]!]
    const one = turn(early, 7) ^ turn(early, 18) ^ (early >>> 3)
    const two = turn(late, 17) ^ turn(late, 19) ^ (late >>> 10)
    words[at] = words[at - 16]! + one + words[at - 7]! + two
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as Eight
  for (let at = 0; at < 64; at++) {
    const one = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)
    const first = (h + one + ((e & f) ^ (~e & g)) + rounds[at]! + words[at]!) | 0
    const two = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)
    const second = (two + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g
    g = f
    f = e
    e = (d + first) | 0
    d = c
    c = b
    b = a
    a = (first + second) | 0
  }
  for (const [at, word] of [a, b, c, d, e, f, g, h].entries()) state[at]! += word
}

type Eight = [number, number, number, number, number, number, number, number]

function turn(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by))
}
