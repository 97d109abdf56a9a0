import { existsSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, posix, resolve } from 'node:path'
import { watch } from 'chokidar'
import {
  type BuildContext,
  type BuildOptions,
  keepNothing,
  openBuild,
} from '../site/build-context.ts'
import type { WeaveProblem } from '../site/checks.ts'
import { pageScript } from '../site/script.ts'

/** What may be said about serving, and need not be. */
export interface ServeOptions extends BuildOptions {
  port?: number
  /** `127.0.0.1`, `::1` or `localhost`. */
  host?: string
  /** Hears of what is wrong with the documents that were made anew, or of an error. */
  told?: (problems: readonly WeaveProblem[], error: Error | null) => void
}

/** A site that is being served. */
export interface ServedSite {
  /** With a slash at its end. */
  url: string
  close(): Promise<void>
}

const loopback = new Set(['127.0.0.1', '::1', 'localhost'])

/** Serves the documents in `folder` and follows their changes. Throws for a port that is taken. */
export async function serveFolder(
  folder: string,
  root: string,
  options: ServeOptions = {},
): Promise<ServedSite> {
  const { host = '127.0.0.1', port = 0 } = options
  if (!loopback.has(host)) throw new Error(`expected a host of this machine, got ${host}`)
  const state: State = {
    folder: resolve(folder),
    build: null,
    readers: new Set(),
    scripts: new Map(),
  }
  const server = createServer((asked, answer) => void respond(asked, answer, state))
  await listening(server, port, host)
  const { port: real } = server.address() as AddressInfo
  const name = host === '::1' ? '[::1]' : host
  const url = `http://${name}:${real}/`
  const buildOptions = { ...options, address: url, kept: keepNothing() }
  let count = 0
  const reload = async (isWhole = false) => {
    if (isWhole) buildOptions.kept.whole = null
    const live = `${liveUrl}?${++count}`
    state.build = await openBuild(folder, root, { ...buildOptions, live })
  }
  try {
    await reload()
  } catch (error) {
    server.close()
    throw error
  }
  const watcher = await follow(state, reload, options.told ?? (() => {}))
  const close = async () => {
    await watcher.close()
    for (const reader of state.readers) reader.end()
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  }
  return { url, close }
}

interface State {
  folder: string
  build: BuildContext | null
  /** Those who listen for changes. */
  readers: Set<ServerResponse>
  scripts: Map<string, Promise<string>>
}

function listening(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const words = `port ${port} is taken; give another one with --port`
      reject(error.code === 'EADDRINUSE' ? new Error(words) : error)
    })
    server.listen(port, host, resolve)
  })
}

const pause = 15
const rest = 1500

async function follow(
  state: State,
  reload: (isWhole?: boolean) => Promise<void>,
  told: NonNullable<ServeOptions['told']>,
) {
  const ignored = (path: string) =>
    /(?:^|[/\\])(?:\.[^/\\]|node_modules(?:[/\\]|$))/.test(path.slice(state.folder.length))
  const watcher = watch(state.folder, { ignoreInitial: true, ignored })
  const changed = new Set<string>()
  let timer: NodeJS.Timeout | null = null
  let later: NodeJS.Timeout | null = null
  let work = Promise.resolve()
  const send = (event: string) => {
    for (const reader of state.readers) reader.write(`event: ${event}\ndata: \n\n`)
  }
  const change = async () => {
    const files = new Set(changed)
    changed.clear()
    if (files.size === 0) return
    try {
      await reload()
      send('change')
      if ([...files].some((file) => file.endsWith('.css'))) send('style')
      told(problemsOf(state.build!, files), null)
    } catch (error) {
      told([], error instanceof Error ? error : new Error(String(error)))
    }
  }
  const wholly = async () => {
    await reload(true).catch(() => {})
    send('change')
  }
  watcher.on('all', (_, path) => {
    changed.add(resolve(path))
    if (later !== null) clearTimeout(later)
    later = setTimeout(() => {
      work = work.then(wholly)
    }, rest)
    timer ??= setTimeout(() => {
      timer = null
      work = work.then(change)
    }, pause)
  })
  await new Promise<void>((ready) => watcher.once('ready', ready))
  return {
    close: async () => {
      for (const one of [timer, later]) if (one !== null) clearTimeout(one)
      await watcher.close()
      await work
    },
  }
}

