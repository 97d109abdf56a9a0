import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { inertCode } from 'org-ast/edit'
import { inOneLine, type VerifyResult } from '../approval/verify.ts'
import { printable } from '../base/printing.ts'
import type { Action, Signal } from '../contract/signal.ts'

/** What each gate said, as the trace holds it. */
export interface TraceVerdict {
  gate: string
  verdict: string
  rule: string
  /** Microseconds; 0 when it was not measured. */
  micros: number
  reason: string
}

/** One thing that happened to a signal. Field names are lower case with dashes. */
export interface TraceRecord {
  kind: string
  fields?: Readonly<Record<string, string | number | undefined>>
  text?: string | undefined
  verdicts?: readonly TraceVerdict[]
}

/** An entry's own fields, and a record in it; what a listener is told. */
export interface TraceEvent {
  id: string
  /** The entry that this one follows from. */
  cause?: string | undefined
  /** When it happened, in milliseconds since 1970. */
  time: number
  signal: Signal
  record: TraceRecord
}

/** A reference to what the model was shown: its digest and its size, and none of its words. */
export function promptRecord(system: string, prompt: string): TraceRecord {
  const digest = textDigest(`${system}\0${prompt}`)
  return { kind: 'prompt', fields: { digest, size: system.length + prompt.length } }
}

/** SHA-256 of a text, in hex. */
export function textDigest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** What the gates said of an action in a stage, which took so long. */
export function verdictRecord(
  stage: 'reason' | 'act',
  action: Action,
  result: VerifyResult,
  ms: number,
): TraceRecord {
  const verdicts = result.records.map(({ gate, verdict, micros }) => ({
    gate,
    verdict: verdict.kind,
    rule: verdict.rule ?? '',
    micros,
    reason: 'reason' in verdict ? verdict.reason : '',
  }))
  const fields = { stage, result: result.kind, target: action.target, ms: ms.toFixed(2) }
  return { kind: 'verdict', fields, text: JSON.stringify(action), verdicts }
}

/** A record as Org, a headline of level two. */
export function formatRecord(record: TraceRecord): string {
  const { kind, fields = {}, text, verdicts = [] } = record
  const lines = [`** ${plainName(kind)}`, ...drawer(fields)]
  if (text !== undefined) lines.push(...block(text))
  if (verdicts.length > 0) lines.push(...table(verdicts))
  return `${lines.join('\n')}\n`
}

function drawer(fields: TraceRecord['fields'] & object): string[] {
  const lines = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined || value === ''
      ? []
      : [`:${plainName(name).toUpperCase()}: ${oneLine(value)}`],
  )
  return lines.length === 0 ? [] : [':PROPERTIES:', ...lines, ':END:']
}

function plainName(name: string): string {
  return name.replace(/[^A-Za-z0-9-]+/g, '-')
}

function oneLine(value: string | number): string {
  return printable(inOneLine(String(value))).slice(0, 1_000)
}

function block(text: string): string[] {
  const body = inertCode(text)
  return ['#+begin_example', body, '#+end_example']
}

function table(verdicts: readonly TraceVerdict[]): string[] {
  const rows = verdicts.map(({ gate, verdict, rule, micros, reason }) =>
    [gate, verdict, rule, String(micros), reason].map(cell).join(' | '),
  )
  return ['| gate | verdict | rule | µs | reason |', '|-', ...rows.map((row) => `| ${row} |`)]
}

function cell(text: string): string {
  return printable(inOneLine(text)).replaceAll('|', '\\vert{}')
}

/** The journal of what was thought. */
export interface Trace {
  /** Opens the entry of a signal, which followed from another; returns its id. */
  begin(signal: Signal, cause?: string): string
  /** Adds to the open entry; without one the record is dropped. */
  record(record: TraceRecord): void
  /** Closes the entry, which then counts as complete. */
  end(): void
  /** Puts the open entry away, if there is one; returns what opens it again. */
  suspend(): () => void
  /** Resolves when all of it is on the disk. Rejects when it could not be written. */
  flush(): Promise<void>
  /** Tells of every record as it is made, unmasked; returns how to stop. What the listener throws is dropped. */
  listen(listener: (event: TraceEvent) => void): () => void
}

/** What of a text may be written down. */
type Mask = (text: string) => string | Promise<string>

/** Where and how to write. */
export interface TraceOptions {
  /** The folder, made when it is needed. */
  dir: string
  clock: { now(): Date }
  /** All of it by default. */
  mask?: Mask
}

/** A trace that is written nowhere. */
export function forgetfulTrace(clock: { now(): Date }): Trace {
  return traceInto(clock, { add: () => {}, flush: async () => {} })
}

/** A trace in files of this folder, one for each day. */
export function openTrace(options: TraceOptions): Trace {
  return traceInto(options.clock, new Journal(options.dir, options.mask ?? ((text) => text)))
}

interface Sink {
  add(day: string, record: TraceRecord, heading?: string): void
  flush(): Promise<void>
}

interface Current {
  id: string
  cause: string | undefined
  day: string
  signal: Signal
  begun: number
}

