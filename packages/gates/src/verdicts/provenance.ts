import { type Action, type GateContext, isFromOutside, type Verdict } from '@passepartout/core'
import {
  destinationsOf,
  type Effect,
  effectOf,
  isLocalSource,
  type NamedText,
  staysHere,
  stringsIn,
  wordsOfName,
} from '../actions/effects.ts'
import { namesDeed, sentencesOf } from '../actions/owner-request.ts'
import { carriesData, isAddress } from './address-data.ts'
import { sessionOf } from './check-foreign.ts'

function plain(text: string): string {
  const wide = /[^\0-\x7f]/.test(text) ? text.normalize('NFKC') : text
  const lower = wide.toLowerCase().trim()
  return /\s\s|[^\S ]/.test(lower) ? lower.replace(/\s+/g, ' ') : lower
}

function containsWord(words: string, value: string): boolean {
  for (let at = words.indexOf(value); at !== -1; at = words.indexOf(value, at + 1)) {
    const before = words.slice(Math.max(0, at - 2), at).match(/[\p{L}\p{N}_@]$|[\p{L}\p{N}][.-]$/u)
    const after = words
      .slice(at + value.length, at + value.length + 2)
      .match(/^[\p{L}\p{N}_@]|^[.-][\p{L}\p{N}]/u)
    if (before === null && after === null) return true
  }
  return false
}

const numberLengthMin = 7

function hostOf(text: string): string | null {
  const match =
    /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^/?#\s@]*@)?((?:[\w-]+\.)+[\w-]+|localhost)(?::\d+)?(?:[/?#]|$)/i.exec(
      text,
    )
  return match === null ? null : match[1]!.toLowerCase().replace(/^www\./, '')
}