function problemsOf(build: BuildContext, files: ReadonlySet<string>): WeaveProblem[] {
  const pages = build.pages.filter(({ file }) => files.has(file))
  const own = build.problems().filter(({ file }) => files.has(file))
  return [...pages.flatMap((page) => build.weave(page).problems), ...own]
}

const liveUrl = '_weave/live.js'
const types: Record<string, string> = {
  html: 'text/html',
  css: 'text/css',
  js: 'text/javascript',
  xml: 'application/atom+xml',
  svg: 'image/svg+xml',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  pdf: 'application/pdf',
  txt: 'text/plain',
  woff2: 'font/woff2',
  mp4: 'video/mp4',
  mp3: 'audio/mpeg',
}

async function respond(
  asked: IncomingMessage,
  answer: ServerResponse,
  state: State,
): Promise<void> {
  answer.setHeader('Cache-Control', 'no-store')
  answer.setHeader('X-Content-Type-Options', 'nosniff')
  answer.setHeader('Cross-Origin-Resource-Policy', 'same-origin')
  answer.setHeader('Referrer-Policy', 'no-referrer')
  if (!isOurName(asked)) return say(answer, 403, 'This server has another name.')
  if (asked.method !== 'GET' && asked.method !== 'HEAD') return say(answer, 405, 'Only reading.')
  const path = pathOf(asked.url ?? '/')
  if (path === '_weave/events') return listen(answer, state)
  try {
    const found =
      path === null || state.build === null ? null : await contentOf(path, state, state.build)
    const missing = found === null ? await state.build?.makers.get('404.html')?.() : null
    const body = found?.body ?? missing ?? 'Not found.'
    const type = types[found === null ? 'html' : found.ending] ?? 'application/octet-stream'
    answer.setHeader('Content-Type', type.startsWith('text/') ? `${type}; charset=utf-8` : type)
    answer.setHeader(
      'Content-Security-Policy',
      `${found?.isFile ? 'sandbox; ' : ''}frame-ancestors 'none'`,
    )
    answer.statusCode = found === null ? 404 : 200
    answer.end(asked.method === 'HEAD' ? '' : body)
  } catch (error) {
    say(answer, 500, error instanceof Error ? error.message : String(error))
  }
}

function isOurName({ headers, socket }: IncomingMessage): boolean {
  const match = /^(127\.0\.0\.1|localhost|\[::1\]):(\d+)$/i.exec(headers.host ?? '')
  if (match === null || Number(match[2]) !== socket.localPort) return false
  const site = headers['sec-fetch-site']
  return (
    site === undefined ||
    site === 'same-origin' ||
    site === 'none' ||
    headers['sec-fetch-mode'] === 'navigate'
  )
}

function say(answer: ServerResponse, status: number, words: string): void {
  answer.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' }).end(`${words}\n`)
}

function pathOf(url: string): string | null {
  try {
    const path = decodeURIComponent(url.replace(/[?#].*$/s, '')).replace(/^\//, '')
    return path === '' || path.endsWith('/') ? `${path}index.html` : path
  } catch {
    return null
  }
}

interface Found {
  body: string | Buffer
  ending: string
  isFile: boolean
}

async function contentOf(path: string, state: State, build: BuildContext): Promise<Found | null> {
  const ending = posix.extname(path).slice(1).toLowerCase()
  if (path === liveUrl) {
    const known = state.scripts.get(path) ?? pageScript('live')
    state.scripts.set(path, known)
    return { body: await known, ending, isFile: false }
  }
  const make = build.makers.get(path)
  if (make !== undefined) return { body: await make(), ending, isFile: false }
  const picture = build.pictures().get(path)
  if (picture !== undefined) return { body: picture, ending, isFile: false }
  for (const [url, body] of path.endsWith('.html') ? build.tangled() : [])
    if (url === path) return { body, ending, isFile: false }
  const wanted = path === build.config.theme || build.wanted(path)
  const file = join(state.folder, path)
  if (!wanted || !existsSync(file)) return null
  return { body: readFileSync(file), ending, isFile: path !== build.config.theme }
}

function listen(answer: ServerResponse, { readers }: State): void {
  answer.writeHead(200, { 'Content-Type': 'text/event-stream' })
  answer.write(': here\n\n')
  readers.add(answer)
  answer.on('close', () => readers.delete(answer))
}
