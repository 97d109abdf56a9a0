import { existsSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import {
  commandName,
  configPath,
  messageOf,
  nearestName,
  openMemex,
  print,
  writeNewFile,
} from '@passepartout/core'
import { readDaemonConfig } from '@passepartout/daemon'
import { writeUnit } from '@passepartout/daemon/lifecycle'
import { vendorNames } from '@passepartout/models/profiles'
import { type Headline, headlines, parse, properties } from 'org-ast'
import { applyPatches, setProperty, smallestPatch } from 'org-ast/edit'

/** A headline of the configuration: what it is known by, and all that it should say. */
export interface Wish {
  title: string
  /** A headline that has these has everything set; otherwise one is added. */
  known: Readonly<Record<string, string | null>>
  values: Readonly<Record<string, string>>
}

/** The text with the wishes in it: changed where it says something else, or added at its end. */
export function withWishes(text: string, wishes: readonly Wish[]): string {
  return wishes.reduce(withWish, text)
}

function withWish(text: string, { known, title, values }: Wish): string {
  if (matching(text, known) === undefined) {
    const gap = text === '' || text.endsWith('\n') ? '' : '\n'
    return `${text}${gap}${entry(title, values)}`
  }
  let changed = text
  for (const [name, value] of Object.entries(values)) {
    const at = matching(changed, known)
    if (at === undefined || valuesOf(at).get(name) === value) continue
    changed = applyPatches(changed, setProperty(changed, at, name, value))
  }
  return changed
}

function matching(text: string, known: Wish['known']): Headline | undefined {
  return headlines(parse(text)).find((headline) => {
    const found = valuesOf(headline)
    return Object.entries(known).every(([name, value]) => {
      const is = found.get(name)
      return value === null ? is !== undefined : is?.toLowerCase() === value.toLowerCase()
    })
  })
}

function valuesOf(headline: Headline): Map<string, string> {
  return new Map(properties(headline).map(({ key, value }) => [key.toUpperCase(), value.trim()]))
}

function entry(title: string, values: Wish['values']): string {
  const lines = Object.entries(values).map(([name, value]) => `:${name}: ${value}`)
  return `* ${title}\n:PROPERTIES:\n${lines.join('\n')}\n:END:\n`
}

const options = {
  memex: { type: 'string' },
  provider: { type: 'string' },
  model: { type: 'string' },
  'base-url': { type: 'string' },
  'key-env': { type: 'string' },
  'key-vault': { type: 'string' },
  yes: { type: 'boolean', short: 'y' },
  'dry-run': { type: 'boolean' },
  systemd: { type: 'boolean' },
  install: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>['values']

/** Something that the user can put right. */
class SetupError extends Error {}

function wishesOf(values: Values, home: string): Wish[] {
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === 'string' && /[\p{Cc}]/u.test(value)) {
      throw new SetupError(`Expected --${name} in one line`)
    }
  }
  const wishes: Wish[] = []
  const { memex, model, provider } = values
  if (memex !== undefined) {
    const folder = resolve(memex.replace(/^~(?=\/|$)/, () => home))
    const shown = folder.startsWith(`${home}/`) ? `~${folder.slice(home.length)}` : folder
    wishes.push({ title: 'My notes', known: { MEMEX: null }, values: { MEMEX: shown } })
  }
  if (provider === undefined && model === undefined) return wishes
  if (provider === undefined || model === undefined) {
    throw new SetupError('A model has two names: --provider VENDOR --model NAME')
  }
  if (!vendorNames.includes(provider)) {
    const near = nearestName(provider, vendorNames)
    const meant = near === null ? '' : `; did you mean ${near}?`
    throw new SetupError(
      `No provider is called ${provider}${meant} There are ${vendorNames.join(', ')}.`,
    )
  }
  const known = { PROVIDER: provider, MODEL: model }
  const more = {
    ...(values['base-url'] && { BASE_URL: values['base-url'] }),
    ...(values['key-env'] && { KEY_ENV: values['key-env'] }),
    ...(values['key-vault'] && { KEY_VAULT: values['key-vault'] }),
  }
  return [...wishes, { title: model, known, values: { ...known, ...more } }]
}

type Env = Record<string, string | undefined>

function writeConfig(path: string, wishes: readonly Wish[], isDry: boolean): string {
  const folder = dirname(path)
  const before = existsSync(path) ? openMemex(folder).read(basename(path)) : null
  const after = withWishes(before ?? '', wishes)
  if (after === (before ?? '')) return `${path} says that already.`
  if (isDry) return `${path} would be:\n\n${after}`
  if (before === null) {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeNewFile(path, after)
    return `${path} is written.`
  }
  openMemex(folder).patch(basename(path), before, smallestPatch(before, 0, before.length, after))
  return `${path} is changed.`
}

function verdict(env: Env): string {
  try {
    const { memexDir, models, problems } = readDaemonConfig(env, () => 'kept elsewhere')
    const told = problems.map((problem) => `${problem}\n`).join('')
    return `${told}Notes: ${memexDir}; models: ${models.length}. Start: ${commandName} start --detach`
  } catch (error) {
    return messageOf(error)
  }
}

const help = `passepartout setup [--memex DIR] [--provider VENDOR --model NAME] [--yes]

  Without --yes it asks. What it writes is in config.org, and can be written by hand.
  --memex DIR       the folder of your Org files; it is made when it is not there
  --provider VENDOR openai, openai-compatible, anthropic, google or ollama
  --model NAME      the model, as the vendor writes it
  --base-url URL    where the server is, if not at the vendor's
  --key-env NAME    the environment variable that holds the key
  --key-vault NAME  the entry of the vault that holds it: passepartout vault set NAME
  --dry-run         prints what would be written
  --systemd         prints a unit for the user's systemd; with --install it is put in its place
`

/** Does what the words say; returns what to print and the exit code. */
export function runSetup(args: readonly string[], env: Env): [string, number] {
  let values: Values
  try {
    values = parseArgs({ args: [...args], options }).values
  } catch (error) {
    return [`${messageOf(error)}\n\n${help}`, 2]
  }
  if (values.help === true || args.length === 0) return [help, values.help === true ? 0 : 2]
  try {
    if (values.systemd === true) return [writeUnit(env, values.install === true), 0]
    const home = env.HOME ?? homedir()
    const isDry = values['dry-run'] === true
    const wishes = wishesOf(values, home)
    const lines = [writeConfig(configPath(env, home), wishes, isDry)]
    if (values.memex !== undefined && !isDry) {
      mkdirSync(resolve(values.memex.replace(/^~(?=\/|$)/, () => home)), { recursive: true })
    }
    if (!isDry) lines.push(verdict(env))
    return [`${lines.join('\n')}\n`, 0]
  } catch (error) {
    return [`passepartout: ${messageOf(error)}\n`, 1]
  }
}

if (import.meta.main) {
  const [text, code] = runSetup(process.argv.slice(2), process.env)
  print(text, code === 0 ? 'stdout' : 'stderr')
  process.exitCode = code
}
