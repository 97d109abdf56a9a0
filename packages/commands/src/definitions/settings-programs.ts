import { choice, defineProgram, flag, type Program, text } from '../line/program.ts'

const json = flag('print it as JSON')
const dryRun = flag('say what would be changed, and change nothing')
const settings = 'Setting it up'

/** The first choices. */
export const setup: Program = defineProgram({
  name: 'setup',
  section: settings,
  summary: 'choose the notes and a model',
  about: `In a terminal it asks. What it writes is in config.org, and can be written by hand.`,
  examples: ['setup', 'setup --yes --memex ~/notes', 'setup --systemd --install'],
  options: {
    memex: text('FOLDER', 'the folder of your Org files; it is made when it is not there'),
    provider: text('VENDOR', 'openai, openai-compatible, anthropic, google or ollama'),
    model: text('NAME', 'the model, as the vendor writes it'),
    'base-url': text('URL', 'where the server is, if not at the vendor’s'),
    'key-env': text('NAME', 'the environment variable that holds the key'),
    'key-vault': text('NAME', 'the entry of the vault that holds it: passepartout vault set NAME'),
    yes: flag('ask nothing', 'y'),
    'dry-run': flag('print what would be written'),
    systemd: flag('print a unit for the user’s systemd'),
    install: flag('put the unit in its place'),
  },
  run: async (given) => (await import('../setup/setup-program.ts')).setUp(given),
})

/** Looks at everything. */
export const doctor: Program = defineProgram({
  name: 'doctor',
  section: settings,
  summary: 'look at everything that a daemon needs, and say what to do',
  exits: { 0: 'nothing is wrong', 1: 'an error is left', 2: 'not understood' },
  options: {
    fix: flag('put right what can be without losing anything'),
    'dry-run': flag('say what --fix would do, and do nothing'),
    offline: flag('ask no model; each is asked one tiny question otherwise, and the cost is told'),
    json: flag('one object for each finding: check, level, found, todo'),
  },
  run: async (given) => (await import('../setup/doctor-program.ts')).callDoctor(given),
})

/** The owner's configuration. */
export const config: Program = defineProgram({
  name: 'config',
  section: settings,
  summary: 'show, check and change config.org',
  about: `Nothing else in the file is touched, a change that would be a mistake is refused, and secrets
are neither shown nor taken: they belong into the vault. A running daemon takes a change
over with: passepartout reload`,
  examples: ['config check', 'config set Claude MODEL claude-sonnet-5 --dry-run'],
  programs: [
    defineProgram({
      name: 'show',
      summary: 'what it says, without secrets',
      options: { json },
      run: async (given) => (await import('../setup/config-program.ts')).showFile(given),
    }),
    defineProgram({
      name: 'check',
      summary: 'what a daemon would object to',
      options: { json },
      exits: { 0: 'it is in order', 1: 'it has an error', 2: 'not understood' },
      run: async (given) => (await import('../setup/config-program.ts')).checkFile(given),
    }),
    defineProgram({
      name: 'set',
      usage: 'HEADLINE PROPERTY VALUE...',
      summary: 'set a property',
      options: { 'dry-run': dryRun, json },
      run: async (given) => (await import('../setup/config-program.ts')).setProperty(given),
    }),
    defineProgram({
      name: 'unset',
      usage: 'HEADLINE PROPERTY',
      summary: 'take a property away',
      options: { 'dry-run': dryRun, json },
      run: async (given) => (await import('../setup/config-program.ts')).unsetProperty(given),
    }),
  ],
})

/** Credentials. */
export const vault: Program = defineProgram({
  name: 'vault',
  section: settings,
  summary: 'keep credentials in an encrypted file that only you can read',
  about: `Values are read from standard input and never printed. PASSEPARTOUT_VAULT_PASSPHRASE locks
the file with a passphrase instead of an identity beside it.`,
  examples: ['vault set anthropic-key', 'vault set bank < bank.txt'],
  programs: [
    defineProgram({
      name: 'list',
      summary: 'the names of what is kept',
      options: { json },
      run: async (given) => (await import('../gates/vault-program.ts')).listSecrets(given),
    }),
    defineProgram({
      name: 'set',
      usage: 'NAME',
      summary: 'keep what is typed or piped in',
      run: async (given) => (await import('../gates/vault-program.ts')).keepSecret(given),
    }),
    defineProgram({
      name: 'remove',
      usage: 'NAME',
      summary: 'take an entry out for good',
      run: async (given) => (await import('../gates/vault-program.ts')).removeSecret(given),
    }),
  ],
})

/** What can be asked. */
export const models: Program = defineProgram({
  name: 'models',
  section: settings,
  options: { json },
  summary: 'what your providers offer, and at what price',
  about: `Asks every model provider of config.org for names, context sizes, and prices in US dollars per
million tokens. * is the model that is configured. What a provider does not say is unknown;
prices with ~ are from a table of this program.`,
  exits: { 0: 'all answered', 1: 'one could not be asked', 2: 'not understood' },
  run: async (given) => (await import('../services/model-explorer.ts')).listModels(given),
})

/** What it has cost. */
export const usage: Program = defineProgram({
  name: 'usage',
  section: settings,
  summary: 'what models have cost, and what is left of budgets',
  about: `Tokens and cost as an Org table. A cost is the list price, or what you set with :PRICE_IN: and
:PRICE_OUT:; where no price is known it says so. Budgets are headlines of config.org with
:BUDGET: 5 USD or 200000 tokens.`,
  examples: ['usage', 'usage --by skill --month 2026-11'],
  options: {
    by: choice(['provider', 'day', 'skill'], 'added up by'),
    month: text('YYYY-MM', 'which month (this one)'),
    all: flag('of all months'),
    json,
  },
  run: async (given) => (await import('../services/usage-program.ts')).spent(given),
})
