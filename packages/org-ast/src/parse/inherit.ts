import type { Headline, OrgData } from '../tree/nodes.ts'
import { ancestors, collectProperty, propertyValue } from '../tree/query.ts'
import { type FileOptions, fileOptions } from './options.ts'

/**
 * The value of a property for a headline, or for the text above the first one with null, from the
 * entry itself, those around it, the file's drawer, or `#+PROPERTY:`; null when it is not set or
 * set to `nil`. As `org-entry-get` with inheritance.
 */
export function inheritedProperty(
  tree: OrgData,
  headline: Headline | null,
  name: string,
  options: FileOptions = fileOptions(tree),
): string | null {
  const { value, added } = collectProperty(owners(tree, headline), name)
  return propertyValue(value ?? options.properties.get(name.toUpperCase()) ?? null, added)
}

function owners(tree: OrgData, headline: Headline | null): (Headline | OrgData)[] {
  return headline === null ? [tree] : [headline, ...ancestors(tree, headline).reverse(), tree]
}

/** The category of a headline, or of the file with null; `fileName` when nothing declares one. */
export function category(
  tree: OrgData,
  headline: Headline | null,
  fileName: string | null = null,
  options: FileOptions = fileOptions(tree),
): string | null {
  const properties = new Map<string, string>()
  const own = options.category ?? fileName
  if (own !== null) properties.set('CATEGORY', own)
  return inheritedProperty(tree, headline, 'CATEGORY', { ...options, properties })
}

/** The level of a headline for an outline: its stars, or half of them in a file of odd levels. */
export function effectiveLevel(headline: { level: number }, options: FileOptions): number {
  return options.startup.oddLevels === true ? 1 + (headline.level >> 1) : headline.level
}
