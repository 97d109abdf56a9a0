interface Place {
  readonly text: string
  at: number
}

const depthMax = 16
const words = new Map<string, unknown>([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['null', null],
  ['None', null],
  ['undefined', undefined],
])

function skipBlanks(place: Place): string {
  while (/\s/.test(place.text[place.at] ?? 'x')) place.at++
  return place.text[place.at] ?? ''
}

function matched(place: Place, pattern: RegExp): RegExpExecArray | null {
  pattern.lastIndex = place.at
  const found = pattern.exec(place.text)
  if (found !== null) place.at += found[0].length
  return found
}

const numberPattern = /-?\d{1,300}(?:\.\d{1,300})?(?:[eE][+-]?\d{1,3})?/y
const wordPattern = /[A-Za-z_$][\w$-]{0,63}/y

function readValue(place: Place, depth: number): unknown {
  if (depth > depthMax) throw new SyntaxError('it is nested too deep')
  const next = skipBlanks(place)
  if (next === '"' || next === "'") return readText(place)
  if (next === '{') return readFields(place, '}', ':', depth)
  if (next === '[') return readList(place, depth)
  const digits = matched(place, numberPattern)
  if (digits !== null) return Number(digits[0])
  const [word = next] = matched(place, wordPattern) ?? []
  if (words.has(word)) return words.get(word)
  throw new SyntaxError(`a value was expected at “${word.slice(0, 40)}”`)
}

const escapes: Record<string, string> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' }

function readText(place: Place): string {
  const { text } = place
  const mark = text[place.at]!
  const quote = text.startsWith(mark.repeat(3), place.at) ? mark.repeat(3) : mark
  const begin = place.at + quote.length
  for (let at = begin; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text.startsWith(quote, at)) {
      place.at = at + quote.length
      return text
        .slice(begin, at)
        .replace(
          /\\(?:u([\da-fA-F]{4})|([\s\S]))/g,
          (_all, code: string | undefined, sign: string) =>
            code === undefined ? (escapes[sign] ?? sign) : String.fromCharCode(parseInt(code, 16)),
        )
        .toWellFormed()
    }
  }
  throw new SyntaxError('a quotation mark is not closed')
}

function readList(place: Place, depth: number): unknown[] {
  const list: unknown[] = []
  place.at++
  while (skipBlanks(place) !== ']') {
    list.push(readValue(place, depth + 1))
    if (skipBlanks(place) === ',') place.at++
    else if (skipBlanks(place) !== ']') throw new SyntaxError('a comma or ] was expected in a list')
  }
  place.at++
  return list
}

function readFields(
  place: Place,
  end: '}' | ')',
  sign: ':' | '=',
  depth: number,
): Record<string, unknown> {
  const fields: [string, unknown][] = []
  place.at++
  for (let next = skipBlanks(place); next !== end; next = skipBlanks(place)) {
    const isQuoted = end === '}' && (next === '"' || next === "'")
    const name = isQuoted ? readText(place) : matched(place, wordPattern)?.[0]
    const behind = skipBlanks(place)
    if (name === undefined || (behind !== sign && behind !== ':')) {
      throw new SyntaxError('each argument needs its name')
    }
    place.at++
    fields.push([name, readValue(place, depth + 1)])
    if (skipBlanks(place) === ',') place.at++
    else if (skipBlanks(place) !== end) throw new SyntaxError(`a comma or ${end} was expected`)
  }
  place.at++
  return Object.fromEntries(fields)
}

/** The arguments in brackets at this place: `()`, `(key=value)`, `(key: value)` or `({…})`. */
function readArguments(place: Place): Record<string, unknown> {
  const inside = { text: place.text, at: place.at + 1 }
  if (skipBlanks(inside) !== '{') return readFields(place, ')', '=', 0)
  place.at = inside.at
  const fields = readFields(place, '}', ':', 0)
  if (skipBlanks(place) === ',') place.at++
  if (skipBlanks(place) !== ')') throw new SyntaxError('nothing was expected behind the }')
  place.at++
  return fields
}

