import { homedir } from 'node:os'
import { commandName, configPath, formatProblem, stateDirectory } from '@passepartout/core'
import { openVault, readConfigFile } from '@passepartout/gates/secrets'
import {
  type ConfiguredModel,
  environmentModel,
  modelSection,
  type Price,
  priceOf,
} from '@passepartout/models/profiles'
import { createRedactor, openWire } from '@passepartout/models/providers'
import { z } from 'zod'
import type { Answer, Given } from '../line/program.ts'

/** A model that a provider offers. */
interface OfferedModel {
  id: string
  /** Tokens for prompt and answer together, or for the prompt; null when the list does not say. */
  context: number | null
  price: Price | null
  /** Whether it is the one that is configured. */
  isConfigured: boolean
}

/** What one provider answered. */
interface Offer {
  /** The headline in the configuration. */
  provider: string
  vendor: string
  host: string
  models: OfferedModel[]
  /** Why there is no list; null when there is one. */
  problem: string | null
}

const modelsMax = 2_000
const id = z
  .string()
  .transform((text) =>
    text
      .replace(/[^\x21-\x7e]+/g, ' ')
      .trim()
      .slice(0, 120),
  )
  .pipe(z.string().min(1))
const tokens = z.number().int().positive().max(1e9).nullish().catch(null)

interface Listed {
  id: string
  context: number | null
  price: { in: number; out: number } | null
}

const perToken = z.coerce.number().min(0).max(1)
const openAiSchema = z.object({
  data: z.array(
    z.object({
      id,
      context_length: tokens,
      context_window: tokens,
      max_model_len: tokens,
      max_input_tokens: tokens,
      pricing: z.object({ prompt: perToken, completion: perToken }).nullish().catch(null),
    }),
  ),
})
const googleSchema = z.object({
  models: z.array(z.object({ name: id, inputTokenLimit: tokens })),
})
const ollamaSchema = z.object({ models: z.array(z.object({ name: id })) })
const shownSchema = z.object({ model_info: z.record(z.string(), z.unknown()).default({}) })

function openAiList(given: unknown): Listed[] {
  return openAiSchema.parse(given).data.map(({ id, pricing, ...sizes }) => ({
    id,
    context:
      sizes.context_length ??
      sizes.context_window ??
      sizes.max_model_len ??
      sizes.max_input_tokens ??
      null,
    price: pricing == null ? null : { in: pricing.prompt * 1e6, out: pricing.completion * 1e6 },
  }))
}

