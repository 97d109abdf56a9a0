import { randomInt } from 'node:crypto'
import {
  type Action,
  type ConfigSection,
  defineSection,
  defineSkill,
  type GateContext,
  type MemoryObject,
  type ObjectStore,
  privateTagsDefault,
  type Skill,
  type Verdict,
} from '@passepartout/core'
import { z } from 'zod'
import { isLocalSource, leavesMachine, textsOf, wholeTextOf } from '../actions/effects.ts'
import { decodedRuns, unescaped } from './decodings.ts'

/** The section that names private tags; several headlines add up. */
export const privateTagsSection: ConfigSection<string[]> = defineSection({
  marker: 'PRIVATE_TAGS',
  properties: z.object({ PRIVATE_TAGS: z.string() }),
  read: (values) => values.PRIVATE_TAGS.toLowerCase().match(/[\p{L}\p{M}\p{N}_@#%]+/gu) ?? [],
})

/** All private tags, in small letters. */
export function privateTags(named: readonly string[][]): string[] {
  return [...new Set([...privateTagsDefault, ...named.flat()])]
}

const runLength = 7
const sentenceMin = 4
const seed = randomInt(1, 1 << 30) | 1

function wordHashes(text: string): number[] {
  return /[^\0-\x7f]/.test(text) ? wordsOf(text).map(hashWord) : plainHashes(text)
}

function wordsOf(text: string): string[] {
  const plain = text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/['’\u00AD\u200B-\u200D\u2060\uFEFF]/g, '')
  return (
    plain.match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]|[\p{L}\p{N}\p{M}]+/gu) ?? []
  )
}

function hashWord(word: string): number {
  let hash = seed
  for (let index = 0; index < word.length; index++) {
    hash = Math.imul(hash ^ word.charCodeAt(index), 16_777_619)
  }
  return hash
}

function plainHashes(text: string): number[] {
  const hashes: number[] = []
  let hash = seed
  for (let index = 0; index <= text.length; index++) {
    const code = index < text.length ? text.charCodeAt(index) : 32
    const letter = code >= 65 && code <= 90 ? code + 32 : code
    const isWord = (letter >= 97 && letter <= 122) || (letter >= 48 && letter <= 57)
    if (isWord) hash = Math.imul(hash ^ letter, 16_777_619)
    else if (code !== 39 && hash !== seed) {
      hashes.push(hash)
      hash = seed
    }
  }
  return hashes
}

interface Run {
  first: number
  second: number
}

function extended({ first, second }: Run, word: number): Run {
  return {
    first: (Math.imul(first, 0x5bd1e995) + word) | 0,
    second: Math.imul(second ^ word, 0x1b873593) ^ (second >>> 13),
  }
}

const nothing: Run = { first: 1, second: seed }

function runKey({ first, second }: Run, length: number): number {
  return (first >>> 0) * 2 ** 20 + (((second >>> 12) ^ length) & 0xfffff)
}

function runHash(words: readonly number[], begin: number, length: number): number {
  const run = words.slice(begin, begin + length).reduce(extended, nothing)
  return runKey(run, length)
}

function runsOf(object: MemoryObject): number[] {
  const text = object.content.replace(/^\s*:[\w-]+:.*$|^\s*#\+.*$/gm, '\n')
  const words = wordHashes(text)
  const runs: number[] = []
  for (let begin = 0; begin + runLength <= words.length; begin++) {
    runs.push(runHash(words, begin, runLength))
  }
  for (const sentence of [object.title, ...text.split(/[.!?;:。！？]|\n\s*\n|\n\s*[-+*] /)]) {
    const short = wordHashes(sentence)
    if (short.length >= sentenceMin && short.length < runLength) {
      runs.push(runHash(short, 0, short.length))
    }
  }
  return runs
}

const lineLettersMin = 4
const titleLettersMin = 2
const titleLineMax = 500
const frameLine = /^\s*(?::[\w-]+:\s*$|#\+(?:begin|end)_|[|+-]+\s*$)/i

function linesOf({ content, head, title }: MemoryObject): number[] {
  return [title, head, ...content.split('\n')].flatMap((line) => lineHash(line) ?? [])
}

function lineHash(line: string, lettersMin: number = lineLettersMin): number | null {
  if (frameLine.test(line)) return null
  const letters = line.match(/[\p{L}\p{N}]/gu)?.length ?? 0
  const words = letters < lettersMin ? [] : wordHashes(line)
  return words.length === 0 ? null : runHash(words, 0, words.length)
}

/** A line of an export, a list or a page without what is put around a title there. */
function titleIn(line: string): string {
  return line
    .replace(/<[^<>]*>/g, ' ')
    .replace(/^(?:[\s#*>+|-]|\\\w+\*?\{|SUMMARY:|\d+(?:\.\d+)*[.:)]?\s|\[[ xX-]\]\s)+/, '')
    .replace(/(?:\s+:[\p{L}\p{N}_@#%:]+:)?[\s}|]*$/u, '')
}

/** What the check knows of the private notes; no word of them. */
export interface PrivacyFacts {
  /** There is no private note. */
  isEmpty: boolean
  /** Whether the text quotes a private note. */
  quotes: (text: string) => boolean
  /** Whether the line is one of theirs, as a whole. */
  isLine(line: string): boolean
  /** Whether the text is the ID of one. */
  isPrivateId(text: string): boolean
}

interface Known {
  root: string
  facts: PrivacyFacts
  prints: Map<string, Prints>
}

/** The fingerprints of one note. */
interface Prints {
  runs: readonly number[]
  lines: readonly number[]
  title: number | null
}

const knownOf = new WeakMap<ObjectStore, Known>()

/** The facts about the private notes of a store. */
export function privacyFacts(store: ObjectStore): PrivacyFacts {
  const root = store.root()
  const before = knownOf.get(store)
  if (before?.root === root) return before.facts
  const prints = new Map<string, Prints>()
  const ids = new Set<string>()
  for (const object of store.objects()) {
    if (!object.private) continue
    ids.add(object.id)
    const key = `${object.head}\n${object.title}\n${object.content}`
    const known = before?.prints.get(key)
    prints.set(key, known ?? printsOf(object))
  }
  const facts = factsFrom([...prints.values()], ids)
  knownOf.set(store, { root, facts, prints })
  return facts
}

function printsOf(object: MemoryObject): Prints {
  const title = object.type === 'file' ? null : lineHash(object.title, titleLettersMin)
  return { runs: runsOf(object), lines: linesOf(object), title }
}

function factsFrom(prints: readonly Prints[], ids: ReadonlySet<string>): PrivacyFacts {
  const runs = new Set(prints.flatMap((print) => print.runs))
  const lines = new Set(prints.flatMap((print) => print.lines))
  const titles = new Set(prints.flatMap(({ title }) => title ?? []))
  const isTitle = (line: string) => {
    if (titles.size === 0 || line.length > titleLineMax) return false
    const bare = titleIn(line)
    const forms = [bare, bare.replace(/^(?:\p{Lu}{2,}\s+)?(?:\[#.\]\s+)?/u, '')]
    return forms.some((form) => titles.has(lineHash(form, titleLettersMin) ?? Number.NaN))
  }
  const bits = new Uint8Array(1 << 20)
  for (const run of runs) bits[Math.floor(run / 2 ** 32)] = 1
  return Object.freeze({
    isEmpty: ids.size === 0,
    isLine: (line: string) => lines.has(lineHash(line) ?? Number.NaN) || isTitle(line),
    isPrivateId: (text: string) => ids.has(text.replace(/^(?:id:|\[\[id:)|\]\]$/g, '')),
    quotes: (text: string) => runs.size > 0 && holdsRun(wordHashes(text), runs, bits),
  })
}

function holdsRun(words: number[], runs: ReadonlySet<number>, bits: Uint8Array): boolean {
  for (let begin = 0; begin + sentenceMin <= words.length; begin++) {
    let run = nothing
    const end = Math.min(begin + runLength, words.length)
    for (let at = begin; at < end; at++) {
      run = extended(run, words[at]!)
      const length = at - begin + 1
      if (length < sentenceMin || bits[run.first >>> 12] === 0) continue
      if (runs.has(runKey(run, length))) return true
    }
  }
  return false
}

const markPattern =
  /^\*+ .*:(?:private|crypt):(?:[\w@#%]+:)*[ \t]*$|^#\+filetags:.*[: ](?:private|crypt)(?:[: ]|$)|^[ \t]*:private:[ \t]+(?!nil\b|no\b)\S|^#\+property:[ \t]+private\b/im

function isMarked(action: Action): boolean {
  const { args = {}, text = '', cmd = '', explanation = '' } = action.payload
  if (!/private|crypt/i.test(wholeTextOf(action))) return false
  if ([text, cmd, explanation].some((one) => markPattern.test(one))) return true
  return Object.entries(args).some(([key, value]) => {
    const values = Array.isArray(value) ? value : [value]
    return values.some(
      (one) =>
        typeof one === 'string' &&
        (markPattern.test(one) || (key === 'tags' && /^:?(?:private|crypt):?$/i.test(one))),
    )
  })
}

/** Rejects private notes in what leaves the machine. */
export function checkPrivacy(action: Action, context: GateContext): Verdict {
  const leaves = leavesMachine(action, context)
  const texts = leaves ? textsOf(action) : textsAskedAbroad(action, context)
  if (texts.length === 0) return { kind: 'pass' }
  const isTagged = leaves ? isMarked(action) : texts.some((text) => markPattern.test(text))
  if (isTagged) return refused('it is tagged as private', 'privacy.tag')
  const facts = context.facts.privacy as PrivacyFacts | undefined
  if (facts === undefined || facts.isEmpty) return { kind: 'pass' }
  if (texts.some((text) => facts.isPrivateId(text))) {
    return refused('it names a private note', 'privacy.id')
  }
  const text = texts.join(' ')
  const inside = decodedRuns(text).map((run) => run.inside)
  const views = new Set([text, texts.join(''), unescaped(text), ...inside])
  if ([...views].some((view) => facts.quotes(view))) {
    return refused('it quotes a private note', 'privacy.text')
  }
  return { kind: 'pass' }
}

function textsAskedAbroad(action: Action, context: GateContext): readonly string[] {
  const { explanation } = action.payload
  const isAskedHere = isLocalSource(context.signal.meta.source)
  return explanation === undefined || isAskedHere ? [] : [explanation]
}

function refused(why: string, rule: string): Verdict {
  return {
    kind: 'reject',
    reason: `This would leave the machine, and ${why}. Say it without that.`,
    rule,
  }
}

/** The check, for the dispatcher's list. */
export const privacy: {
  name: string
  check(action: Action, context: GateContext): Verdict
} = { name: 'privacy', check: checkPrivacy }

/** The skill that tells the check about the owner's private notes. */
export const privacySkill: Skill = defineSkill({
  name: 'privacy',
  description: 'Knows by fingerprints what stands in private notes, so that it does not leave.',
  facts: (runtime) => privacyFacts(runtime.store),
})
