import type { ConfigEntry } from './config.ts'

/** The address without slashes at its end; null when it is none that a path can follow. */
export function readAddress(text: string): string | null {
  if (!URL.canParse(text)) return null
  const url = new URL(text)
  const plain = url.search === '' && url.hash === '' && url.username === '' && url.password === ''
  return /^https?:$/.test(url.protocol) && plain ? text.trim().replace(/\/+$/, '') : null
}

/** Where keys come from: a variable by its name, a secret of the vault by its name; null for none. */
export interface Secrets {
  env(name: string): string | null
  vault(name: string): string | null
}

/** The two properties that name a key. */
interface KeyNames {
  KEY_ENV?: string | undefined
  KEY_VAULT?: string | undefined
}

/** The key, empty for none; null after telling what is wrong with it. */
export function keyOf(
  { KEY_ENV, KEY_VAULT }: KeyNames,
  isNeeded: boolean,
  secrets: Secrets,
  { report }: ConfigEntry,
): string | null {
  const wrong = (name: string, message: string) => {
    report('error', name, `:${name}: ${message}`)
    return null
  }
  if (KEY_ENV !== undefined && KEY_VAULT !== undefined) {
    return wrong('KEY_VAULT', 'and :KEY_ENV: are both there; keep one')
  }
  if (KEY_ENV !== undefined) {
    if (!/^[A-Z_][A-Z0-9_]{0,60}$/.test(KEY_ENV)) {
      return wrong('KEY_ENV', 'expected the name of a variable, in capitals; the key is its value')
    }
    return (
      secrets.env(KEY_ENV)?.trim() || wrong('KEY_ENV', `the variable ${KEY_ENV} is not set; set it`)
    )
  }
  if (KEY_VAULT !== undefined) {
    return (
      secrets.vault(KEY_VAULT)?.trim() || wrong('KEY_VAULT', 'the vault has no such secret; add it')
    )
  }
  if (!isNeeded) return ''
  return wrong('PROVIDER', 'needs a key; name it with :KEY_ENV: or :KEY_VAULT:')
}

/** Tells the owner when a key would leave this machine without encryption. */
export function warnOfClearText(address: string, key: string, { report }: ConfigEntry): void {
  const { protocol, hostname } = new URL(address)
  const isHere = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
  if (protocol === 'https:' || key === '' || isHere) return
  report('warning', 'BASE_URL', ':BASE_URL: sends the key in clear text; expected https://')
}
