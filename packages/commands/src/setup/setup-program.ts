import { existsSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, resolve } from 'node:path'
import {
  commandName,
  configPath,
  messageOf,
  nearestName,
  openMemex,
  writeNewFile,
} from '@passepartout/core'
import { readDaemonConfig } from '@passepartout/daemon'
import { writeUnit } from '@passepartout/daemon/lifecycle'
import { vendorNames } from '@passepartout/models/profiles'
import { type Headline, headlines, parse, properties } from 'org-ast'
import { applyPatches, setProperty, smallestPatch } from 'org-ast/edit'
import {
  type Answer,
  type Environment,
  type Given,
  ProgramError,
  UsageError,
} from '../line/program.ts'

/** A headline of the configuration: what it is known by, and all that it should say. */
interface Wish {
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

/** What the owner has chosen. */
export interface SetupWishes {
  memex?: string | undefined
  provider?: string | undefined
  model?: string | undefined
  'base-url'?: string | undefined
  'key-env'?: string | undefined
  'key-vault'?: string | undefined
  'dry-run': boolean
  systemd: boolean
  install: boolean
}

function wishesOf(values: SetupWishes, home: string): Wish[] {
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === 'string' && /[\p{Cc}]/u.test(value)) {
      throw new ProgramError(`Expected --${name} in one line`)
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
    throw new ProgramError('A model has two names: --provider VENDOR --model NAME')
  }
  if (!vendorNames.includes(provider)) {
    const near = nearestName(provider, vendorNames)
    const meant = near === null ? '' : `; did you mean ${near}?`
    throw new ProgramError(
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

function verdict(env: Environment): string {
  try {
    const { memexDir, models, problems } = readDaemonConfig(env, () => 'kept elsewhere')
    const told = problems.map((problem) => `${problem}\n`).join('')
    return `${told}Notes: ${memexDir}; models: ${models.length}. Start: ${commandName} start --detach`
  } catch (error) {
    return messageOf(error)
  }
}

/** Writes what was chosen into the configuration. */
export async function setUp({ env, options }: Given<SetupWishes>): Promise<Answer> {
  const { 'dry-run': isDry, install, memex, systemd } = options
  if (systemd) return { text: writeUnit(env, install) }
  const home = env.HOME ?? homedir()
  const wishes = wishesOf(options, home)
  if (wishes.length === 0)
    throw new UsageError('nothing was chosen; --memex FOLDER is the first choice')
  const lines = [writeConfig(configPath(env, home), wishes, isDry)]
  if (memex !== undefined && !isDry) {
    mkdirSync(resolve(memex.replace(/^~(?=\/|$)/, () => home)), { recursive: true })
  }
  if (!isDry) lines.push(verdict(env))
  return { text: lines.join('\n') }
}
