import { isAbsolute, normalize, resolve, sep } from 'node:path'

/** Where relative paths start, and how links are followed. */
export interface PathPlaces {
  /** The owner's home directory, absolute. */
  home: string
  /** What a relative path is relative to, absolute. */
  cwd: string
  /** The daemon's own directory, which holds its token. */
  stateDir: string
  /** Follows symbolic links as far as the path exists; returns its argument when nothing does. */
  realPath(path: string): string
}

const secretDirectories = [
  '.ssh',
  '.gnupg',
  '.aws',
  '.azure',
  '.kube',
  '.docker',
  '.password-store',
  '.mozilla',
  'keyrings',
  'gcloud',
  'google-chrome',
  'chromium',
]

const secretFiles = [
  '.netrc',
  '.authinfo',
  '.authinfo.gpg',
  '.pgpass',
  '.env',
  '.npmrc',
  '.pypirc',
  '.git-credentials',
  '.vault-token',
  'id_rsa',
  'id_dsa',
  'id_ecdsa',
  'id_ed25519',
  'shadow',
  'gshadow',
  'sudoers',
  'credentials.json',
  'kdbx',
]

const secretPattern = /^(\.env\.(?!example$|sample$|template$|dist$).+|.+\.(pem|key|p12|pfx|kdbx))$/
const processPattern = /^\/proc\/[^/]+\/(environ|mem|maps|fd|root|cwd)(\/|$)/

/** Brings a path as written by a person, a model or a shell into absolute form. */
export function expandPath(path: string, places: PathPlaces): string {
  let expanded = path.replace(/^file:(\/\/)?/, '')
  expanded = expanded.replace(/\$\{?HOME\}?/g, places.home)
  if (expanded === '~' || expanded.startsWith('~/')) expanded = places.home + expanded.slice(1)
  return isAbsolute(expanded) ? normalize(expanded) : resolve(places.cwd, expanded)
}

function couldBe(component: string, name: string): boolean {
  if (!/[*?[\]{}]/.test(component)) return component.toLowerCase() === name
  if (name.startsWith('.') && !component.startsWith('.')) return false
  const source = component
    .replace(/[.+^$()|\\]/g, '\\$&')
    .replace(/\[[^\]]*\]|\{[^}]*\}|\?/g, (part) => (part.startsWith('{') ? '.*' : '.'))
    .replace(/(?<!\.)\*/g, '.*')
    .replace(/[[\]{}]/g, '.')
  return new RegExp(`^${source}$`, 'i').test(name)
}

/** Whether a path, or a pattern that a shell would expand, names something secret. */
export function isSecretPath(path: string, places: PathPlaces): boolean {
  const expanded = expandPath(path, places)
  return isSecretAbsolute(expanded, places) || isSecretAbsolute(places.realPath(expanded), places)
}

function isSecretAbsolute(path: string, places: PathPlaces): boolean {
  if (processPattern.test(path)) return true
  if (path === places.stateDir || path.startsWith(places.stateDir + sep)) return true
  const components = path.split(sep).filter((component) => component !== '')
  const last = components.at(-1) ?? ''
  if (components.some((part) => part !== '*' && secretDirectories.some((d) => couldBe(part, d)))) {
    return true
  }
  if (/^[*?]+$/.test(last)) return false
  return secretPattern.test(last.toLowerCase()) || secretFiles.some((file) => couldBe(last, file))
}
