import {
  dayNumber,
  dayText,
  defineSkill,
  localDay,
  type Skill,
  type Tool,
} from '@passepartout/core'
import { z } from 'zod'

interface Fraction {
  top: bigint
  bottom: bigint
}

const bitsMax = 200_000

function abs(value: bigint): bigint {
  return value < 0n ? -value : value
}

function gcd(a: bigint, b: bigint): bigint {
  let [x, y] = [abs(a), abs(b)]
  while (y !== 0n) [x, y] = [y, x % y]
  return x
}

function fraction(top: bigint, bottom = 1n): Fraction {
  if (bottom === 0n) throw new RangeError('Nothing can be divided by zero')
  const sign = bottom < 0n ? -1n : 1n
  const common = gcd(top, bottom) || 1n
  const made = { top: (sign * top) / common, bottom: (sign * bottom) / common }
  if (isLong(made.top) || isLong(made.bottom)) throw new RangeError('That number is too long')
  return made
}

function isLong(value: bigint): boolean {
  return abs(value) >> BigInt(bitsMax) !== 0n
}

const add = (a: Fraction, b: Fraction) =>
  fraction(a.top * b.bottom + b.top * a.bottom, a.bottom * b.bottom)
const negative = ({ top, bottom }: Fraction) => ({ top: -top, bottom })
const multiply = (a: Fraction, b: Fraction) => fraction(a.top * b.top, a.bottom * b.bottom)
const divide = (a: Fraction, b: Fraction) => fraction(a.top * b.bottom, a.bottom * b.top)

function floor({ top, bottom }: Fraction): bigint {
  const quotient = top / bottom
  return top < 0n && quotient * bottom !== top ? quotient - 1n : quotient
}

function rounded(value: Fraction, digits: number): Fraction {
  const scale = 10n ** BigInt(digits)
  const half = fraction(1n, 2n)
  const size = { top: abs(value.top), bottom: value.bottom }
  const whole = floor(add(multiply(size, fraction(scale)), half))
  return fraction(value.top < 0n ? -whole : whole, scale)
}

function power(base: Fraction, exponent: Fraction): Fraction {
  if (exponent.bottom !== 1n) throw new RangeError('An exponent is a whole number; see sqrt')
  const size = abs(exponent.top)
  const bits = BigInt(Math.max(abs(base.top).toString(2).length, base.bottom.toString(2).length))
  if (size * bits > BigInt(bitsMax) + bits) throw new RangeError('That number is too long')
  const made = fraction(base.top ** size, base.bottom ** size)
  return exponent.top < 0n ? divide(fraction(1n), made) : made
}

type Value =
  | { kind: 'number'; number: Fraction; isPercent?: boolean; isRounded?: boolean }
  | { kind: 'moment'; day: number; minute: number | null }
  | { kind: 'span'; months: number; minutes: number }
  | { kind: 'word'; word: string }

const number = (value: Fraction): Value => ({ kind: 'number', number: value })

const units: Record<string, { months: number; minutes: number }> = {
  minute: { months: 0, minutes: 1 },
  min: { months: 0, minutes: 1 },
  hour: { months: 0, minutes: 60 },
  h: { months: 0, minutes: 60 },
  day: { months: 0, minutes: 1_440 },
  week: { months: 0, minutes: 10_080 },
  fortnight: { months: 0, minutes: 20_160 },
  month: { months: 1, minutes: 0 },
  year: { months: 12, minutes: 0 },
}

function small(value: Fraction, what: string): number {
  if (value.bottom !== 1n || abs(value.top) > 10_000_000n) {
    throw new RangeError(`Expected a whole number of ${what} that is not so large`)
  }
  return Number(value.top)
}

function spanOf(count: Fraction, unit: string): Value {
  const { months, minutes } = units[unit.replace(/s$/, '')] ?? { months: 0, minutes: 0 }
  const total = multiply(count, fraction(BigInt(months === 0 ? minutes : months)))
  const size = small(total, months === 0 ? 'minutes' : 'months')
  return { kind: 'span', months: months === 0 ? 0 : size, minutes: months === 0 ? size : 0 }
}

