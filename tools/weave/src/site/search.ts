import { type Headline, headlines, type OrgContent, type OrgData, plainText, walk } from 'org-ast'
import type { Page } from '../pages/pages.ts'
import type { SearchShard, ShardSection } from '../pages/search-shard.ts'

/** Where on a page a name is defined, or null when that is not known. */
export type PlaceOf = (page: Page, name: string) => string | null

/** What the search knows of a page. */
export function shardOf(page: Page, placeOf: PlaceOf = () => null): SearchShard {
  const textIn = (host: Headline | OrgData) => (page.options.search ? textOf(host) : '')
  const namesIn = (host: Headline | OrgData) =>
    exportsIn(host).map((name) => {
      const place = placeOf(page, name)
      return place === null ? name : `${name}#${place}`
    })
  const about = [page.subtitle, page.description].filter((part) => part !== null).join(' ')
  const sections: ShardSection[] = [['', page.title, textIn(page.tree), namesIn(page.tree)]]
  for (const headline of headlines(page.tree)) {
    const slug = page.slugs.get(headline)
    if (slug === undefined) continue
    sections.push([slug, plainText(headline.title), textIn(headline), namesIn(headline)])
  }
  return [page.url, page.title, about, sections]
}

function textOf(host: Headline | OrgData): string {
  const parts: string[] = []
  const collect = (node: OrgContent | OrgData) => {
    if (node.type === 'dynamic-block') return false
    if (node.type !== 'paragraph' && node.type !== 'table-cell') return true
    parts.push(plainText(node.children))
    return false
  }
  for (const part of ownParts(host)) walk(part, collect)
  return parts.join(' ').replace(/\s+/g, ' ').trim()
}

function ownParts(host: Headline | OrgData): OrgContent[] {
  return host.children.filter(({ type }) => type === 'section')
}

const exported =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|class|interface|type|const|let|enum) ([\w$]+)/gm

function exportsIn(host: Headline | OrgData): string[] {
  const names = new Set<string>()
  for (const part of ownParts(host)) {
    walk(part, (node) => {
      if (node.type !== 'src-block') return
      for (const [, name] of node.value.matchAll(exported)) names.add(name!)
    })
  }
  return [...names]
}

/** The words of these pages as a script. */
export function searchIndex(pages: readonly Page[], placeOf?: PlaceOf): string {
  const lines = pages.map((page) => JSON.stringify(shardOf(page, placeOf)))
  return `globalThis.orgWeaveShards = [\n${lines.join(',\n')}\n]\n`
}