/** A call that was written like that of a function. */
interface FunctionCall {
  begin: number
  /** After the closing bracket; the length of the text when there is none. */
  end: number
  tool: string
  args: Record<string, unknown>
  /** Why the arguments could not be read; they are empty then. */
  fault?: string
}

const beginning = /(?<=^|\n)[ \t`[]{0,20}((?:await\s{1,5})?(?:\w{1,40}\.)?([\w-]{1,64}))\(/g
const following = /[ \t]{0,20},\s{0,100}((?:await\s{1,5})?(?:\w{1,40}\.)?([\w-]{1,64}))\(/y
const lineEnd = /[ \t;,`\]]{0,20}(?=\r?\n|$)/y
const linesMax = 64

/** The calls of these tools that have their lines to themselves, in order. */
export function functionCalls(text: string, tools: ReadonlySet<string>): FunctionCall[] {
  if (tools.size === 0) return []
  const named = new Map([...tools].map((tool) => [tool.replaceAll('-', '_'), tool]))
  const toolOf = (name: string | undefined) => named.get((name ?? '').replaceAll('-', '_'))
  const found: FunctionCall[] = []
  beginning.lastIndex = 0
  for (let count = 0; count < linesMax; ) {
    const match = beginning.exec(text)
    if (match === null) break
    const chain: FunctionCall[] = []
    let [whole, written = '', name] = match
    let place = match.index
    for (let tool = toolOf(name); tool !== undefined; tool = toolOf(name)) {
      count++
      const bracket = place + whole.length - 1
      chain.push({ begin: bracket - written.length, ...callAt(text, bracket, tool) })
      place = chain.at(-1)!.end
      following.lastIndex = place
      const next = place < text.length ? following.exec(text) : null
      if (next === null || toolOf(next[2]) === undefined || count >= linesMax) break
      ;[whole, written = '', name] = next
    }
    if (chain.length === 0) continue
    lineEnd.lastIndex = place
    if (lineEnd.test(text)) found.push(...chain)
    beginning.lastIndex = Math.max(place, beginning.lastIndex)
  }
  return found
}

function callAt(text: string, bracket: number, tool: string): Omit<FunctionCall, 'begin'> {
  const place = { text, at: bracket }
  try {
    const args = readArguments(place)
    return { end: place.at, tool, args }
  } catch (error) {
    const end = closingBracket(text, bracket)
    const { message } = error as SyntaxError
    const why = end < 0 ? 'its bracket is not closed' : message
    const fault = `the call of ${tool} cannot be read: ${why}; write it as ${tool}(name="value")`
    return { end: end < 0 ? text.length : end, tool, args: {}, fault }
  }
}

/** The offset after the bracket that closes the one here, quoted texts left out, or -1. */
function closingBracket(text: string, bracket: number): number {
  let depth = 0
  let quote = ''
  for (let at = bracket; at < text.length; at++) {
    const sign = text[at]!
    if (sign === '\\') at++
    else if (quote !== '') quote = sign === quote ? '' : quote
    else if (sign === '"' || sign === "'") quote = sign
    else if (sign === '(') depth++
    else if (sign === ')' && --depth === 0) return at + 1
  }
  return -1
}

const unfinished = /(?<=^|\n)[ \t`[]{0,20}(?:await\s{1,5})?(?:\w{1,40}\.)?[\w-]{0,64}\(?$/

/** The offset of a last line that may become a call of one of these tools; the length of the text when none may. */
export function unfinishedCall(text: string, tools: ReadonlySet<string>): number {
  if (tools.size === 0) return text.length
  const from = Math.max(0, text.length - 200)
  const found = unfinished.exec(text.slice(from))
  return found === null || found[0].trim() === '' ? text.length : from + found.index
}