function moved(moment: Extract<Value, { kind: 'moment' }>, months: number, minutes: number): Value {
  const day = months === 0 ? moment.day : monthsLater(moment.day, months)
  const isWhole = moment.minute === null && minutes % 1_440 === 0
  const total = (moment.minute ?? 0) + minutes
  const later = day + Math.floor(total / 1_440)
  if (later < -354_285 || later > 2_932_896) throw new RangeError('That year has no calendar here')
  const minute = isWhole ? null : total - Math.floor(total / 1_440) * 1_440
  return { kind: 'moment', day: later, minute }
}

function monthsLater(day: number, months: number): number {
  const [year = 0, month = 1, of = 1] = dayText(day).split('-').map(Number)
  const count = year * 12 + (month - 1) + months
  const [toYear, toMonth] = [Math.floor(count / 12), count - Math.floor(count / 12) * 12]
  if (toYear < 1_000 || toYear > 9_999) throw new RangeError('That year has no calendar here')
  const first = numberOfDay(toYear, toMonth + 1, 1)
  const length = new Date(Date.UTC(toYear, toMonth + 1, 0)).getUTCDate()
  return first + Math.min(of, length) - 1
}

function numberOfDay(year: number, month: number, day: number): number {
  const two = (part: number) => String(part).padStart(2, '0')
  const text = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`
  const found = dayNumber(text)
  if (year < 1_000 || Number.isNaN(found) || dayText(found) !== text)
    throw new RangeError(`There is no day ${text}`)
  return found
}

function sum(a: Value, b: Value, sign: 1 | -1): Value {
  if (a.kind === 'number' && b.kind === 'number') {
    const part =
      b.isPercent === true && a.isPercent !== true ? multiply(a.number, b.number) : b.number
    const made = add(a.number, sign === 1 ? part : negative(part))
    const isBoth = a.isPercent === true && b.isPercent === true
    const isRounded = a.isRounded === true || b.isRounded === true
    return { kind: 'number', number: made, isPercent: isBoth, isRounded }
  }
  if (a.kind === 'moment' && b.kind === 'span') {
    return moved(a, sign * b.months, sign * b.minutes)
  }
  if (a.kind === 'span' && b.kind === 'moment' && sign === 1) return moved(b, a.months, a.minutes)
  if (a.kind === 'span' && b.kind === 'span') {
    const [months, minutes] = [a.months + sign * b.months, a.minutes + sign * b.minutes]
    return { kind: 'span', months, minutes }
  }
  if (a.kind === 'moment' && b.kind === 'moment' && sign === -1) {
    const minutes = (a.day - b.day) * 1_440 + (a.minute ?? 0) - (b.minute ?? 0)
    return { kind: 'span', months: 0, minutes }
  }
  throw new RangeError(
    `${nameOf(b)} cannot be ${sign === 1 ? 'added to' : 'taken from'} ${nameOf(a)}`,
  )
}

function nameOf({ kind }: Value): string {
  return { number: 'a number', moment: 'a day', span: 'a span of time', word: 'a word' }[kind]
}

function fractionOf(value: Value): Fraction {
  if (value.kind === 'number') return value.number
  throw new RangeError(`Expected a number, got ${nameOf(value)}`)
}

function product(a: Value, b: Value, operator: string): Value {
  if (operator === '*' && a.kind === 'number' && b.kind === 'span') return product(b, a, '*')
  if (a.kind === 'span' && (b.kind === 'number' || b.kind === 'span')) return scaled(a, b, operator)
  const [x, y] = [fractionOf(a), fractionOf(b)]
  const isRounded = [a, b].some((one) => one.kind === 'number' && one.isRounded === true)
  const isPercent = operator !== 'of' && operator !== 'mod' && a.kind === 'number' && a.isPercent
  const made = { kind: 'number' as const, isRounded, isPercent: isPercent === true }
  if (operator === '/') return { ...made, number: divide(x, y) }
  if (operator !== 'mod') return { ...made, number: multiply(x, y) }
  const times = fraction(floor(divide(x, y)))
  return { ...made, number: add(x, negative(multiply(times, y))) }
}

function scaled(a: Extract<Value, { kind: 'span' }>, b: Value, operator: string): Value {
  if (b.kind === 'span') {
    if (operator !== '/' || a.months !== 0 || b.months !== 0) {
      throw new RangeError('Only spans without months can be divided by one another')
    }
    return number(divide(fraction(BigInt(a.minutes)), fraction(BigInt(b.minutes))))
  }
  const by = operator === '/' ? divide(fraction(1n), fractionOf(b)) : fractionOf(b)
  const months = small(multiply(fraction(BigInt(a.months)), by), 'months')
  return {
    kind: 'span',
    months,
    minutes: small(multiply(fraction(BigInt(a.minutes)), by), 'minutes'),
  }
}

const rootDigits = 30

function squareRoot(value: Fraction): Value {
  if (value.top < 0n) throw new RangeError('A negative number has no root here')
  const [top, bottom] = [wholeRoot(value.top), wholeRoot(value.bottom)]
  if (top * top === value.top && bottom * bottom === value.bottom)
    return number(fraction(top, bottom))
  const scale = 10n ** BigInt(rootDigits)
  const root = wholeRoot((value.top * scale * scale) / value.bottom)
  return { kind: 'number', number: fraction(root, scale), isRounded: true }
}

function wholeRoot(value: bigint): bigint {
  if (value < 2n) return value
  let root = 1n << BigInt(Math.ceil(value.toString(2).length / 2))
  for (let next = (root + value / root) / 2n; next < root; next = (root + value / root) / 2n) {
    root = next
  }
  return root
}

const dayNames = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')

function dayOf(value: Value | undefined): number {
  if (value?.kind === 'moment') return value.day
  throw new RangeError('Expected a day such as 2026-11-22')
}

/** The number of the week after ISO 8601: the one of its Thursday. */
function weekOf(day: number): number {
  const thursday = day + 4 - ((((day + 4) % 7) + 7) % 7 || 7)
  const first = numberOfDay(Number(dayText(thursday).slice(0, 4)), 1, 1)
  return Math.floor((thursday - first) / 7) + 1
}

const functions: Record<string, (args: Value[]) => Value> = {
  abs: ([a]) => number({ ...need(a), top: abs(need(a).top) }),
  floor: ([a]) => number(fraction(floor(need(a)))),
  ceil: ([a]) => number(fraction(-floor(negative(need(a))))),
  round: ([a, digits]) =>
    number(
      rounded(need(a), digits === undefined ? 0 : Math.min(1_000, small(need(digits), 'digits'))),
    ),
  sqrt: ([a]) => squareRoot(need(a)),
  min: (args) => number(args.map(need).reduce((a, b) => (isLess(b, a) ? b : a))),
  max: (args) => number(args.map(need).reduce((a, b) => (isLess(a, b) ? b : a))),
  gcd: (args) => number(fraction(args.map(whole).reduce(gcd))),
  weekday: ([day]) => ({ kind: 'word', word: dayNames[(((dayOf(day) + 4) % 7) + 7) % 7] ?? '' }),
  week: ([day]) => number(fraction(BigInt(weekOf(dayOf(day))))),
}

function need(value: Value | undefined): Fraction {
  if (value === undefined) throw new RangeError('A function needs something in its brackets')
  return fractionOf(value)
}

function whole(value: Value): bigint {
  const { top, bottom } = need(value)
  if (bottom === 1n) return top
  throw new RangeError('Expected whole numbers')
}

function isLess(a: Fraction, b: Fraction): boolean {
  return a.top * b.bottom < b.top * a.bottom
}

const wordPattern =
  /\s*(?:(\d{4}-\d\d-\d\d(?:[ T]\d\d?:\d\d)?)|(\d[\d_]*(?:\.\d+)?|\.\d+)|([a-z]+)|([-+*/^%(),×÷−]))/iy

function wordsOf(text: string): string[] {
  const found: string[] = []
  wordPattern.lastIndex = 0
  while (wordPattern.lastIndex < text.trimEnd().length) {
    const at = wordPattern.lastIndex
    const match = wordPattern.exec(text)
    if (match === null)
      throw new RangeError(`“${text.slice(at).trim().slice(0, 20)}” cannot be read`)
    const same: Record<string, string> = { '×': '*', '÷': '/', '−': '-' }
    found.push(same[match[0].trim()] ?? match[0].trim().toLowerCase())
  }
  return found
}

interface Reader {
  words: string[]
  at: number
  depth: number
  now: Date
}

function taken(reader: Reader, ...wanted: string[]): string | null {
  const word = reader.words[reader.at]
  if (word === undefined || !wanted.includes(word)) return null
  reader.at++
  return word
}

function readSum(reader: Reader): Value {
  if (++reader.depth > 100) throw new RangeError('There are too many brackets')
  let value = readProduct(reader)
  for (let sign = taken(reader, '+', '-'); sign !== null; sign = taken(reader, '+', '-')) {
    value = sum(value, readProduct(reader), sign === '+' ? 1 : -1)
  }
  reader.depth--
  return value
}

function readProduct(reader: Reader): Value {
  const operators = ['*', '/', 'mod', 'of']
  let value = readSigned(reader)
  for (let word = taken(reader, ...operators); word !== null; word = taken(reader, ...operators)) {
    value = product(value, readSigned(reader), word)
  }
  return value
}

function readSigned(reader: Reader): Value {
  let isNegative = false
  for (let sign = taken(reader, '+', '-'); sign !== null; sign = taken(reader, '+', '-')) {
    if (sign === '-') isNegative = !isNegative
  }
  const value = readPower(reader)
  return isNegative ? product(value, number(fraction(-1n)), '*') : value
}

function readPower(reader: Reader): Value {
  const base = readUnit(reader)
  if (taken(reader, '^') === null) return base
  if (++reader.depth > 100) throw new RangeError('There are too many powers')
  const exponent = readSigned(reader)
  reader.depth--
  return number(power(fractionOf(base), fractionOf(exponent)))
}

function readUnit(reader: Reader): Value {
  const value = readAlone(reader)
  if (value.kind !== 'number') return value
  if (taken(reader, '%') !== null) {
    return { ...value, number: divide(value.number, fraction(100n)), isPercent: true }
  }
  const unit = reader.words[reader.at] ?? ''
  if (!Object.hasOwn(units, unit) && !Object.hasOwn(units, unit.replace(/s$/, ''))) return value
  reader.at++
  return spanOf(value.number, unit)
}

function readAlone(reader: Reader): Value {
  const word = reader.words[reader.at++]
  if (word === undefined) throw new RangeError('Something is missing at the end')
  if (word === '(') return closed(reader, readSum(reader))
  if (/^\d{4}-/.test(word)) return readMoment(word)
  if (/^[\d.]/.test(word)) return number(readNumber(word))
  const { now } = reader
  const day = localDay(now)
  if (word === 'now') return { kind: 'moment', day, minute: now.getHours() * 60 + now.getMinutes() }
  const days: Record<string, number> = { yesterday: -1, today: 0, tomorrow: 1 }
  if (Object.hasOwn(days, word)) return { kind: 'moment', day: day + days[word]!, minute: null }
  if (!Object.hasOwn(functions, word)) throw new RangeError(`Nobody knows what ${word} is`)
  if (taken(reader, '(') === null) throw new RangeError(`${word} needs brackets`)
  const args = [readSum(reader)]
  while (taken(reader, ',') !== null) args.push(readSum(reader))
  return closed(reader, functions[word]!(args))
}

function closed(reader: Reader, value: Value): Value {
  if (taken(reader, ')') !== null) return value
  throw new RangeError('A bracket is not closed')
}

function readNumber(word: string): Fraction {
  const [before = '', after = ''] = word.replaceAll('_', '').split('.')
  return fraction(BigInt(`${before}${after}`), 10n ** BigInt(after.length))
}

function readMoment(word: string): Value {
  const [year = 0, month = 0, date = 0, hour, minute = 0] = word.split(/[-:\sT]/i).map(Number)
  const day = numberOfDay(year, month, date)
  if (hour === undefined) return { kind: 'moment', day, minute: null }
  if (hour > 23 || minute > 59) throw new RangeError(`There is no time ${word.slice(11)}`)
  return { kind: 'moment', day, minute: hour * 60 + minute }
}

const digitsShown = 20

function numberWords({ top, bottom }: Fraction, isRounded: boolean): string {
  const digits = isRounded ? rootDigits : lengthOf(bottom)
  if (digits !== null) return `${isRounded ? '≈ ' : ''}${decimals(top, bottom, digits)}`
  const near = rounded({ top, bottom }, digitsShown)
  return `${top}/${bottom} ≈ ${decimals(near.top, near.bottom, digitsShown)}`
}

/** How many decimals a fraction with this denominator has; null without end. */
function lengthOf(bottom: bigint): number | null {
  let rest = bottom
  let [twos, fives] = [0, 0]
  for (; rest % 2n === 0n; rest /= 2n) twos++
  for (; rest % 5n === 0n; rest /= 5n) fives++
  return rest === 1n ? Math.max(twos, fives) : null
}

function decimals(top: bigint, bottom: bigint, digits: number): string {
  const scaledUp = (abs(top) * 10n ** BigInt(digits)) / bottom
  const text = scaledUp.toString().padStart(digits + 1, '0')
  const whole = text.slice(0, text.length - digits)
  const rest = text.slice(text.length - digits).replace(/0+$/, '')
  return `${top < 0n ? '-' : ''}${whole}${rest === '' ? '' : `.${rest}`}`
}

function spanWords(months: number, minutes: number): string {
  const parts: string[] = []
  const say = (count: number, unit: string) => {
    if (count !== 0) parts.push(`${count} ${unit}${Math.abs(count) === 1 ? '' : 's'}`)
  }
  say(Math.trunc(months / 12), 'year')
  say(months % 12, 'month')
  say(Math.trunc(minutes / 1_440), 'day')
  say(Math.trunc((minutes % 1_440) / 60), 'hour')
  say(minutes % 60, 'minute')
  return parts.join(' ') || '0 days'
}

function momentWords(day: number, minute: number | null): string {
  const name = dayNames[(((day + 4) % 7) + 7) % 7]?.slice(0, 3)
  const two = (part: number) => String(part).padStart(2, '0')
  const time = minute === null ? '' : ` ${two(Math.floor(minute / 60))}:${two(minute % 60)}`
  return `${dayText(day)} ${name}${time}`
}

/** The value of an expression, in words. Throws a RangeError that says what is wrong with it. */
export function calculate(expression: string, now: Date): string {
  const reader: Reader = { words: wordsOf(expression), at: 0, depth: 0, now }
  const value = readSum(reader)
  const rest = reader.words.slice(reader.at)
  if (rest.length > 0) throw new RangeError(`“${rest.slice(0, 5).join(' ')}” is one word too many`)
  if (value.kind === 'moment') return momentWords(value.day, value.minute)
  if (value.kind === 'span') return spanWords(value.months, value.minutes)
  if (value.kind === 'word') return value.word
  if (value.isPercent !== true) return numberWords(value.number, value.isRounded === true)
  return `${numberWords(multiply(value.number, fraction(100n)), value.isRounded === true)}%`
}

const parameters = z.object({
  expression: z.string().min(1).max(1_000).describe('such as 19% of 80, or 2026-12-24 - today'),
})

const calculateTool: Tool = {
  name: 'calculate',
  description: 'Calculates exactly with numbers, percentages, days and spans of time.',
  parameters,
  readOnly: true,
  async run(args, { runtime }) {
    const { expression } = parameters.parse(args)
    try {
      return { status: 'success', content: calculate(expression, runtime.clock.now()) }
    } catch (error) {
      if (error instanceof RangeError) return { status: 'error', message: `${error.message}.` }
      throw error
    }
  },
}

/** The skill that calculates. */
export const calculation: Skill = defineSkill({
  name: 'calculation',
  description: 'Exact numbers, and days.',
  offeredFor: ['calculate', 'sum', 'percent', 'average', 'plus', 'minus', 'times', 'total'],
  tools: [calculateTool],
})
