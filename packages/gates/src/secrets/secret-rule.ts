/** One kind of secret. */
export interface SecretRule {
  /** Lower case with dashes; named in reasons. */
  name: string
  /** In lower case; one of them is in every text that the pattern matches. */
  keywords: readonly string[]
  /** Global; the first group, or the whole match, is the secret. Linear. */
  pattern: RegExp
  /** What the secret must be besides: not a placeholder, always; random enough, often. */
  accepts?: (secret: string) => boolean
  /** Found by a mark in the secret itself, so that it can be looked for where the text around it is lost. */
  marked: boolean
  /** Made when asked, so that none stands in this file. */
  match(): string[]
  notMatch(): string[]
}

const alphabets = {
  hex: '0123456789abcdef',
  upper: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567',
  lower: 'abcdefghijklmnopqrstuvwxyz0123456789',
  alnum: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789',
  word: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-',
  base64: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
}

/** A set of characters that keys are made of. */
export type Alphabet = keyof typeof alphabets

/** Characters that look random and are the same each time. */
export function sample(alphabet: Alphabet, length: number, seed = 7): string {
  const letters = alphabets[alphabet]
  let state = seed * 2_654_435 + length
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return letters[(state >>> 8) % letters.length]
  }).join('')
}

/** A rule that goes by what stands around the secret; its keywords are separated by blanks. */
export function around(rule: {
  name: string
  keywords: string
  pattern: RegExp
  accepts?: (secret: string) => boolean
  match: () => string[]
  notMatch: () => string[]
}): SecretRule {
  return { ...rule, keywords: rule.keywords.split(' '), marked: false }
}

/** A rule that goes by the secret itself. */
export function marked(rule: Parameters<typeof around>[0]): SecretRule {
  return { ...around(rule), marked: true }
}
