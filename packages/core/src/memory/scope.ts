import type { Version } from './history.ts'

/** `memex`, `project:NAME` or `session:ID`. */
export type Scope = 'memex' | `project:${string}` | `session:${string}`

/** Reads a scope as it is written in a property or by a person; null when it is none. */
export function readScope(text: string): Scope | null {
  const written = text.trim()
  if (written.toLowerCase() === 'memex') return 'memex'
  const match = /^(?:(project|session):)?\s*([\p{L}\p{N}][\p{L}\p{N} _.-]{0,63})$/iu.exec(written)
  if (match === null) return null
  const kind = (match[1] ?? 'project').toLowerCase() as 'project' | 'session'
  return `${kind}:${match[2]!.trim().toLowerCase()}`
}

/** The scope that a note itself is given; null when it says none. */
export function ownScope({
  type,
  attributes,
  content,
}: Pick<Version, 'type' | 'attributes' | 'content'>): Scope | null {
  const keyword = type === 'file' ? /^#\+property:[ \t]+scope[ \t]+(.+)$/im.exec(content) : null
  return readScope(attributes.SCOPE ?? keyword?.[1] ?? '')
}
