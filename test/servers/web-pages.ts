import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Tool } from '@passepartout/core'
import { createWebFetch } from '../../packages/skills/src/tools/web-fetch.ts'
import { drawer, type Scene } from './scenario-stage.ts'

/** A server of these pages, by their paths. */
interface WebPages {
  /** What a scene needs, so that its daemon may fetch them. */
  scene: Required<Pick<Scene, 'config' | 'tools'>>
  /** Where they are, such as `http://a.example:40123`; known when it is open. */
  address(): string
  open(): Promise<void>
  close(): void
}

const host = 'a.example'

/** Pages of HTML under `http://a.example`. */
export function webPages(pages: Readonly<Record<string, string>>): WebPages {
  const server = createServer(({ url = '/' }, response) => {
    const page = pages[url]
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html' })
    response.end(page ?? '<h1>Not found</h1>')
  })
  const port = () => (server.address() as AddressInfo | null)?.port ?? 0
  const tool: Tool = {
    ...createWebFetch([host]).tools![0]!,
    run(args, context) {
      const settings = {
        schemes: ['http:'],
        ports: [port()],
        resolve: async () => ['127.0.0.1'],
        mayConnect: (address: string) => address === '127.0.0.1',
      }
      return createWebFetch([host], settings).tools![0]!.run(args, context)
    },
  }
  return {
    scene: { config: () => `* The web\n${drawer(`:WEB_HOSTS: ${host}`)}`, tools: [tool] },
    address: () => `http://${host}:${port()}`,
    async open() {
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
    },
    close: () => void server.close(),
  }
}
