import { lookup } from 'node:dns/promises'
import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import {
  type ConfigSection,
  defineSection,
  defineSkill,
  type Skill,
  singleLine,
  type Tool,
  words,
} from '@passepartout/core'
import { z } from 'zod'
import { orRefusal } from './file-tools.ts'

const hostPattern = /^(?:\*\.)?(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)+[a-z][a-z\d-]*[a-z\d]$/
const expectedHosts = 'hosts such as docs.example.org or *.wikipedia.org'

/** The section that names hosts. */
export const webSection: ConfigSection<string[]> = defineSection({
  marker: 'WEB_HOSTS',
  properties: z.object({ WEB_HOSTS: words(expectedHosts) }),
  read({ WEB_HOSTS }, entry) {
    const hosts = WEB_HOSTS.toLowerCase()
      .split(/[\s,]+/)
      .filter(Boolean)
    const isGood = (host: string) => hostPattern.test(host) && !/^\*\.[^.]+$/.test(host)
    if (hosts.every(isGood)) return hosts
    entry.report('error', 'WEB_HOSTS', `:WEB_HOSTS: expected ${expectedHosts}`)
    return null
  },
})

/** Whether a host is on the list. */
function isListed(host: string, list: readonly string[]): boolean {
  return list.some((one) => (one.startsWith('*.') ? host.endsWith(one.slice(1)) : host === one))
}

const closed = new BlockList()
for (const range of (
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 ' +
  '192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 ' +
  '224.0.0.0/4 240.0.0.0/4'
).split(' ')) {
  const [net = '', bits] = range.split('/')
  closed.addSubnet(net, Number(bits), 'ipv4')
}
closed.addAddress('168.63.129.16', 'ipv4')
const world = new BlockList()
world.addSubnet('2000::', 3, 'ipv6')
const corners = new BlockList()
for (const [net, bits] of [
  ...([
    ['2001::', 23],
    ['2001:db8::', 32],
    ['2002::', 16],
    ['3fff::', 20],
  ] as const),
])
  corners.addSubnet(net, bits, 'ipv6')

/** Whether an address is one of the public network. */
export function isPublic(address: string): boolean {
  if (isIP(address) === 4) return !closed.check(address, 'ipv4')
  if (isIP(address) === 0) return false
  return world.check(address, 'ipv6') && !corners.check(address, 'ipv6')
}

/** How pages are fetched; the defaults are for the web. */
export interface WebSettings {
  schemes: readonly string[]
  ports: readonly number[]
  resolve(host: string): Promise<readonly string[]>
  mayConnect(address: string): boolean
  timeoutMs: number
  bytesMax: number
}

const webDefaults: WebSettings = {
  schemes: ['https:'],
  ports: [443],
  resolve: async (host) => (await lookup(host, { all: true })).map(({ address }) => address),
  mayConnect: isPublic,
  timeoutMs: 20_000,
  bytesMax: 2_000_000,
}

function addressMeant(text: string, list: readonly string[], settings: WebSettings): URL {
  const url = URL.parse(text)
  if (url === null) throw new RangeError(`${text} is no address`)
  const { hostname, password, port, protocol, username } = url
  const { ports, schemes } = settings
  if (!schemes.includes(protocol)) {
    throw new RangeError(`${url.href} does not begin with ${schemes.join(' or ')}//`)
  }
  if (username !== '' || password !== '') throw new RangeError('The address has a password in it')
  const host = hostname.replace(/\.$/, '')
  if (isIP(host.replace(/^\[|\]$/g, '')) !== 0 || !isListed(host, list)) {
    const how = 'the owner can add it to :WEB_HOSTS: in config.org'
    throw new RangeError(`${host} is not among the hosts that may be read; ${how}`)
  }
  const number = port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)
  if (!ports.includes(number)) throw new RangeError(`Port ${number} is not one of the web`)
  return url
}

interface Answer {
  status: number
  location: string | null
  type: string
  body: Buffer
}

async function ask(url: URL, settings: WebSettings, abort: AbortSignal): Promise<Answer> {
  const addresses = await settings.resolve(url.hostname).catch(() => [])
  if (addresses.length === 0) throw new RangeError(`There is no host ${url.hostname}`)
  if (!addresses.every((address) => settings.mayConnect(address))) {
    throw new RangeError(`${url.hostname} leads into a private network`)
  }
  const all = addresses.map((address) => ({ address, family: isIP(address) }))
  const known: LookupFunction = (_, options, done) => {
    if (options.all) done(null, all)
    else done(null, all[0]!.address, all[0]!.family)
  }
  const headers = {
    'user-agent': 'Passepartout',
    accept: 'text/html, text/plain, application/json;q=0.9, text/*;q=0.8',
    'accept-encoding': 'identity',
  }
  const isSecure = url.protocol === 'https:'
  const { request: send } = isSecure ? await import('node:https') : await import('node:http')
  return new Promise((resolve, reject) => {
    const options = { lookup: known, headers, signal: abort, agent: false }
    const request = send(url, options, (message) => {
      read(message, settings.bytesMax).then(resolve, (error) => {
        request.destroy()
        reject(error)
      })
    })
    request.once('error', reject).end()
  })
}

