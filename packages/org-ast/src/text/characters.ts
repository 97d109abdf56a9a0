/** Emacs's white space, as the inside of a character class. */
export const spaceClass = '\\t\\n\\f\\r \\u00a0\\u2000-\\u200b\\u202f\\u205f\\u3000'

/** A word as Emacs finds it with `\\S-+`, for the patterns of other modules. */
export const word: string = `[^${spaceClass}]+`

/** True for white space, line ends included. */
export function isSpaceCode(code: number): boolean {
  if (code < 128) return code === 32 || code === 10 || code === 9 || code === 12 || code === 13
  if (code === 0xa0) return true
  if (code < 0x2000) return false
  return code <= 0x200b || code === 0x202f || code === 0x205f || code === 0x3000
}

/** The text without spaces, tabs and line ends at either end; `org-trim`. */
export function trim(text: string): string {
  let begin = 0
  let end = text.length
  while (begin < end && isTrimmed(text.charCodeAt(begin))) begin++
  while (end > begin && isTrimmed(text.charCodeAt(end - 1))) end--
  return text.slice(begin, end)
}

function isTrimmed(code: number): boolean {
  return code === 32 || code === 9 || code === 10 || code === 13
}

/** An array of `size` numbers, one at the code of each of these characters and zero elsewhere. */
export function flags(characters: string, size: number): Uint8Array {
  const result = new Uint8Array(size)
  for (const character of characters) result[character.charCodeAt(0)] = 1
  return result
}

/** Letters, marks and digits, as the inside of a character class with the `u` flag. */
export const alnumClass = '\\p{L}\\p{M}\\p{Nd}\\p{Nl}'

function isAsciiAlnum(code: number): boolean {
  const lower = code | 32
  return (lower >= 97 && lower <= 122) || (code >= 48 && code <= 57)
}

const otherRanges = `
  a0-a4 a6-b1 b4 b6 b8 ba-bf d7 f7 2c7 2c9 2d0 2d8-2db 2dd 384-385 5be 5c0 5c3 5c6 e2f e3f e46
  e4f e5a-e5b eaf ec6 f00-f0b f0d-f18 f1a-f1f f34 f36 f38-f3f f7f f85 fbe-fcf 1361-1368
  2000-2026 202f-205f 207d-207e 208d-208e 20ac 2103 2109 2116 2121-2122 2153-2154 215b-215e
  2190-244f 2460-246e 2474-24b5 2500-254b 2592 25a0-25a1 25a3-25a9 25b2-25b3 25b6-25b7
  25bc-25bd 25c0-25c1 25c6-25c8 25cb 25ce-25d1 25ef 2605-2606 260e-260f 261c 261e 2640 2642
  2660-2661 2663-2665 2667-266a 266c-266d 266f 2768-276d 2770-2775 27e6-27eb 2983-2998
  29fc-29fd 2a00-2bff 2e00-2e7f 3000-3003 3008-301c 30fb 3200-321c 3220-3229 3260-327b
  327e-327f 3380-3384 3388-33ca 33cf-33d0 33d3 33d6 33d8 33db-33dd aadb-aadf fd3e-fd3f
  fe35-fe44 fe59-fe5e ff01-ff0f ff1b-ff20 ff3b-ff40 ff5b-ff65 ffe0-ffe3 ffe5 1fb00-1fbff`

function otherClass(): string {
  return otherRanges.replace(/\w+/g, '\\u{$&}').replace(/\s+/g, '')
}

/** Characters beyond ASCII that are in no word, as the inside of a class with the `u` flag. */
export const otherWideClass: string = otherClass()

const otherPattern = new RegExp(`[${otherWideClass}]`, 'u')

/** Word characters, as the inside of a *negated* class with the `u` flag. */
export const notWordClass: string = `\\x00-#&(-/:-@\\[-\`{-\\x7f${otherWideClass}`

/** True for a character that can be in a word. */
export function isWord(character: string): boolean {
  const code = character.charCodeAt(0)
  if (code >= 128) return !otherPattern.test(character)
  return isAsciiAlnum(code) || code === 36 || code === 37 || code === 39
}

/** True when an ASCII letter at an offset begins a word, with `begin` as the text's own start. */
export function beginsWord(text: string, at: number, begin: number): boolean {
  if (at === begin) return true
  const before = text.charAt(at - 1)
  if (!isWord(before)) return true
  return before.charCodeAt(0) > 255 && !/[\p{Script=Latin}\p{M}]/u.test(before)
}
