import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import {
  type ConfigProblem,
  type ConfigSection,
  diffOf,
  formatProblem,
  nearestName,
  replaceFile,
} from '@passepartout/core'
import { configSecrets, readConfig } from '@passepartout/gates/secrets'
import { type Headline, headlines, parse, properties } from 'org-ast'
import { addHeadline, applyPatches, deleteProperty, newlyObeyed, setProperty } from 'org-ast/edit'

/** The sections by their names, as a reading of the file takes them. */
export type ConfigTable = Record<string, ConfigSection<unknown>>

/** A headline of the file that configures something. */
interface ShownEntry {
  title: string
  /** 1-based. */
  line: number
  properties: { name: string; value: string }[]
}

const hidden = '(hidden)'

/** What the file configures, without secrets. Never throws. */
export function showConfig(text: string): ShownEntry[] {
  const shown = (value: string) => (configSecrets.isSecret(value) ? hidden : value)
  return [...headlines(parse(text))].flatMap((headline) => {
    const found = properties(headline)
    if (found.length === 0) return []
    const rows = found.map(({ key, value }) => ({ name: key.toUpperCase(), value: shown(value) }))
    return [
      { title: shown(headline.rawValue), line: headline.position.start.line, properties: rows },
    ]
  })
}

/** The entries as lines for a person. */
export function entryLines(entries: readonly ShownEntry[]): string {
  return entries
    .map(({ line, properties: rows, title }) => {
      const width = Math.max(...rows.map(({ name }) => name.length))
      const values = rows.map(({ name, value }) => `  ${name.padEnd(width)}  ${value}\n`)
      return `${title} (line ${line})\n${values.join('')}`
    })
    .join('')
}

/** One property of one headline; a value of null takes it away. */
export interface ConfigChange {
  headline: string
  property: string
  value: string | null
}

/** The text after the change, or why there is none. */
type ConfigEdit = { ok: true; text: string; diff: string } | { ok: false; reason: string }

/** Changes a property in the text of a configuration. Never throws, writes nothing. */
export function editConfig(
  text: string,
  change: ConfigChange,
  table: () => ConfigTable,
): ConfigEdit {
  const no = (reason: string): ConfigEdit => ({ ok: false, reason })
  const { headline: title, property, value } = change
  if (!/^[A-Z][A-Z0-9_]{0,40}$/.test(property))
    return no('Expected the name of a property, in capitals.')
  if (!/^[^\r\n*][^\r\n]{0,120}$/.test(title)) return no('Expected a headline in one line.')
  if (value !== null && !/^[^\r\n]{1,500}$/.test(value)) return no('Expected a value in one line.')
  if (value !== null && configSecrets.isSecret(value)) {
    return no('This looks like a secret. Put it into the vault, and name it with :KEY_VAULT:.')
  }
  const named = (source: string) =>
    [...headlines(parse(source))].filter((each) => isNamed(each, title))
  const found = named(text)
  if (found.length > 1) return no(`There are ${found.length} headlines called ${title}.`)
  if (found.length === 0 && value === null) return no(`There is no headline called ${title}.`)
  const start =
    found.length === 1 ? text : applyPatches(text, addHeadline(text, parse(text), null, { title }))
  const entry = named(start)[0]
  if (entry === undefined) return no(`${title} cannot be a headline.`)
  const after = tried(() => withProperty(start, entry, property, value))
  if (after === null) return no(`${property} is a name that Org keeps for itself.`)
  const stranger = strangerIn(entry, property, value, table())
  if (stranger !== null) return no(stranger)
  const [order] = newlyObeyed(text, after)
  if (order !== undefined) return no(`Emacs would obey ${JSON.stringify(order)} in the file.`)
  const worse = newErrors(text, after, table)
  if (worse.length > 0) return no(worse.join('\n'))
  return { ok: true, text: after, diff: diffOf('config.org', text, after) }
}

function isNamed({ rawValue }: Headline, title: string): boolean {
  return rawValue.trim() === title.trim()
}

function strangerIn(
  entry: Headline,
  property: string,
  value: string | null,
  table: ConfigTable,
): string | null {
  const held = properties(entry).map(({ key }) => key.toUpperCase())
  const all = Object.values(table).flatMap(({ names }) => names)
  const known = value === null ? held : [...new Set(all)]
  if (known.includes(property)) return null
  const near = nearestName(property, known)
  const what =
    value === null ? `${entry.rawValue} has no :${property}:` : `No setting is called ${property}`
  return `${what}${near === null ? '' : `; did you mean ${near}?`}`
}

function withProperty(text: string, entry: Headline, name: string, value: string | null): string {
  if (name !== 'PRIORITY') return edited(text, entry, name, value)
  const standIn = 'PRIORIT_'
  const other = renamed(text, entry, name, standIn)
  const same = (source: string) =>
    [...headlines(parse(source))].find(
      ({ position }) => position.start.offset === entry.position.start.offset,
    )!
  const after = edited(other, same(other), standIn, value)
  return renamed(after, same(after), standIn, name)
}

function tried(edit: () => string): string | null {
  try {
    return edit()
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

function edited(text: string, entry: Headline, name: string, value: string | null): string {
  const patches =
    value === null ? deleteProperty(text, entry, name) : setProperty(text, entry, name, value)
  return applyPatches(text, patches)
}

function renamed(text: string, entry: Headline, from: string, to: string): string {
  const node = properties(entry).find(({ key }) => key.toUpperCase() === from)
  if (node === undefined) return text
  const begin = text.indexOf(':', node.position.start.offset) + 1
  return applyPatches(text, [{ begin, end: begin + from.length, text: to }])
}

function newErrors(before: string, after: string, table: () => ConfigTable): string[] {
  const errorsOf = (text: string) =>
    readConfig(text, 'config.org', table()).problems.filter(({ severity }) => severity === 'error')
  const known = errorsOf(before).map(({ message }) => message)
  const left = [...known]
  return errorsOf(after).flatMap((problem: ConfigProblem) => {
    const at = left.indexOf(problem.message)
    if (at < 0) return [formatProblem(problem)]
    left.splice(at, 1)
    return []
  })
}

/** The text of the file; empty when there is none. */
export function configText(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

/** Writes the text in one step, if the file still holds `before`. Throws an Error when it does not. */
export function writeConfig(path: string, before: string, after: string): void {
  if (configText(path) !== before)
    throw new Error(`${path} has changed in the meantime; look again.`)
  const file = existsSync(path) ? realpathSync(path) : path
  replaceFile(file, after, existsSync(file) ? statSync(file).mode & 0o777 : 0o600)
}
