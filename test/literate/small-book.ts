import { mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type SiteOptions, weaveSite, writeSite } from 'org-weave'

/** Weaves the small book into a new folder and returns the folder. Throws when something is wrong with it. */
export async function weaveSmallBook(options: SiteOptions = {}): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'small-book-'))
  const site = await weaveSite(
    join(import.meta.dirname, '../book'),
    join(import.meta.dirname, '..'),
    {
      address: null,
      ...options,
    },
  )
  if (site.problems.length > 0) throw new Error(JSON.stringify(site.problems))
  writeSite(site, folder, false)
  return folder
}

/** The pages of a woven site, relative to it, sorted. */
export function pagesOf(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return entries.filter((path) => path.endsWith('.html')).sort()
}
