import type { FailureKind } from '@passepartout/core'

/** What went wrong; `message` finishes a sentence and may still contain a key. */
export interface Fault {
  kind: FailureKind
  message: string
  /** The HTTP status, where there was one. */
  status?: number
  /** How long the server asked to be left alone. */
  retryAfterMs?: number
}

const overflowWords = [
  /context[\s_-]?(?:length|window|size)/i,
  /(?:prompt|input|request|conversation|messages?) (?:is|are|was) too (?:long|large)/i,
  /(?:prompt|input|request) too (?:long|large)|request_too_large/i,
  /maximum (?:prompt|context|input)[\s\w]{0,20} length/i,
  /input token count|prompt token count|too many (?:input |prompt )?tokens/i,
  /exceeds? (?:the |model )?(?:maximum |available |token |context )/i,
  /reduce the length|too large for model/i,
]

function isOverflow(words: string): boolean {
  return overflowWords.some((pattern) => pattern.test(words))
}

function kindOf(status: number, words: string): FailureKind {
  if (status === 401 || status === 403) return 'auth'
  if (status === 413 || isOverflow(words)) return 'overflow'
  if (status === 429) return 'rate-limit'
  if (status === 408 || status === 504) return 'timeout'
  return status >= 500 ? 'server' : 'refused'
}

const sentences: Record<FailureKind, string> = {
  auth: 'it does not accept the key',
  'rate-limit': 'it has been asked too often',
  overflow: 'the conversation is too long for it',
  'too-long': 'its answer does not end',
  empty: 'it answered nothing',
  timeout: 'it did not answer in time',
  server: 'it is in trouble',
  refused: 'it refused the request',
  network: 'it could not be reached',
  protocol: 'it does not speak its protocol',
  aborted: 'it was stopped',
}

/** The fault of an answer whose status is no success. `now` is in milliseconds. */
export function statusFault(status: number, headers: Headers, body: string, now: number): Fault {
  const words = wordsOf(body)
  const kind = kindOf(status, `${words} ${codeIn(body)}`)
  const wait = retryAfterMs(headers, body, now)
  return {
    kind,
    status,
    message: `${sentences[kind]} (${status}${words === '' ? '' : `: ${words}`})`,
    ...(wait === null ? {} : { retryAfterMs: wait }),
  }
}

function wordsOf(body: string): string {
  try {
    const parsed: unknown = JSON.parse(body)
    return messageIn(Array.isArray(parsed) ? parsed[0] : parsed) ?? ''
  } catch {
    return /^\s*</.test(body) ? '' : oneLine(body)
  }
}

/** The vendor's own name for the error, where it has one. */
function codeIn(body: string): string {
  return [...body.slice(0, 4_000).matchAll(/"(?:code|type)"\s*:\s*"(\w{1,60})"/g)]
    .map(([, code]) => code)
    .join(' ')
}

function messageIn(value: unknown): string | null {
  if (typeof value === 'string') return oneLine(value)
  if (typeof value !== 'object' || value === null) return null
  const { error, message } = value as Record<string, unknown>
  return messageIn(error) ?? messageIn(message)
}

/** A text as one short line without control or direction characters. */
export function oneLine(text: string): string {
  const line = text
    .slice(0, 2_000)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
  return line.length > 300 ? `${line.slice(0, 299)}…` : line
}

/** What the server asked to wait, in milliseconds from `now`, or null when it did not say. */
export function retryAfterMs(headers: Headers, body: string, now: number): number | null {
  const exact = headers.get('retry-after-ms')
  const after = headers.get('retry-after')
  const hidden = /"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/.exec(body)?.[1]
  let wait = Number.NaN
  if (exact !== null && /^\d+(\.\d+)?$/.test(exact)) wait = Number(exact)
  else if (after !== null && /^\d+(\.\d+)?$/.test(after)) wait = Number(after) * 1_000
  else if (after !== null) wait = Date.parse(after) - now
  else if (hidden !== undefined) wait = Number(hidden) * 1_000
  return Number.isNaN(wait) ? null : Math.round(Math.min(Math.max(wait, 0), 86_400_000))
}

