import {
  type ConfigEntry,
  type ConfigSection,
  defineSection,
  defineSkill,
  duration,
  keyOf,
  oneOf,
  type Provider,
  type Runtime,
  readAddress,
  type Secrets,
  type Skill,
  warnOfClearText,
  whole,
  words,
} from '@passepartout/core'
import { z } from 'zod'
import { anthropic } from '../providers/provider-anthropic.ts'
import { google } from '../providers/provider-google.ts'
import { ollama } from '../providers/provider-ollama.ts'
import { openAi } from '../providers/provider-openai.ts'
import { openAiCompatible } from '../providers/provider-openai-compatible.ts'
import {
  defaultTimeouts,
  type ModelSettings,
  modelProvider,
  type Vendor,
} from '../providers/provider-stream.ts'
import { familyOf } from './model-families.ts'
import { type Price, priceOf } from './model-prices.ts'
import { type Meter, metered } from './usage.ts'

interface VendorEntry {
  vendor: Vendor
  /** Null where only the owner knows the address. */
  baseUrl: string | null
  needsKey: boolean
}

const vendorList = ['openai-compatible', 'openai', 'anthropic', 'google', 'ollama'] as const

/** What `:PROVIDER:` may be. */
export const vendorNames: readonly string[] = vendorList
type VendorName = (typeof vendorList)[number]

const vendors: Record<VendorName, VendorEntry> = {
  'openai-compatible': { vendor: openAiCompatible, baseUrl: null, needsKey: false },
  openai: { vendor: openAi, baseUrl: 'https://api.openai.com/v1', needsKey: true },
  anthropic: { vendor: anthropic, baseUrl: 'https://api.anthropic.com/v1', needsKey: true },
  google: {
    vendor: google,
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    needsKey: true,
  },
  ollama: { vendor: ollama, baseUrl: 'http://127.0.0.1:11434/api', needsKey: false },
}

/** A model that can be asked. */
export interface ConfiguredModel {
  vendor: VendorName
  priority: number
  settings: ModelSettings
  /** Null when nobody knows. */
  price: Price | null
}

const { timeoutMs, firstTimeoutMs, chunkTimeoutMs } = defaultTimeouts
const minutes = (count: number) => count * 60_000
const schema = z.object({
  PROVIDER: oneOf(...vendorList),
  MODEL: words("the model's name, as the vendor writes it"),
  BASE_URL: words('an address that begins with https:// or http://').optional(),
  KEY_ENV: words('the name of an environment variable').optional(),
  KEY_VAULT: words('the name of a secret in the vault').optional(),
  TIER: oneOf('cognition', 'reasoning', 'any').default('any'),
  PRIORITY: whole(-1_000, 1_000).default(0),
  TIMEOUT: duration(minutes(60)).default(timeoutMs),
  FIRST_TIMEOUT: duration(minutes(5)).default(firstTimeoutMs),
  CHUNK_TIMEOUT: duration(minutes(5)).default(chunkTimeoutMs),
  MAX_TOKENS: whole(1, 1_000_000).optional(),
  CONTEXT: whole(256, 10_000_000).optional(),
  PICTURES: oneOf('yes', 'no').optional(),
  TOOLS: oneOf('yes', 'no').optional(),
  PARALLEL: oneOf('yes', 'no').optional(),
  EFFORT: oneOf('low', 'medium', 'high').optional(),
  PRICE_IN: dollars().optional(),
  PRICE_OUT: dollars().optional(),
  PRICE_CACHED: dollars().optional(),
})
type Values = z.output<typeof schema>

/** The section of the models, for one reading of the file. */
export function modelSection(secrets: Secrets): ConfigSection<ConfiguredModel> {
  const taken = new Set<string>()
  const read = (values: Values, entry: ConfigEntry): ConfiguredModel | null => {
    const entryOf = vendors[values.PROVIDER]
    const name = entry.title.trim()
    if (name === '' || taken.has(name)) {
      entry.report('error', '', `expected a headline that no other model has`)
    }
    taken.add(name)
    const baseUrl = addressOf(values, entryOf, entry)
    const key = keyOf(values, entryOf.needsKey && values.BASE_URL === undefined, secrets, entry)
    if (baseUrl === null || key === null) return null
    warnOfClearText(baseUrl, key, entry)
    const { MODEL: model, TIER, TIMEOUT, FIRST_TIMEOUT, CHUNK_TIMEOUT } = values
    const times = {
      timeoutMs: TIMEOUT,
      firstTimeoutMs: FIRST_TIMEOUT,
      chunkTimeoutMs: CHUNK_TIMEOUT,
    }
    const can = abilitiesOf(values)
    const settings = { name, model, baseUrl, key: () => key, tier: TIER, ...times, ...can }
    const price = priceOf({
      vendor: values.PROVIDER,
      model,
      baseUrl,
      given: givenPrice(values, entry),
    })
    return { vendor: values.PROVIDER, priority: values.PRIORITY, settings, price }
  }
  return defineSection({ marker: 'PROVIDER', properties: schema, read })
}

