const lookAlikes: Record<string, string> = {
  0: '⓿',
  1: '⓵❶➀➊',
  2: 'ƨƻϩᴤ⓶❷➁➋ꙅꝚ',
  3: 'ƺȝʒʓзҙӡᴟᴣᶚ⓷❸➂➌ⳍꝫꞫ',
  4: 'чҷҹӌᏎ⓸❹➃➍',
  5: 'Ƽ⓹❺➄➎',
  6: 'ϭбᏮ⓺❻➅➏ⳒⳜ',
  7: '⓻❼➆➐',
  8: 'ȣ⓼❽➇➑',
  9: 'Գ⓽❾➈➒ⳊꝮ',
  a: 'ðƛɐɑɒʌαλадձᎯᴀᴧᶏⱥⲖꓮꓯꭺ',
  b: 'ßþƀƃƅƿɓʙβϸБвъьѣҍՅᏰᏼᴃᶀꓐꞵꮟ',
  c: 'ƆƈȼʗςϛϽϾсҁҫՇ᧚ᴄↄⲥꓚꓛꞆꮯ',
  d: 'ÐÞđƌɖɗϷԁԃժᏧᴅᴆᵭᶁᶑↁꓒꓓꭰ',
  e: 'ǝɇɘəɚɛεеєҽҿәԑᴇᶒⲉꓰꓱꞓꬲꭢꭼꮛ',
  f: 'ꜰƒʃʄϝբքᵮᶂẝℲꓝꓞꞙꟻꬵꭍ',
  g: 'ƍǥɠɡɢʛԍցᏻᶃꓖꮐ',
  h: 'ħǶɥɦɧʜΗнђћңҥһӈӊԋիհ৸ᏂᏲⱨⲎꓧꚕꜧꞕꮋ',
  i: 'ıɨɩɪιіӏᏆ៸ᵻᵼᶖꙇꭵ',
  j: 'ȷɉʆʖʝϳјՂյᴊꓙꭻ',
  k: 'ĸƙʞκϗкқҝҟҡӄᴋᶄⱪⲕⳤꓗꝁꝄꮶ',
  l: 'łƖƗƚǀɫɭʅʟΓΙІГҐҒӀՆլւᎱⱡⲄⲒⳑꓡꓲꓶꮮ',
  m: 'ʍΜϻмӎ௱൚൱៳ᴍᶆⲘꓟꮇ',
  n: 'ŋƞȵɲɳɴͷΝηπилпҋӆԉդղոռ៷ᴎᴒᴨᴫᴻᵰᶇⲚꓠꓵ',
  o: 'øɵʘΦθοσϙФоѳѻөՓծօ៰ᴏᴑⲟⲪꓳꙨꝋꬽꬾꭴꮎꮻ',
  p: 'ƥǷρφрҏրᴘᴩᵽⲣꓑꮲ',
  q: 'ɋʠԛգզᶐꝗ',
  r: 'ɍɼɽɾʀʁгяґғՐᴙᴚᴦᵲᵳᶉⲅꓣꭇꭈꭱꮁꮢ',
  s: 'ƽȿʂѕՏֆᏕᵴᶊꓢꜱꮪ',
  t: 'ŧƫƭȶȾʇʈʨτϮтҭեէᎿᴛᵵⲦꓔꭲ',
  u: 'ʉʊʋυЏцԱմսᴜᵾᵿᶙꓴꞟꭎꭒꮜ',
  v: 'νѵ៴ᴠꓦꮩ',
  w: 'ɯωшщѡѽѿԝաᏇᏔᴡⱳⲱⲽꓪꙍꝡꞷꮃ',
  x: 'χЖхҖҳӽӾᶍⲭꓫꭓꭕ',
  y: 'ƴɏɣʎʏΥγϤЧуүұՎᎩᎽᶌỿⲨꓬꭚ',
  z: 'ƶȥɀʐʑΖᴢᵶᶎⱬꓜꮓ',
}

const readAs = new Map(
  Object.entries(lookAlikes).flatMap(([plain, like]) =>
    [...like].map((char): [string, string] => [char, plain]),
  ),
)

const repeated: readonly (readonly [first: number, last: number, plain: number])[] = [
  [0xe0020, 0xe007e, 0x20],
  [0x1f1e6, 0x1f1ff, 0x61],
  [0x1f150, 0x1f169, 0x61],
  [0x1f170, 0x1f189, 0x61],
]

const isDigit = /\p{Nd}/u

function digitOf(point: number): string {
  let first = point
  while (first > 0x80 && isDigit.test(String.fromCodePoint(first - 1))) first--
  return String((point - first) % 10)
}

