import { readConfig } from '@passepartout/gates/secrets'
import { expect, test } from 'vitest'
import { environmentModel, modelSection, models } from '../../src/profiles/models.ts'

const secrets = {
  env: (name: string) => (name === 'ANTHROPIC_API_KEY' ? 'sk-from-env' : null),
  vault: (name: string) => (name === 'groq' ? 'sk-from-vault' : null),
}
const model = (title: string, ...lines: string[]) =>
  `* ${title}\n:PROPERTIES:\n${lines.join('\n')}\n:END:\n`
const read = (text: string) => readConfig(text, 'c.org', { models: modelSection(secrets) })

test('a model is read with its key, its address and its clocks', () => {
  const { sections, problems } = read(
    model('Claude', ':PROVIDER: anthropic', ':MODEL: c', ':KEY_ENV: ANTHROPIC_API_KEY') +
      model('Here', ':PROVIDER: Ollama', ':MODEL: q', ':BASE_URL: http://10.0.0.2:11434/') +
      model(
        'Groq',
        ':PROVIDER: openai-compatible',
        ':MODEL: l',
        ':KEY_VAULT: groq',
        ':BASE_URL: http://groq.example/v1',
        ':TIER: cognition',
        ':PRIORITY: 5',
        ':TIMEOUT: 2min',
      ) +
      model('Not set', ':PROVIDER: openai', ':MODEL: g', ':KEY_ENV: NOT_SET'),
  )
  expect(
    sections.models.map(({ settings }) => ({ ...settings, key: settings.key() })),
  ).toMatchObject([
    { name: 'Claude', baseUrl: 'https://api.anthropic.com/v1', key: 'sk-from-env', tier: 'any' },
    { name: 'Here', baseUrl: 'http://10.0.0.2:11434/api', key: '', timeoutMs: 120_000 },
    { name: 'Groq', key: 'sk-from-vault', tier: 'cognition', timeoutMs: 120_000 },
  ])
  expect(problems).toMatchObject([
    { severity: 'warning', message: expect.stringContaining('clear text') },
    { severity: 'error', line: 27, message: expect.stringContaining('NOT_SET is not set') },
  ])
})

test('a model can do what its family can, unless the owner says otherwise', () => {
  const told = [':PICTURES: no', ':TOOLS: no', ':PARALLEL: no', ':EFFORT: high', ':CONTEXT: 8192']
  const { sections } = read(
    model('Here', ':PROVIDER: ollama', ':MODEL: gemma3:4b') +
      model('Small', ':PROVIDER: ollama', ':MODEL: gemma2:2b') +
      model('Own', ':PROVIDER: ollama', ':MODEL: llama4', ...told),
  )
  expect(sections.models.map(({ settings }) => settings)).toMatchObject([
    { pictures: true, callsTools: false, contextTokens: undefined, effort: undefined },
    { pictures: false, callsTools: false, contextTokens: 8_000 },
    {
      pictures: false,
      callsTools: false,
      parallelCalls: false,
      effort: 'high',
      contextTokens: 8_192,
    },
  ])
})

const wrong: [string[], number, string][] = [
  [[':PROVIDER: openai', ':MODEL: g'], 3, 'needs a key'],
  [[':PROVIDER: openai-compatible', ':MODEL: g'], 1, 'BASE_URL: is missing'],
  [[':PROVIDER: ollama'], 1, ':MODEL: is missing'],
  [[':PROVIDER: ollama', ':MODEL: q', ':BASE_URL: file:///etc'], 5, 'https://'],
  [[':PROVIDER: ollama', ':MODEL: q', ':BASE_URL: http://a/?b=c'], 5, 'without ?'],
  [[':PROVIDER: ollama', ':MODEL: q', ':KEY_ENV: my key'], 5, 'in capitals'],
  [[':PROVIDER: ollama', ':MODEL: q', ':KEY_ENV: A', ':KEY_VAULT: b'], 6, 'keep one'],
  [[':PROVIDER: ollama', ':MODEL: q', ':KEY_VAULT: b'], 5, 'no such secret'],
  [[':PROVIDER: ollama', ':MODEL: q', ':API_KEY: b'], 5, ':KEY_ENV:'],
  [[':PROVIDER: ollama', ':MODEL: q', ':PRIORITY: high'], 5, 'a whole number'],
  [[':PROVIDER: mistral', ':MODEL: q'], 3, 'openai-compatible'],
]

test.each(wrong)('%j is wrong in line %i: %s', (lines, line, message) => {
  const { sections, problems } = read(model('A', ...lines))
  expect(sections.models).toEqual([])
  expect(problems).toMatchObject([{ line, message: expect.stringContaining(message) }])
})

test('two models have two names', () => {
  const one = model('A', ':PROVIDER: ollama', ':MODEL: q')
  const { sections, problems } = read(one + one)
  expect(sections.models).toHaveLength(1)
  expect(problems).toMatchObject([{ line: 6 }])
})

test('three variables are a model, and wrong ones are named', () => {
  const env = { PASSEPARTOUT_PROVIDER_URL: 'http://127.0.0.1:1/v1/' }
  expect(environmentModel({ PASSEPARTOUT_PROVIDER_URL: '' })).toBeNull()
  expect(environmentModel({ ...env, PASSEPARTOUT_PROVIDER_MODEL: 'm' })).toMatchObject({
    settings: { baseUrl: 'http://127.0.0.1:1/v1', model: 'm' },
  })
  expect(() => environmentModel({ PASSEPARTOUT_PROVIDER_URL: 'nonsense' })).toThrow(
    /PROVIDER_URL and PASSEPARTOUT_PROVIDER_MODEL/,
  )
  expect(() => environmentModel(env)).toThrow(/check PASSEPARTOUT_PROVIDER_MODEL$/)
})

test('models are asked by priority', () => {
  const { sections } = read(
    ['A', 'B', 'C']
      .map((name, index) =>
        model(name, ':PROVIDER: ollama', ':MODEL: q', `:PRIORITY: ${index === 1 ? 5 : 0}`),
      )
      .join(''),
  )
  const env = { PASSEPARTOUT_PROVIDER_URL: 'http://a/', PASSEPARTOUT_PROVIDER_MODEL: 'm' }
  const skill = models([...sections.models, environmentModel(env)!])
  const names = skill.providers!(undefined as never).map(({ name }) => name)
  expect(names).toEqual(['openai-compatible:m', 'B', 'A', 'C'])
})