function abilitiesOf(values: Values) {
  const family = familyOf(values.MODEL)
  const most = family.contextTokens ?? Number.POSITIVE_INFINITY
  const usual =
    values.PROVIDER === 'ollama' && most > ollama.contextTokens! ? undefined : family.contextTokens
  const isYes = (word: 'yes' | 'no' | undefined) =>
    word === undefined ? undefined : word === 'yes'
  return {
    maxTokens: values.MAX_TOKENS,
    contextTokens: values.CONTEXT ?? usual,
    pictures: isYes(values.PICTURES) ?? family.pictures,
    callsTools: isYes(values.TOOLS) ?? family.callsTools,
    parallelCalls: isYes(values.PARALLEL),
    effort: values.EFFORT,
  }
}

function dollars(): z.ZodType<number> {
  const error = 'dollars for a million tokens, such as 0.25'
  return z.coerce.number({ error }).min(0, { error }).max(100_000, { error })
}

function givenPrice({ PRICE_CACHED, PRICE_IN, PRICE_OUT }: Values, { report }: ConfigEntry) {
  if (PRICE_IN !== undefined && PRICE_OUT !== undefined) {
    return { in: PRICE_IN, out: PRICE_OUT, cached: PRICE_CACHED }
  }
  if (PRICE_IN === undefined && PRICE_OUT === undefined) return null
  const missing = PRICE_IN === undefined ? 'PRICE_IN' : 'PRICE_OUT'
  report('error', missing, `:${missing}: is missing; expected both prices or none`)
  return null
}

function addressOf(values: Values, entry: VendorEntry, config: ConfigEntry): string | null {
  const given = values.BASE_URL ?? entry.baseUrl
  const report = (message: string) => {
    config.report('error', 'BASE_URL', `:BASE_URL: ${message}`)
    return null
  }
  if (given === null) return report('is missing; expected the address of the endpoint')
  const address = readAddress(given)
  if (address === null) {
    return report('expected an address that begins with https:// or http://, without ? and #')
  }
  const isBare = values.PROVIDER === 'ollama' && new URL(address).pathname === '/'
  return isBare ? `${address}/api` : address
}

/** The model of the three variables; null without an address. Throws a TypeError when wrong. */
export function environmentModel(env: Record<string, string | undefined>): ConfiguredModel | null {
  const address = env.PASSEPARTOUT_PROVIDER_URL ?? ''
  if (address === '') return null
  const model = env.PASSEPARTOUT_PROVIDER_MODEL ?? ''
  const baseUrl = readAddress(address)
  if (baseUrl === null || model === '') {
    const wrong = [
      ...(baseUrl === null ? ['PASSEPARTOUT_PROVIDER_URL'] : []),
      ...(model === '' ? ['PASSEPARTOUT_PROVIDER_MODEL'] : []),
    ]
    throw new TypeError(`Expected an http address and a model; check ${wrong.join(' and ')}`)
  }
  const key = (env.PASSEPARTOUT_PROVIDER_KEY ?? '').trim()
  const name = `openai-compatible:${model}`
  const settings = {
    ...familyOf(model),
    name,
    model,
    baseUrl,
    key: () => key,
    tier: 'any' as const,
    ...defaultTimeouts,
  }
  const vendor = 'openai-compatible'
  const price = priceOf({ vendor, model, baseUrl })
  return { vendor, priority: Number.POSITIVE_INFINITY, settings, price }
}

/** The keys of these models by their names. */
export function keysOf(configured: readonly ConfiguredModel[]): Map<string, string> {
  return new Map(configured.map(({ settings }) => [settings.name, settings.key()]))
}

/** The provider of a configured model; it counts nothing. */
export function providerOf({ settings, vendor }: ConfiguredModel): Provider {
  return modelProvider(settings, vendors[vendor].vendor)
}

/** The skill that asks these models, with their calls counted when there is a meter. */
export function models(
  configured: readonly ConfiguredModel[],
  meterFor?: (runtime: Runtime) => Meter,
): Skill {
  const ordered = [...configured].sort(
    (a, b) => Number(a.priority < b.priority) - Number(a.priority > b.priority),
  )
  return defineSkill({
    name: 'models',
    description: 'Asks the models that the owner has configured.',
    priority: 100,
    providers(runtime) {
      const meter = meterFor?.(runtime)
      return ordered.map((model) => {
        const { price, settings } = model
        const provider = providerOf(model)
        return meter === undefined
          ? provider
          : metered(provider, meter, { model: settings.model, price })
      })
    },
  })
}