const networkSentences: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'its address is not known',
  EAI_AGAIN: 'its address could not be looked up',
  ECONNRESET: 'the connection was cut',
  UND_ERR_SOCKET: 'the connection was cut',
  EHOSTUNREACH: 'there is no way to it',
  ENETUNREACH: 'there is no network',
}

/** The fault of a request or a body that ended in an exception. */
export function networkFault(error: unknown): Fault {
  let code = ''
  let cause = error
  for (let link = 0; link < 5 && cause instanceof Error && code === ''; link++) {
    const own = (cause as { code?: unknown }).code
    if (typeof own === 'string') code = own
    cause = cause.cause
  }
  if (/TIMEDOUT|TIMEOUT/.test(code)) return { kind: 'timeout', message: sentences.timeout }
  if (code.startsWith('HPE_'))
    return { kind: 'protocol', message: `${sentences.protocol} (${code})` }
  if (/CERT|SELF_SIGNED|ALTNAME/.test(code)) {
    return { kind: 'network', message: `its certificate is not trusted (${oneLine(code)})` }
  }
  const known = networkSentences[code] ?? sentences.network
  return { kind: 'network', message: code === '' ? known : `${known} (${oneLine(code)})` }
}

const wordStatuses: [RegExp, number][] = [
  [/context.?(?:length|size|window)|too.?(?:large|long)/i, 413],
  [/rate.?limit|too.?many|exhausted/i, 429],
  [/overloaded|unavailable|server|internal/i, 503],
  [/auth|permission|api.?key/i, 401],
]

/** The fault of an error that came as a part of the stream, or was thrown while it was read. */
export function streamFault(error: unknown): Fault {
  const named = error instanceof Error ? error.name : ''
  if (/^AI_(JSONParse|TypeValidation|InvalidResponseData|EmptyResponseBody)/.test(named)) {
    return { kind: 'protocol', message: sentences.protocol }
  }
  if (typeof error !== 'object' || error === null) {
    return { kind: 'server', message: `${sentences.server}: ${oneLine(String(error))}` }
  }
  const { statusCode, status, code, type } = error as Record<string, unknown>
  const words = messageIn(error) ?? ''
  const given = [statusCode, status, code].find((value) => Number.isInteger(value))
  const hint = [type, code, status, words].filter((part) => typeof part === 'string').join(' ')
  const meant = wordStatuses.find(([pattern]) => pattern.test(hint))?.[1] ?? 500
  const number = typeof given === 'number' && given >= 400 && given < 600 ? given : meant
  const kind = kindOf(number, words)
  return { kind, status: number, message: `${sentences[kind]}: ${words}` }
}

/** Takes the secrets out of texts. */
export interface Redactor {
  (text: string): string
  /** For a text that comes in pieces; what could be the beginning of a secret is held back. */
  pieces(): { push(piece: string): string; end(): string }
}

function shapesOf(secret: string): string[] {
  const base64 = Buffer.from(secret).toString('base64').replace(/=+$/, '')
  const quoted = JSON.stringify(secret).slice(1, -1)
  return [secret, encodeURIComponent(secret), quoted, base64]
}

/** A redactor for these secrets; those of fewer than six characters are ignored. */
export function createRedactor(secrets: readonly string[]): Redactor {
  const known = secrets.filter((secret) => secret.length >= 6).flatMap(shapesOf)
  const shapes = [...new Set(known)].sort((a, b) => b.length - a.length)
  const redact = (text: string) => shapes.reduce((rest, shape) => rest.replaceAll(shape, '…'), text)
  const begun = (text: string) => {
    const longest = Math.min((shapes[0]?.length ?? 1) - 1, text.length)
    for (let length = longest; length > 0; length--) {
      const end = text.slice(-length)
      if (shapes.some((shape) => shape.length > length && shape.startsWith(end))) return length
    }
    return 0
  }
  const pieces = () => {
    let held = ''
    const push = (piece: string) => {
      const text = redact(held + piece)
      const keep = begun(text)
      held = text.slice(text.length - keep)
      return text.slice(0, text.length - keep)
    }
    return { push, end: () => held }
  }
  return Object.assign(redact, { pieces })
}