function googleList(given: unknown): Listed[] {
  return googleSchema.parse(given).models.map(({ inputTokenLimit, name }) => ({
    id: name.replace(/^models\//, ''),
    context: inputTokenLimit ?? null,
    price: null,
  }))
}

type Ask = (path: string, body?: object) => Promise<unknown>

async function ollamaList(ask: Ask, configured: string): Promise<Listed[]> {
  const { models } = ollamaSchema.parse(await ask('/tags'))
  const names = models.map(({ name }) => name)
  const mine = names.find((name) => name === configured || name === `${configured}:latest`)
  const info =
    mine === undefined ? {} : shownSchema.parse(await ask('/show', { model: mine })).model_info
  const [, size] = Object.entries(info).find(([key]) => key.endsWith('.context_length')) ?? []
  const context = tokens.parse(size) ?? null
  return names.map((id) => ({ id, context: id === mine ? context : null, price: null }))
}

async function listOf(
  vendor: ConfiguredModel['vendor'],
  ask: Ask,
  model: string,
): Promise<Listed[]> {
  if (vendor === 'ollama') return ollamaList(ask, model)
  if (vendor === 'google') return googleList(await ask('/models?pageSize=1000'))
  return openAiList(await ask(vendor === 'anthropic' ? '/models?limit=1000' : '/models'))
}

function headersFor(vendor: ConfiguredModel['vendor'], key: string): Record<string, string> {
  if (key === '') return {}
  if (vendor === 'google') return { 'x-goog-api-key': key }
  if (vendor === 'anthropic') return { 'x-api-key': key, 'anthropic-version': '2023-06-01' }
  return { authorization: `Bearer ${key}` }
}

const waitMs = 15_000

/** What a configured provider offers. Never rejects. */
async function exploreModels({ price, settings, vendor }: ConfiguredModel): Promise<Offer> {
  const { baseUrl, key, model, name } = settings
  const offer = { provider: name, vendor, host: new URL(baseUrl).host }
  const wire = openWire({ contentType: /^application\/json/i })
  const alarm = setTimeout(() => {
    wire.fail({ kind: 'timeout', message: `it said nothing for ${waitMs / 1_000} s` })
  }, waitMs)
  const ask: Ask = async (path, body) => {
    const headers = { ...headersFor(vendor, key()), accept: 'application/json' }
    const request = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const response = await wire.fetch(`${baseUrl}${path}`, {
      ...request,
      headers: { ...headers, ...type },
    })
    return response.json()
  }
  try {
    const listed = (await listOf(vendor, ask, model)).slice(0, modelsMax)
    const isMine = (id: string) => id === model || id === `${model}:latest`
    const models = listed.map(({ context, id, price: told }): OfferedModel => {
      const known =
        told === null ? priceOf({ vendor, model: id, baseUrl }) : { ...told, from: 'list' as const }
      const isConfigured = isMine(id)
      const own = isConfigured && price?.from === 'configured' ? price : known
      return { id, context, price: own, isConfigured }
    })
    return { ...offer, models: models.sort((a, b) => (a.id < b.id ? -1 : 1)), problem: null }
  } catch (error) {
    const told = wire.fault()?.message ?? 'it does not speak its protocol'
    const reason = wire.fault() === null && !(error instanceof Error) ? String(error) : told
    return { ...offer, models: [], problem: createRedactor([key()])(reason) }
  } finally {
    clearTimeout(alarm)
    wire.close()
  }
}

function linesOf({ host, models, problem, provider, vendor }: Offer): string {
  const head = `${provider} (${vendor}, ${host})`
  if (problem !== null) return `${head}\n  could not be asked: ${problem}\n`
  const width = Math.max(0, ...models.map((each) => each.id.length))
  const rows = models.map(({ context, id, isConfigured, price }) => {
    const size = context === null ? 'unknown' : String(context)
    const about = price?.from === 'table' ? '~' : ''
    const cost =
      price === null ? 'unknown' : `${about}${round(price.in)} / ${about}${round(price.out)}`
    return `  ${isConfigured ? '*' : ' '} ${id.padEnd(width)}  ${size.padStart(9)}  ${cost}\n`
  })
  const missing = models.some(({ isConfigured }) => isConfigured)
    ? ''
    : '  The configured model is not in its list.\n'
  return `${head}\n${rows.join('')}${missing}`
}

const round = (price: number) => Number(price.toFixed(4))

/** Asks every configured provider what it offers. */
export async function listModels({ env }: Given): Promise<Answer> {
  const passphrase = env.PASSEPARTOUT_VAULT_PASSPHRASE
  const vault = await openVault({ dir: stateDirectory(env), passphrase })
  const secrets = {
    env: (name: string) => env[name] ?? null,
    vault: (name: string) => vault.get(name),
  }
  const table = { models: modelSection(secrets) }
  const file = readConfigFile(configPath(env, env.HOME ?? homedir()), table)
  const mine = file.problems.filter(
    ({ message }) => !message.startsWith('nothing reads this headline'),
  )
  const typed = environmentModel(env)
  const configured = [...(typed === null ? [] : [typed]), ...file.sections.models]
  const offers = await Promise.all(configured.map(exploreModels))
  const code = offers.some(({ problem }) => problem !== null) ? 1 : 0
  const none = `No model is configured. Add one: ${commandName} setup\n`
  const faults = mine.map((problem) => `${formatProblem(problem)}\n`).join('')
  const text = offers.length === 0 ? none : offers.map(linesOf).join('\n')
  return { code, text: faults + text, data: offers }
}
