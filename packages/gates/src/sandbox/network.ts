import { randomBytes } from 'node:crypto'
import { type RunLimits, type RunResult, runContained } from './run.ts'
import type { SandboxView } from './sandbox.ts'

type Manager = typeof import('@anthropic-ai/sandbox-runtime')['SandboxManager']

async function startProxy(): Promise<Manager> {
  const { SandboxManager: manager } = await import('@anthropic-ai/sandbox-runtime')
  await manager.initialize({
    network: {
      allowedDomains: [],
      deniedDomains: [],
      deniedResolvedAddresses: [
        ...['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10'],
        ...['fc00::/7', 'fec0::/10'],
      ],
    },
    filesystem: { denyRead: [], allowWrite: [], denyWrite: [] },
  })
  await manager.waitForNetworkInitialization()
  return manager
}

function sharedProxy() {
  let started: Promise<Manager> | null = null
  return {
    start(): Promise<Manager> {
      started ??= startProxy().catch((error) => {
        started = null
        throw error
      })
      return started
    },
    async close(): Promise<void> {
      const manager = started
      started = null
      await (await manager)?.reset()
    },
  }
}

const proxy = sharedProxy()

/** Ends the proxy, if it was started. */
export async function closeNetwork(): Promise<void> {
  await proxy.close()
}

async function addressFor(manager: Manager, id: string): Promise<string> {
  const nothing = { filesystem: { denyRead: [], allowWrite: [], denyWrite: [] } }
  const line = await manager.wrapWithSandbox('true', '/bin/sh', nothing, undefined, {
    commandId: id,
  })
  manager.cleanupAfterCommand()
  const address = /--setenv HTTP_PROXY '?(http:\/\/[\w.:%=+-]+@localhost:3128)'? /.exec(line)?.[1]
  if (address === undefined) throw new Error('the proxy has no address')
  return address
}

const socketInside = '/tmp/.passepartout-proxy'

const bridge = `socat TCP4-LISTEN:3128,bind=127.0.0.1,fork,reuseaddr UNIX-CONNECT:${socketInside} >/dev/null 2>&1 3>&- &
tries=0
until grep -q ':0C38 ' /proc/net/tcp; do
  tries=$((tries + 1))
  if [ $tries -gt 250 ]; then echo 'The network did not come up.' >&2; exit 125; fi
  sleep 0.02
done
`

/** Runs a command that may reach these hosts. Rejects when the proxy cannot be started. */
export async function runWithHosts(
  command: string,
  view: SandboxView,
  sandbox: { program: string; options: readonly string[] },
  hosts: readonly string[],
  limits: RunLimits,
): Promise<RunResult> {
  const manager = await proxy.start()
  const socket = manager.getLinuxHttpSocketPath()
  if (socket === undefined) throw new Error('the proxy has no socket')
  const id = randomBytes(32).toString('base64url')
  manager.registerCommandNetworkLists(id, { allowedDomains: [...hosts] })
  try {
    const address = await addressFor(manager, id)
    const names = [
      'http_proxy',
      'https_proxy',
      'HTTP_PROXY',
      'HTTPS_PROXY',
      'all_proxy',
      'ALL_PROXY',
    ]
    const environment = Object.fromEntries(names.map((name) => [name, address]))
    const binds = [{ from: socket, to: socketInside }]
    return await runContained(command, { ...view, environment, binds }, sandbox, limits, bridge)
  } finally {
    manager.unregisterCommandNetworkLists(id)
  }
}