async function read(message: IncomingMessage, bytesMax: number): Promise<Answer> {
  const { headers, statusCode: status = 0 } = message
  const { location = null, 'content-type': type = '' } = headers
  const isMoved = status >= 300 && status < 400
  const encoding = headers['content-encoding'] ?? 'identity'
  if (!isMoved && encoding !== 'identity') throw new RangeError('The answer is compressed')
  if (!isMoved && !readable.test(type)) throw new RangeError(`The page is ${type || 'of no type'}`)
  const parts: Buffer[] = []
  let size = 0
  for await (const part of isMoved ? [] : (message as AsyncIterable<Buffer>)) {
    size += part.length
    if (size > bytesMax) throw new RangeError(`The page has more than ${bytesMax} bytes`)
    parts.push(part)
  }
  if (isMoved) message.destroy()
  return { status, location, type, body: Buffer.concat(parts) }
}

const readable =
  /^(?:text\/(?!event-stream)[\w.+-]+|application\/(?:json|xml|xhtml\+xml|[\w.]+\+(?:json|xml)))\b/i

const movesMax = 5

async function pageAt(
  first: string,
  list: readonly string[],
  settings: WebSettings,
  abort: AbortSignal,
): Promise<{ url: URL; text: string }> {
  const time = AbortSignal.timeout(settings.timeoutMs)
  const until = AbortSignal.any([abort, time])
  let url = addressMeant(first, list, settings)
  try {
    for (let moves = 0; moves <= movesMax; moves++) {
      const { body, location, status, type } = await ask(url, settings, until)
      if (location === null || status < 300 || status >= 400) {
        if (status !== 200) throw new RangeError(`${url.hostname} answers with ${status}`)
        return { url, text: await textOf(body, type, url) }
      }
      const next = URL.parse(location, url)
      if (next === null) throw new RangeError('The page has moved to what is no address')
      url = addressMeant(next.href, list, settings)
    }
    throw new RangeError(`The page has moved more than ${movesMax} times`)
  } catch (error) {
    if (error instanceof RangeError) throw error
    const why = time.aborted ? `it took longer than ${settings.timeoutMs / 1_000} s` : 'no answer'
    throw new RangeError(`${url.hostname} could not be read: ${why}`)
  }
}

type Convert = (html: string, options: object) => string

async function textOf(body: Buffer, type: string, { href }: URL): Promise<string> {
  const [, charset = 'utf-8'] = /charset="?([\w-]+)/i.exec(type) ?? []
  const text = decoderFor(charset).decode(body)
  if (!/html/i.test(type)) return text
  const library: string = 'html-to-text'
  const { convert } = (await import(library)) as { convert: Convert }
  return convert(text, {
    wordwrap: false,
    limits: { maxInputLength: 1_000_000, maxDepth: 60, maxChildNodes: 5_000 },
    selectors: [
      { selector: 'a', options: { baseUrl: new URL(href).origin, hideLinkHrefIfSameAsText: true } },
      ...['img', 'nav', 'script', 'style', 'noscript', 'svg', 'form'].map((selector) => ({
        selector,
        format: 'skip',
      })),
    ],
  })
}

function decoderFor(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset)
  } catch {
    return new TextDecoder()
  }
}

const partLength = 20_000

const parameters = z.object({
  url: singleLine().min(1).max(2_000).meta({ destination: true }).describe('https://…'),
  part: z.number().int().min(1).max(200).default(1).describe('of a long page'),
})

/** The skill that fetches pages from these hosts. */
export function createWebFetch(
  hosts: readonly string[],
  settings: Partial<WebSettings> = {},
): Skill {
  const all = { ...webDefaults, ...settings }
  const tool: Tool = {
    name: 'web-fetch',
    description: 'Fetches a page of the web as text, from the hosts that the owner has named.',
    parameters,
    readOnly: true,
    timeoutMs: all.timeoutMs + 5_000,
    run: (args, { abort }) =>
      orRefusal(async () => {
        const { url: wanted, part } = parameters.parse(args)
        const { url, text } = await pageAt(wanted, hosts, all, abort)
        const count = Math.max(1, Math.ceil(text.length / partLength))
        if (part > count) throw new RangeError(`The page has ${count} parts`)
        const shown = text.slice((part - 1) * partLength, part * partLength).toWellFormed()
        const head = `${url.href}${count > 1 ? `, part ${part} of ${count}` : ''}`
        return { status: 'success', content: `${head}\n\n${shown}`, origin: 'web' }
      }),
  }
  return defineSkill({
    name: 'web-fetch',
    description: 'Reads pages of the web as text.',
    offeredFor: ['web', 'website', 'page', 'url', 'http', 'https', 'fetch'],
    tools: [tool],
    hiddenTools: () => (hosts.length === 0 ? ['web-fetch'] : []),
  })
}
