import { z } from 'zod'

/** Whether a text holds neither a line end nor any other control character. */
export function isSingleLine(text: string): boolean {
  return !/[\p{Cc}\u2028\u2029]/u.test(text)
}

/** A string of one line; limits and a description can be added as to any other string. */
export function singleLine(): z.ZodString {
  return z.string().refine(isSingleLine, 'Expected one line without control characters')
}

/** What ends a line, for whoever splits a text that may have come from anywhere. */
export const lineEnds: RegExp = /[\n\v\f\r\u0085\u2028\u2029]+/

/** The text on one line: a space in the place of line ends and other control characters. */
export function onOneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
}

const headerWords = new Set(
  (
    'to cc bcc from sender recipient recipients subject title filename path url uri href host ' +
    'hostname domain branch ref tag tags author committer email phone username channel room ' +
    'cookie header headers referer agent'
  ).split(' '),
)

/** Whether the value of this field is written into one line, by the path of its names, as `headers.x-id`. */
export function isHeaderField(path: string): boolean {
  const fields = path.split('.')
  if (fields.some((field) => /headers$/i.test(field))) return true
  const words = fields
    .at(-1)!
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
  const parts = words.split(/[^a-z]+/)
  return headerWords.has(parts.at(-1)!) || /^(?:file|user|host|reply)[-_ ]?(?:name|to)$/.test(words)
}