/** The ASCII character that a character is read as, in its own case; the character itself for most. */
function plainOf(char: string): string {
  const point = char.codePointAt(0)!
  if (point < 0x80) return char
  const block = repeated.find(([first, last]) => point >= first && point <= last)
  if (block !== undefined) return String.fromCodePoint(point - block[0] + block[2])
  const base = char.normalize('NFKD').replace(/[\p{M}\p{Cf}]/gu, '')
  if (base !== char) return Array.from(base, plainOf).join('')
  return (
    readAs.get(char) ??
    readAs.get(char.toLowerCase()) ??
    (isDigit.test(char) ? digitOf(point) : char)
  )
}

const classes: Record<string, string> = {
  '0': 'o',
  '1': 'l',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '8': 'b',
  i: 'l',
}

/** The letters of a skeleton that a character becomes; empty for a sign. */
function skeletonOf(char: string): string {
  const letters = plainOf(char)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
  return letters.replace(/[0134578i]/g, (letter) => classes[letter]!)
}

const gone = 1
const several = 2
const single = new Uint16Array(1 << 16)
const others = new Map<string, string>()

function codeFor(code: number): number {
  const letters = skeletonOf(String.fromCharCode(code))
  if (letters.length > 1) others.set(String.fromCharCode(code), letters)
  single[code] = letters === '' ? gone : letters.length > 1 ? several : letters.charCodeAt(0)
  return single[code]!
}

function lettersFor(char: string): string {
  const known = others.get(char)
  if (known !== undefined) return known
  const letters = skeletonOf(char)
  if (others.size < 20_000) others.set(char, letters)
  return letters
}

/** Latin letters that were moved by thirteen, with what they were. */
const unmoved = new Uint16Array(1 << 7)
for (let code = 0; code < unmoved.length; code++) {
  const place = (code | 32) - 97
  const isLetter = place >= 0 && place < 26
  unmoved[code] = isLetter ? code + (place < 13 ? 13 : -13) : code
}

/** A writer into units of its own, which grow with the longest text and are kept for the next. */
function skeletonWriter(): (text: string, isRotated?: boolean) => Uint16Array {
  let scratch = new Uint16Array(1 << 12)
  return (text, isRotated = false) => {
    if (scratch.length < 2 * text.length + 64) scratch = new Uint16Array(3 * text.length + 64)
    let length = 0
    const put = (letters: string) => {
      if (length + letters.length + 64 > scratch.length) {
        const before = scratch
        scratch = new Uint16Array(2 * before.length)
        scratch.set(before)
      }
      for (let at = 0; at < letters.length; at++) scratch[length++] = letters.charCodeAt(at)
    }
    for (let index = 0; index < text.length; index++) {
      const given = text.charCodeAt(index)
      const code = isRotated && given < 128 ? unmoved[given]! : given
      if (code >= 0xd800 && code < 0xdc00) {
        const char = String.fromCodePoint(text.codePointAt(index)!)
        put(lettersFor(char))
        index += char.length - 1
        continue
      }
      const to = single[code] || codeFor(code)
      if (to === several || (to > several && length === scratch.length))
        put(lettersFor(String.fromCharCode(code)))
      else if (to > several) scratch[length++] = to
    }
    return scratch.subarray(0, length)
  }
}

/**
 * The UTF-16 units of the text's skeleton, or of that of the text with its Latin letters moved by
 * thirteen. They are overwritten by the next call.
 */
export const skeletonUnits: (text: string, isRotated?: boolean) => Uint16Array = skeletonWriter()

/**
 * The unit of a skeleton that one UTF-16 unit becomes, or, moved by thirteen, would become.
 * 0 when it becomes nothing; -1 when it becomes several or is half of a character.
 */
export function skeletonUnit(given: number, isRotated = false): number {
  const code = isRotated && given < 128 ? unmoved[given]! : given
  if (code >= 0xd800 && code < 0xdc00) return -1
  const to = single[code] || codeFor(code)
  return to > several ? to : to === gone ? 0 : -1
}

/** The form in which two texts are the same when they look alike: letters and digits only, folded. */
export function skeleton(text: string): string {
  const { buffer, byteLength, byteOffset } = skeletonUnits(text)
  return Buffer.from(buffer, byteOffset, byteLength).toString('utf16le')
}

/** The text with look-alikes written in ASCII and invisible characters taken out; signs and case stay. */
export function asLatin(text: string): string {
  if (!/[^\0-\x7f]/.test(text)) return text
  return text.replace(/[^\0-\x7f]/gu, (char) => {
    const known = latin.get(char)
    if (known !== undefined) return known
    const plain = plainOf(char).replace(/[\p{M}\p{Cf}\u115f\u1160\u3164\uffa0]/gu, '')
    if (latin.size < 20_000) latin.set(char, plain)
    return plain
  })
}

const latin = new Map<string, string>()
