import {
  type ConfigSection,
  defineSection,
  duration,
  keyOf,
  readAddress,
  type Secrets,
  warnOfClearText,
  words,
} from '@passepartout/core'
import { z } from 'zod'

/** A server as the owner has named it. */
export interface McpServerConfig {
  /** Lower case with dashes; stands before the names of its tools. */
  name: string
  /** The program and its arguments; null for a server with an address. */
  command: readonly string[] | null
  /** Its address; null for a program. */
  url: string | null
  /** Sent as a bearer token to an address; empty for none. */
  key: string
  /** The environment of a program. */
  env: Readonly<Record<string, string>>
  /** How long a call may take, in milliseconds. */
  timeoutMs: number
}

const schema = z.object({
  MCP: z.string().regex(/^[a-z][a-z0-9]{0,19}$/, { error: 'a short name in lower case' }),
  COMMAND: words('a program and its arguments').optional(),
  URL: words('an address that begins with https:// or http://').optional(),
  ENV: z.string().optional(),
  KEY_ENV: words('the name of an environment variable').optional(),
  KEY_VAULT: words('the name of a secret in the vault').optional(),
  TIMEOUT: duration(10 * 60_000).default(30_000),
})

/** The section of the servers, for one reading of the file. */
export function mcpSection(secrets: Secrets): ConfigSection<McpServerConfig> {
  const taken = new Set<string>()
  return defineSection({
    marker: 'MCP',
    properties: schema,
    read(values, entry) {
      const { COMMAND, ENV = '', MCP: name, TIMEOUT: timeoutMs, URL: address } = values
      const report = (property: string, message: string) => entry.report('error', property, message)
      if (taken.has(name)) report('MCP', `:MCP: there is another server called ${name}`)
      taken.add(name)
      if ((COMMAND === undefined) === (address === undefined)) {
        report('MCP', ':MCP: needs either a :COMMAND: or a :URL:')
        return null
      }
      const url = address === undefined ? null : readAddress(address)
      if (address !== undefined && url === null)
        report('URL', ':URL: is no address without ? and #')
      const command = COMMAND === undefined ? null : wordsOf(COMMAND)
      const key = url === null ? '' : keyOf(values, false, secrets, entry)
      if (key === null) return null
      if (url !== null) warnOfClearText(url, key, entry)
      const names = ENV.split(/[\s,]+/).filter((one) => one !== '')
      const wrong = names.find((one) => !/^[A-Za-z_]\w{0,60}$/.test(one))
      if (wrong !== undefined)
        report('ENV', `:ENV: ${wrong} is no name of a variable; expected names`)
      const env = Object.fromEntries(
        ['PATH', ...names].flatMap((one) => {
          const value = secrets.env(one)
          return value === null ? [] : [[one, value]]
        }),
      )
      return { name, command, url, key, env, timeoutMs }
    },
  })
}

function wordsOf(line: string): string[] {
  const found = line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)
  return [...found].map(([, double, single, plain]) => double ?? single ?? plain ?? '')
}