function traceInto(clock: { now(): Date }, sink: Sink): Trace {
  const listeners = new Set<(event: TraceEvent) => void>()
  let count = 0
  let current: Current | null = null
  let heading: string | null = null
  const record = (given: TraceRecord) => {
    if (current === null) return
    const { day, id, cause, signal } = current
    if (heading !== id) {
      const fields = { id, continues: 't' }
      sink.add(day, { kind: '', fields }, headingOf(signal, clock.now()))
      heading = id
    }
    sink.add(day, given)
    tellAll(listeners, { id, cause, time: clock.now().getTime(), signal, record: given })
  }
  return {
    begin(signal, cause) {
      const now = clock.now()
      const day = localDay(now)
      const id = `${day.replaceAll('-', '')}T${timeOf(now).replace(/\D/g, '')}-${++count}`
      current = { id, cause, day, signal, begun: now.getTime() }
      heading = id
      sink.add(day, entryFields(signal, id, cause, now), headingOf(signal, now))
      record(inputRecord(signal))
      return id
    },
    record,
    end() {
      if (current === null) return
      record({ kind: 'done', fields: { ms: clock.now().getTime() - current.begun } })
      current = null
    },
    suspend() {
      const away = current
      current = null
      return () => {
        current = away
      }
    },
    flush: () => sink.flush(),
    listen(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

function tellAll(listeners: Iterable<(event: TraceEvent) => void>, event: TraceEvent): void {
  for (const listener of listeners) {
    try {
      listener(event)
    } catch {
      // A listener is a convenience; the journal must not fail because of it.
    }
  }
}

function localDay(date: Date): string {
  const two = (part: number) => String(part).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

function timeOf(date: Date): string {
  return `${date.toTimeString().slice(0, 8)}.${String(date.getMilliseconds()).padStart(3, '0')}`
}

function headingOf(signal: Signal, now: Date): string {
  const { source } = signal.meta
  return `* ${timeOf(now).slice(0, 8)} ${plainName(signal.payload.sensor ?? signal.type)} from ${plainName(source)}`
}

function entryFields(
  signal: Signal,
  id: string,
  cause: string | undefined,
  now: Date,
): TraceRecord {
  const { source, sessionId, origin, turn } = signal.meta
  const { depth, payload } = signal
  const sensor = payload.sensor ?? ''
  const time = now.toISOString()
  return {
    kind: '',
    fields: { id, time, sensor, source, session: sessionId, turn, origin, depth, cause },
  }
}

function inputRecord({ payload }: Signal): TraceRecord {
  const text = payload.text ?? ''
  const isSaid = payload.sensor === 'user-input' || payload.sensor === 'chat-message'
  if (!isSaid) return { kind: 'input', fields: { digest: textDigest(text), size: text.length } }
  const shown = text
    .replace(/^\s*(approve|deny)\s+\S+(?=\s+always\b|\s*$)/i, '$1 …')
    .slice(0, 20_000)
  return { kind: 'input', fields: { size: text.length }, text: shown }
}

/** The journal is not on the disk. The message is a sentence for the owner. */
export class TraceError extends Error {
  constructor(cause: Error) {
    const isFull = 'code' in cause && (cause.code === 'ENOSPC' || cause.code === 'EDQUOT')
    const why = isFull ? 'the disk is full, and nothing is done until there is room' : cause.message
    super(`The trace could not be written: ${why}.`, { cause })
    this.name = 'TraceError'
  }
}

const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW

class Journal implements Sink {
  readonly #dir: string
  readonly #mask: Mask
  #pending: { day: string; record: TraceRecord; heading: string | undefined }[] = []
  #writing: Promise<void> = Promise.resolve()
  #fault: Error | null = null

  constructor(dir: string, mask: Mask) {
    this.#dir = dir
    this.#mask = mask
  }

  add(day: string, record: TraceRecord, heading?: string): void {
    this.#pending.push({ day, record, heading })
    if (this.#pending.length > 1) return
    this.#writing = this.#writing
      .then(() => this.#write())
      .catch((error) => {
        this.#fault ??= error instanceof Error ? error : new Error(String(error))
      })
  }

  async flush(): Promise<void> {
    await this.#writing
    const fault = this.#fault
    this.#fault = null
    if (fault !== null) throw new TraceError(fault)
  }

  async #write(): Promise<void> {
    const taken = this.#pending
    this.#pending = []
    const texts = new Map<string, string>()
    for (const { day, record, heading } of taken) {
      const org = formatRecord(await maskedRecord(record, this.#mask))
      const text = heading === undefined ? org : org.replace(/^.*/, () => heading)
      texts.set(day, (texts.get(day) ?? '') + text)
    }
    for (const [day, text] of texts) await append(this.#dir, day, text)
  }
}

async function maskedRecord(record: TraceRecord, mask: Mask): Promise<TraceRecord> {
  const hide = async (text: string) => {
    try {
      return await mask(text)
    } catch {
      return '… (this text could not be masked)'
    }
  }
  const { kind, fields = {}, text, verdicts = [] } = record
  const shown: Record<string, string | number | undefined> = {}
  for (const [name, value] of Object.entries(fields)) {
    shown[name] = typeof value === 'string' ? await hide(value) : value
  }
  const reasons: TraceVerdict[] = []
  for (const verdict of verdicts) {
    reasons.push({ ...verdict, reason: await hide(verdict.reason) })
  }
  return {
    kind,
    fields: shown,
    text: text === undefined ? undefined : await hide(text),
    verdicts: reasons,
  }
}

async function append(dir: string, day: string, text: string): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const file = await open(join(dir, `${day}.org`), flags, 0o600)
  try {
    const { size } = await file.stat()
    const last = Buffer.alloc(1)
    if (size > 0) await file.read(last, 0, 1, size - 1)
    const title = `#+title: Thoughts of ${day}\n#+startup: content\n\n`
    const before = size === 0 ? title : last.toString() === '\n' ? '' : '\n'
    await file.appendFile(before + text)
    await file.datasync()
  } finally {
    await file.close()
  }
}
