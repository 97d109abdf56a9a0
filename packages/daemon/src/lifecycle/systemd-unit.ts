import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  cacheDirectory,
  commandName,
  configDirectory,
  dataDirectory,
  stateDirectory,
} from '@passepartout/core'
import { realOr } from '@passepartout/gates/sandbox'
import { readDaemonConfig } from './daemon.ts'

type Environment = Record<string, string | undefined>

const variables = [
  'MEMEX_DIR',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'XDG_STATE_HOME',
  'XDG_CACHE_HOME',
]

/** What the unit has to know about this owner: folders outside of the home, and variables. */
interface UnitPlaces {
  /** Absolute. */
  writes: readonly string[]
  environment: Readonly<Record<string, string>>
}

/** Where a daemon in this environment writes. Throws a TypeError when there are no notes. */
export function unitPlaces(env: Environment): UnitPlaces {
  const { memexDir, workspaces } = readDaemonConfig(env, () => 'kept elsewhere')
  const own = [stateDirectory, configDirectory, dataDirectory, cacheDirectory].map((of) => of(env))
  const named = [memexDir, ...workspaces.map(({ folder }) => folder), ...own]
  const homes = [homedir(), realOr(homedir())]
  const isInHome = (path: string) => homes.some((home) => `${path}/`.startsWith(`${home}/`))
  const writes = named.flatMap((path) => [path, realOr(path)]).filter((path) => !isInHome(path))
  const given = variables.flatMap((name) => {
    const value = env[name] ?? ''
    return value.startsWith('/') ? [[name, value] as const] : []
  })
  return { writes: [...new Set(writes)].sort(), environment: Object.fromEntries(given) }
}

/** The text of the unit; both paths are absolute. Throws a TypeError for a path that no unit can name. */
export function unitText(node: string, daemon: string, places: UnitPlaces = inHome): string {
  const command = [
    node,
    '--disable-warning=ExperimentalWarning',
    '--conditions=@passepartout/source',
    '--max-semi-space-size=1',
    daemon,
  ]
  return `[Unit]
Description=Passepartout, an agent that lives in your Org files

[Service]
Type=exec
ExecStart=${command.map(quoted).join(' ')}
ExecReload=/bin/kill -HUP $MAINPID
Environment=NODE_COMPILE_CACHE=%C/passepartout
Restart=on-failure
RestartSec=5
TimeoutStopSec=7
NoNewPrivileges=yes
ProtectSystem=strict
ReadWritePaths=%h
RuntimeDirectory=passepartout
RuntimeDirectoryPreserve=yes
PrivateTmp=${places.writes.some((path) => /^\/(?:var\/)?tmp\//.test(path)) ? 'no' : 'yes'}
ProtectKernelTunables=yes
ProtectControlGroups=yes
RestrictSUIDSGID=yes
RestrictRealtime=yes
LockPersonality=yes
SystemCallArchitectures=native
MemoryMax=1G
TasksMax=256
UMask=0077
${placeLines(places)}
[Install]
WantedBy=default.target
`
}

const inHome: UnitPlaces = { writes: [], environment: {} }

function placeLines({ writes, environment }: UnitPlaces): string {
  const variables = Object.entries(environment).map(
    ([name, value]) => `Environment=${assigned(`${name}=${value}`)}\n`,
  )
  const folders = writes.map((path) => `ReadWritePaths=${pathWord(path)}\n`)
  return [...variables, ...folders].join('')
}

/** A word of a command line, in which a unit takes a percent sign and a dollar for its own. */
function quoted(word: string): string {
  const plain = word.replace(/[\\"]/g, '\\$&').replaceAll('%', '%%').replaceAll('$', '$$$$')
  return /[\s"'\\]/.test(word) ? `"${plain}"` : plain
}

function assigned(word: string): string {
  return `"${word.replace(/[\\"]/g, '\\$&').replaceAll('%', '%%')}"`
}

/** A path in a list of paths, which knows quotes and no escapes. */
function pathWord(path: string): string {
  const quote = ['"', "'"].find((each) => !path.includes(each))
  if (quote === undefined || /[\n\r\\]/.test(path)) {
    throw new TypeError(`A unit of systemd cannot name the folder ${JSON.stringify(path)}`)
  }
  return `${quote}-${path.replaceAll('%', '%%')}${quote}`
}

/** The unit, or with `isInstalling` what was done with it. */
export function writeUnit(env: Environment, isInstalling: boolean): string {
  const end = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const daemon = fileURLToPath(new URL(`daemon.${end}`, import.meta.url))
  const text = unitText(process.execPath, daemon, knownPlaces(env))
  if (!isInstalling) return text
  const given = env.XDG_CONFIG_HOME ?? ''
  const base = given.startsWith('/') ? given : join(env.HOME ?? homedir(), '.config')
  const path = join(base, 'systemd/user/passepartout.service')
  const next =
    'Next: systemctl --user daemon-reload && systemctl --user enable --now passepartout\n'
  if (existsSync(path)) {
    if (readFileSync(path, 'utf8') === text) return `${path} is there.\n${next}`
    return `${path} is there and says something else; it was left as it is.\nCompare: ${commandName} setup --systemd | diff - ${path}\n`
  }
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text, { flag: 'wx', mode: 0o644 })
  return `${path} is written.\n${next}`
}

function knownPlaces(env: Environment): UnitPlaces {
  try {
    return unitPlaces(env)
  } catch (error) {
    if (error instanceof TypeError) return inHome
    throw error
  }
}
