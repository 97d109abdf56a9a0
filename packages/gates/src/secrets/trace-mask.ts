import type { ObjectStore } from '@passepartout/core'
import { materialMask } from './private-mask.ts'
import { redact } from './secret-content.ts'
import type { Vault } from './vault.ts'

/** A function that says what of a text may be written into the trace. */
export function traceMask(store: ObjectStore, vault: Vault | null): (text: string) => string {
  const withoutPrivate = materialMask(store)
  return (text) => redact(withoutPrivate(withoutVault(vault, text)))
}

function withoutVault(vault: Vault | null, text: string): string {
  const { namesIn } = vault?.matcher() ?? { namesIn: () => [] }
  return without(text, (part) => namesIn(part).length > 0, '… (from the vault)')
}

function without(text: string, holds: (part: string) => boolean, mark: string): string {
  if (!holds(text)) return text
  const lines = text.split('\n').map((line) => (holds(line) ? mark : line))
  const rest = lines.join('\n')
  return holds(rest) ? mark : rest
}

/** A function that says what of a text may be shown to a model. */
export function promptMask(vault: Vault | null): (text: string) => string {
  return (text) => redact(withoutVault(vault, text))
}
