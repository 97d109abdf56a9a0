/** A way to write a text differently. */
type Disguise = (text: string) => string

const shift = (first: number, from: string): Record<string, string> =>
  Object.fromEntries([...from].map((char, at) => [char, String.fromCodePoint(first + at)]))

const pairs = (from: string, to: string): Record<string, string> => {
  const others = [...to]
  return Object.fromEntries(Array.from(from, (char, at) => [char, others[at]!]))
}

const small = 'abcdefghijklmnopqrstuvwxyz'
const large = small.toUpperCase()
const digits = '0123456789'

const cyrillic = pairs('aceijopsxyhdABCEHIJKMOPSTXkqw3', 'асеіјорѕхуһԁАВСЕНІЈКМОРЅТХкԛԝЗ')
const greek = pairs('ABEIKOPTXaopi', 'ΑΒΕΙΚΟΡΤΧαορι')
const smallCapitals = pairs(small.slice(0, 16), 'ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘ')

const letters =
  (table: Record<string, string>): Disguise =>
  (text) =>
    Array.from(text, (char) => table[char] ?? char).join('')

const half =
  (one: Disguise): Disguise =>
  (text) =>
    Array.from(text, (char, at) => (at % 2 === 0 ? one(char) : char)).join('')

const look: Record<string, Disguise> = {
  'Cyrillic letters': letters(cyrillic),
  'Greek letters': letters(greek),
  'some Cyrillic letters': half(letters(cyrillic)),
  'small capitals': letters(smallCapitals),
  'full width': (text) =>
    text.replace(/[!-~]/g, (char) => String.fromCodePoint(char.charCodeAt(0) + 0xfee0)),
  'bold letters': letters({
    ...shift(0x1d41a, small),
    ...shift(0x1d400, large),
    ...shift(0x1d7ce, digits),
  }),
  'script letters': letters({ ...shift(0x1d4ea, small), ...shift(0x1d4d0, large) }),
  'letters in circles': letters({ ...shift(0x24d0, small), ...shift(0x24b6, large) }),
  'white letters in circles': letters({ ...shift(0x1f150, small), ...shift(0x1f150, large) }),
  flags: letters({ ...shift(0x1f1e6, small), ...shift(0x1f1e6, large) }),
  'digits of Arabic': letters(shift(0x660, digits)),
  tags: (text) =>
    text.replace(/[ -~]/g, (char) => String.fromCodePoint(char.charCodeAt(0) + 0xe0000)),
  'digits for letters': letters({ i: '1', o: '0', s: '5', t: '7', O: '0', T: '7' }),
  capitals: (text) => text.toUpperCase(),
  'mixed case': (text) =>
    Array.from(text, (char, at) => (at % 2 ? char.toLowerCase() : char.toUpperCase())).join(''),
}

const joinedBy =
  (between: string): Disguise =>
  (text) =>
    [...text].join(between)

const between: Record<string, Disguise> = {
  accents: (text) => text.replace(/[A-Za-z]/g, '$&\u0301'),
  'many accents': (text) => text.replace(/\w/g, '$&\u0336\u0308\u0317'),
  'zero-width spaces': joinedBy('\u200b'),
  'word joiners': joinedBy('\u2060'),
  'soft hyphens': joinedBy('\u00ad'),
  'variation selectors': joinedBy('\ufe0f'),
  blanks: joinedBy(' '),
  dashes: joinedBy('-'),
  'spaced dashes': joinedBy(' - '),
  underscores: joinedBy('_'),
  'line breaks': (text) => text.replace(/.{6}/gu, '$&\n'),
  'quotes and plus signs': (text) => `"${text.slice(0, 5)}" + "${text.slice(5)}"`,
  'elements of a page': joinedBy('<!-- -->'),
}

const bytesAs =
  (write: (byte: number) => string, join = ''): Disguise =>
  (text) =>
    Array.from(Buffer.from(text), write).join(join)

const hex = (byte: number) => byte.toString(16).padStart(2, '0')

function inBase32(text: string): string {
  const bits = bytesAs((byte) => byte.toString(2).padStart(8, '0'))(text)
  const fives = bits.match(/.{1,5}/g) ?? []
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
  return fives.map((five) => alphabet[parseInt(five.padEnd(5, '0'), 2)]).join('')
}

const encoded: Record<string, Disguise> = {
  backwards: (text) => [...text].reverse().join(''),
  rot13: (text) =>
    text.replace(/[a-z]/gi, (char) =>
      String.fromCharCode(char.charCodeAt(0) + (char.toLowerCase() < 'n' ? 13 : -13)),
    ),
  base64: (text) => Buffer.from(text).toString('base64'),
  'base64 for addresses': (text) => Buffer.from(text).toString('base64url'),
  'base64 behind a word': (text) => Buffer.from(`key=${text}`).toString('base64'),
  base32: inBase32,
  hex: bytesAs(hex),
  'hex in capitals with colons': bytesAs((byte) => hex(byte).toUpperCase(), ':'),
  'hex with backslashes': bytesAs((byte) => `\\x${hex(byte)}`),
  'percent signs': bytesAs((byte) => `%${hex(byte)}`),
  'some percent signs': (text) =>
    encodeURIComponent(text).replace(/[!'()*~.-]/g, (c) => `%${hex(c.charCodeAt(0))}`),
  'quoted printable': bytesAs((byte) => `=${hex(byte).toUpperCase()}`),
  octal: bytesAs((byte) => `\\${byte.toString(8).padStart(3, '0')}`),
  decimal: bytesAs(String, ', '),
  binary: bytesAs((byte) => byte.toString(2).padStart(8, '0'), ' '),
  entities: (text) => Array.from(text, (char) => `&#${char.codePointAt(0)};`).join(''),
  'entities in hex': (text) =>
    Array.from(text, (char) => `&#x${char.codePointAt(0)!.toString(16)};`).join(''),
  'escapes of JSON': (text) =>
    text.replace(/[\s\S]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`),
  'escapes with braces': (text) =>
    Array.from(text, (char) => `\\u{${char.codePointAt(0)!.toString(16)}}`).join(''),
}

/** Every disguise, by its name. */
export const disguises: Record<string, Disguise> = { ...look, ...between, ...encoded }

/** Each disguise alone, and each pair, the first of the names done first. */
export const disguisePairs: readonly (readonly [names: string, disguise: Disguise])[] =
  Object.entries(disguises).flatMap(([name, one]) => [
    [name, one] as const,
    ...Object.entries(disguises).map(
      ([then, two]) => [`${name}, then ${then}`, (text: string) => two(one(text))] as const,
    ),
  ])
