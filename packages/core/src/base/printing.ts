const obeyed =
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb\u{e0000}-\u{e007f}]|\p{Cs}/gu
const colour = /(\x1b\[(?:0|[1-4]|22|23|24|3[1-69]|90)m)/

/** The text without characters that a terminal obeys; line feeds and tabs stay, with `colours` those, too. */
export function printable(text: string, colours = false): string {
  const even = text.replace(/\r\n/g, '\n')
  if (!colours) return even.replace(obeyed, shown)
  const parts = even.split(colour)
  return parts.map((part, at) => (at % 2 === 1 ? part : part.replace(obeyed, shown))).join('')
}

function shown(character: string): string {
  const code = character.charCodeAt(0)
  if (code < 0x20) return String.fromCharCode(0x2400 + code)
  return Array.from({ length: character.length }, (_, at) => {
    return `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`
  }).join('')
}

/** Writes to standard output or error; false when it should be waited for `drain`. */
export function print(text: string, stream: 'stdout' | 'stderr' = 'stdout'): boolean {
  const { [stream]: out } = process
  return out.write(printable(text, out.isTTY))
}

/** Writes to standard error. */
export function printError(text: string): void {
  print(text, 'stderr')
}

/** The message of what was thrown, which need not be an error. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

const refusals = new Map<unknown, string>([
  ['EROFS', 'its disk is read-only'],
  ['EACCES', 'its mode forbids it'],
  ['EPERM', 'its mode forbids it'],
  ['ENOSPC', 'its disk is full'],
  ['EDQUOT', 'its disk is full'],
])

/** Why the system did not let something be written, in words; null when it says something else. */
export function refusalOf(thrown: unknown): string | null {
  if (!(thrown instanceof Error) || !('code' in thrown)) return null
  return refusals.get(thrown.code) ?? null
}