function forms(value: string): string[] {
  const text = plain(value).replace(/^(?:mailto|tel|sms):/, '')
  const found = [text, text.replace(/^[@#]/, '')]
  if (text.includes('@') && !text.includes('://')) return found
  const host = hostOf(text)
  if (host !== null && /:\/\/|\/|^www\./.test(text)) found.push(host)
  return found
}

/** Whether the owner has named this destination. `words` are the owner's, in any order. */
export function isFromOwner(value: string, words: readonly string[]): boolean {
  return isSaid(value, plain(words.join('\n')))
}

function isSaid(value: string, said: string): boolean {
  if (forms(value).some((form) => form !== '' && containsWord(said, form))) return true
  const number = value.replace(/[^A-Za-z0-9]/g, '').toLowerCase()
  const isNumber = /^\+?[\d\s()./-]+$/.test(value) || /^[a-z]{2}\d{2}[a-z0-9]{10,30}$/.test(number)
  if (!isNumber || number.length < numberLengthMin) return false
  return said
    .split(/[^a-z0-9\s()./+-]/)
    .some((part) => part.replace(/[^a-z0-9]/g, '').includes(number))
}

function ownerWords({ signal, ownerWords }: GateContext): readonly string[] {
  const { text } = signal.payload
  return signal.meta.origin === 'owner' && text !== undefined ? [...ownerWords, text] : ownerWords
}

/** Places that the owner has named, in this conversation or when they configured the tool. */
function namedPlaces({ payload }: Action, context: GateContext): string {
  const { foreign } = context.tools.get(payload.tool ?? '') ?? {}
  return plain([...ownerWords(context), ...(foreign?.configured ?? [])].join('\n'))
}

function isOwnersOwn(context: GateContext): boolean {
  return context.signal.meta.origin === 'owner' && ownerWords(context).length === 0
}

function strangers(action: Action, context: GateContext, effect: Effect): NamedText[] {
  const named = destinationsOf(action, context)
  const said = namedPlaces(action, context)
  const unknown = (one: NamedText) => !isSaid(one.text, said)
  if (effect === 'read' || effect === 'network') {
    const isOwners = context.signal.meta.origin === 'owner'
    const addresses = named.filter(isAddress).filter(unknown)
    return isOwners ? addresses.filter(({ text }) => carriesData(text, said)) : addresses
  }
  if (named.length > 0) return named.filter(unknown)
  const all = stringsIn(action.payload.args).filter(({ text }) => text.trim() !== '')
  const isGrave = effect === 'payment' || effect === 'deletion' || effect === 'share'
  if (!(isGrave || makesPublic(action)) || all.some((one) => !unknown(one))) return []
  const tool = action.payload.tool ?? ''
  const isForeign = context.tools.get(tool)?.foreign !== undefined
  if (!isForeign && (!isGrave || all.length === 0) && saysWhat(tool, said)) return []
  return all.length === 0 ? [{ field: 'tool', text: tool }] : all.slice(0, 3)
}

const publicWords = new Set('tweet toot publish gist public broadcast announce share'.split(' '))

function makesPublic({ payload }: Action): boolean {
  if (wordsOfName(payload.tool ?? '').some((word) => publicWords.has(word))) return true
  const { public: isPublic, anyone, visibility } = payload.args ?? {}
  return isPublic === true || anyone === true || visibility === 'public'
}

const wordLengthMin = 4

function saysWhat(tool: string, said: string): boolean {
  return wordsOfName(tool)
    .map((word) => word.replace(/s$/, ''))
    .some((word) => word.length >= wordLengthMin && said.includes(word))
}

const sendingWords = new Set('post put patch submit upload'.split(' '))
const carried = /^(body|data|payload|json|form|fields|content|files?)$/i

function sendsSomething({ payload }: Action): boolean {
  const args = Object.entries(payload.args ?? {})
  const isReading = (value: unknown) => /^(get|head|options)?$/i.test(String(value))
  if (args.some(([name, value]) => /^(http_?)?method$/i.test(name) && !isReading(value)))
    return true
  if (args.some(([name, value]) => carried.test(name) && value !== '' && value !== null))
    return true
  return wordsOfName(payload.tool ?? '').some((word) => sendingWords.has(word))
}

/** Asks about a destination that is not in the owner's words. Reading passes. */
export function checkProvenance(action: Action, context: GateContext): Verdict {
  const { payload, target } = action
  if (payload.tool === undefined) return checkMessage(target, payload.action, context)
  const tool = context.tools.get(payload.tool)
  const effect = openedEffect(effectOf(payload.tool, tool), action, context)
  if ((staysHere(tool) && effect !== 'deletion') || isOwnersOwn(context)) return { kind: 'pass' }
  const unknown = strangers(action, context, effect)
  if (unknown.length > 0) return askAbout(payload.tool, effect, unknown)
  const trust = trustIn(context)
  if (effect === 'read' || effect === 'network' || trust === 'owner') return { kind: 'pass' }
  const isOwnWrite = effect === 'write' && tool !== undefined && tool.foreign === undefined
  if (trust === 'others' && !isOwnWrite && !isAskedFor(action, context)) {
    const reason = `${payload.tool} cannot be taken back, somebody else’s text was read in this session, and you have not said in one sentence that this is to be done`
    return { kind: 'approval', reason, rule: 'provenance.lasting' }
  }
  if (destinationsOf(action, context).length > 0) return { kind: 'pass' }
  if (isOwnWrite && sessionOf(context) !== null) return { kind: 'pass' }
  const reason = `${payload.tool} does something, and it was not you who spoke last`
  return { kind: 'approval', reason, rule: 'provenance.origin' }
}

/** Who has spoken: the owner alone, a tool that may quote anybody, or others for certain. */
function trustIn(context: GateContext): 'owner' | 'tools' | 'others' {
  const { origin } = context.signal.meta
  const session = sessionOf(context)
  if (session === null) return origin === 'owner' ? 'owner' : 'tools'
  if (session.foreign.length > 0 || isFromOutside({ origin })) return 'others'
  if (origin === 'owner') return 'owner'
  const isOwners = origin === 'tool' && session.heard.length > 0 && !session.isUnproven
  return isOwners ? 'owner' : 'tools'
}

/** Whether the owner has named this deed and all of its destinations in one sentence. */
function isAskedFor(action: Action, context: GateContext): boolean {
  const { tool = '' } = action.payload
  const named = destinationsOf(action, context)
  return ownerWords(context)
    .flatMap(sentencesOf)
    .some(
      (sentence) =>
        namesDeed(sentence, tool) && named.every(({ text }) => isSaid(text, plain(sentence))),
    )
}

function openedEffect(effect: Effect, action: Action, context: GateContext): Effect {
  if (effect !== 'network') return effect
  if (sendsSomething(action)) return 'message'
  return destinationsOf(action, context).some(isAddress) ? 'network' : 'unknown'
}

function checkMessage(target: string | undefined, kind: string, context: GateContext): Verdict {
  const { origin, source } = context.signal.meta
  const to = target ?? source
  if (kind !== 'message' || isLocalSource(to) || to === 'tool' || to === 'shell')
    return { kind: 'pass' }
  const isHeard = origin !== 'message' || isPairedWith(context)
  const isAnswer = to === source && origin !== 'web' && isHeard
  if (isAnswer || origin === 'owner' || isFromOwner(to, ownerWords(context)))
    return { kind: 'pass' }
  return {
    kind: 'approval',
    reason: `a message would go out over ${to}, which you have not asked for`,
    rule: 'provenance.message',
  }
}

function isPairedWith({ facts }: GateContext): boolean {
  const { gateways } = facts as { gateways?: { isPaired: boolean } }
  return gateways?.isPaired === true
}

function askAbout(tool: string, effect: Effect, unknown: readonly NamedText[]): Verdict {
  const shown = unknown.slice(0, 5).map(({ field, text }) => `${visible(field)}: ${visible(text)}`)
  const reason = `${tool} would go to a place that you have not named (${shown.join(', ')})`
  return { kind: 'approval', reason, rule: `provenance.${effect}` }
}

function visible(text: string): string {
  const cut = text.length > 120 ? `${text.slice(0, 120)}…` : text
  return cut.replace(
    /[\p{C}\p{Zl}\p{Zp}]/gu,
    (char) => `<U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}>`,
  )
}

/** The check, for the dispatcher's list. */
export const provenance: {
  name: string
  check(action: Action, context: GateContext): Verdict
} = { name: 'provenance', check: checkProvenance }
