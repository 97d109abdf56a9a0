import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { AnyMessage } from '@agentclientprotocol/sdk'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

interface Definition {
  'x-method'?: string
  'x-side'?: 'agent' | 'client' | 'protocol'
}

/** What each message must look like. */
interface Shapes {
  /** By method: what is sent, and by whom it is answered. */
  params: Map<string, { side: string; isValid: ValidateFunction }>
  results: Map<string, ValidateFunction>
  error: ValidateFunction
}

/** The definitions of the published schema, ready to be used. */
export function publishedShapes(): Shapes {
  const path = import.meta.resolve('@agentclientprotocol/sdk/schema/v1/schema.json')
  const schema = JSON.parse(readFileSync(fileURLToPath(path), 'utf8'))
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  for (const size of ['uint16', 'uint32', 'uint64', 'int32', 'int64', 'double']) {
    ajv.addFormat(size, { type: 'number', validate: Number.isFinite })
  }
  ajv.addFormat('uri', { type: 'string', validate: (text: string) => URL.canParse(text) })
  ajv.addSchema(schema, 'acp')
  const find = (name: string) => ajv.compile({ $ref: `acp#/$defs/${name}` })
  const params: Shapes['params'] = new Map()
  const results: Shapes['results'] = new Map()
  const definitions = Object.entries(schema.$defs as Record<string, Definition>)
  for (const [name, { 'x-method': method, 'x-side': side }] of definitions) {
    if (method === undefined || side === undefined) continue
    if (name.endsWith('Response')) results.set(method, find(name))
    else params.set(method, { side, isValid: find(name) })
  }
  return { params, results, error: find('Error') }
}

/** Who has sent a message. */
export type Side = 'agent' | 'client'

/** Looks at messages, and keeps what is wrong with them. */
export interface Judge {
  see(from: Side, message: AnyMessage): void
  /** How many were seen, by who sent them. */
  counts: Record<Side, number>
  /** How often each method was seen, its answers included. */
  methods: Map<string, number>
  faults: string[]
}

/** A judge who has seen nothing yet. */
export function appointJudge({ error, params, results }: Shapes): Judge {
  const pending = new Map<string, string>()
  const judge: Judge = { counts: { agent: 0, client: 0 }, methods: new Map(), faults: [], see }
  const count = (method: string) => judge.methods.set(method, (judge.methods.get(method) ?? 0) + 1)
  const check = (what: string, isValid: ValidateFunction, value: unknown) => {
    if (isValid(value)) return
    const reasons = isValid.errors?.slice(0, 3).map((one) => `${one.instancePath} ${one.message}`)
    judge.faults.push(`${what}: ${reasons?.join('; ')}: ${JSON.stringify(value).slice(0, 300)}`)
  }
  function see(from: Side, message: AnyMessage): void {
    judge.counts[from]++
    const other = from === 'agent' ? 'client' : 'agent'
    if (message.jsonrpc !== '2.0') judge.faults.push(`${from}: no jsonrpc`)
    if ('method' in message) {
      const { method } = message
      count(method)
      if ('id' in message) pending.set(`${from} ${message.id}`, method)
      const shape = params.get(method)
      const isTheirs = shape?.side === other || shape?.side === 'protocol'
      if (shape === undefined || !isTheirs) judge.faults.push(`${from} sent ${method}`)
      else check(`${from} ${method}`, shape.isValid, message.params)
      return
    }
    const method = pending.get(`${other} ${message.id}`)
    pending.delete(`${other} ${message.id}`)
    if ('error' in message) check(`${from} error`, error, message.error)
    const isAnswer = method !== undefined && 'result' in message
    if (isAnswer) check(`${from} answers ${method}`, results.get(method)!, message.result)
    else if (!('error' in message)) judge.faults.push(`${from} answers nothing that was asked`)
  }
  return judge
}
