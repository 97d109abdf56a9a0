/** The text of a note, and how another text of it is written. */
export interface NoteText {
  text: string
  encode: (text: string) => string
}

/** Reads the bytes of a note. Throws a TypeError when they are no UTF-8. */
export function decodeNote(bytes: Uint8Array): NoteText {
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  if (!text.includes('\r') || text.includes('\n')) return { text, encode: (after) => after }
  return {
    text: text.replaceAll('\r', '\n'),
    encode: (after) => after.replaceAll('\n', '\r'),
  }
}
