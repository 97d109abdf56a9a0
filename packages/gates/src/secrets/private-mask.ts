import { type ObjectStore, sightOf } from '@passepartout/core'
import { decodedRuns } from './decodings.ts'
import { type PrivacyFacts, privacyFacts } from './privacy.ts'

const mark = '… (from a private note)'
const wrappedRun = /(?:[A-Za-z0-9+/]{20,}\r?\n)+[A-Za-z0-9+/]*={0,2}/g

/** A function that takes out of a text what private notes say. */
export function materialMask(store: ObjectStore): (text: string) => string {
  return (text) => {
    const facts = privacyFacts(store)
    const sight = sightOf(store)
    const plain = sight.text(text, '')
    if (facts.isEmpty) return plain
    const holds = (inside: string) => sight.text(inside, '') !== inside || isHolding(inside, facts)
    return withoutLines(withoutEncoded(plain, holds), facts)
  }
}

function isHolding(text: string, facts: PrivacyFacts): boolean {
  return text.split('\n').some((line) => isPrivateLine(line, facts)) || facts.quotes(text)
}

function withoutEncoded(text: string, holds: (inside: string) => boolean): string {
  const whole = text.replace(wrappedRun, (run) => {
    const bytes = Buffer.from(run.replace(/\s/g, ''), 'base64')
    return holds(bytes.toString('utf8')) ? mark : run
  })
  return decodedRuns(whole)
    .sort((a, b) => b.begin - a.begin)
    .reduce(
      (rest, { begin, end, inside }) =>
        holds(inside) ? rest.slice(0, begin) + mark + rest.slice(end) : rest,
      whole,
    )
}

function withoutLines(text: string, facts: PrivacyFacts): string {
  const lines = text.split('\n')
  const kept = lines.map((line) => (isPrivateLine(line, facts) || facts.quotes(line) ? mark : line))
  for (let size = 2; size <= windowMax && facts.quotes(kept.join('\n')); size++) {
    for (let at = 0; at + size <= kept.length; at++) {
      if (facts.quotes(kept.slice(at, at + size).join('\n'))) kept.fill(mark, at, at + size)
    }
  }
  const rest = kept.join('\n')
  return facts.quotes(rest) ? mark : rest
}

const windowMax = 8
const printedPlace = /^(?:[-+]|[^\s:]+[:-])/
const placePartsMax = 4

function isPrivateLine(line: string, facts: PrivacyFacts): boolean {
  if (line.includes('|') && line.split('|').some((cell) => facts.isLine(cell))) return true
  let rest = line
  for (let part = 0; part < placePartsMax; part++) {
    if (facts.isLine(rest)) return true
    const next = rest.replace(printedPlace, '')
    if (next === rest) return false
    rest = next
  }
  return facts.isLine(rest)
}

/** A text without these names. */
export function withoutNames(text: string, names: readonly string[]): string {
  if (names.length === 0) return text
  const longest = [...names].sort((a, b) => b.length - a.length).map((name) => RegExp.escape(name))
  const pattern = new RegExp(longest.join('|'), 'giu')
  const plain = text.replace(pattern, '[private]')
  return withoutEncoded(plain, (inside) => inside.replace(pattern, '') !== inside)
}
