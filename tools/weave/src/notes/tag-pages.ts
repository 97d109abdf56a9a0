import { posix } from 'node:path'
import { h } from 'hastscript'
import { plainText } from 'org-ast'
import { plainSheet } from '../pages/extras.ts'
import type { Sheet } from '../pages/layout.ts'
import { type Page, slugger } from '../pages/pages.ts'

const silent = new Set(['noexport', 'ARCHIVE', 'ATTACH', 'crypt', 'FLAGGED'])

/** A place that carries a tag. */
interface Tagged {
  url: string
  title: string
  page: Page
}

/** The places of each tag, tags in the order of their names, places in that of the pages. */
export function tagsOf(pages: readonly Page[]): Map<string, Tagged[]> {
  const found = new Map<string, Tagged[]>()
  const add = (tag: string, tagged: Tagged) => {
    if (silent.has(tag)) return
    const places = found.get(tag)
    if (places === undefined) found.set(tag, [tagged])
    else places.push(tagged)
  }
  for (const page of pages) {
    const own = new Set(page.tree.filetags)
    for (const tag of own) add(tag, { url: page.url, title: page.title, page })
    for (const [headline, slug] of page.slugs) {
      for (const tag of new Set(headline.tags)) {
        if (own.has(tag)) continue
        add(tag, { url: `${page.url}#${slug}`, title: plainText(headline.title), page })
      }
    }
  }
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** A page for each of these tags, and before them one of all. */
export function tagSheets(tags: ReadonlyMap<string, readonly Tagged[]>): Sheet[] {
  const slug = slugger()
  slug('index')
  const urls = new Map([...tags.keys()].map((tag) => [tag, `tags/${slug(tag)}.html`]))
  const all = [...tags].map(([tag, places]) => {
    const link = h('a', { href: posix.basename(urls.get(tag)!) }, tag)
    return h('li', [link, ` ${places.length}`])
  })
  const content = h('div', { className: 'content' }, h('ul', { className: 'tags' }, all))
  const index = plainSheet({ url: 'tags/index.html', kind: 'index', title: 'Tags', content })
  return [index, ...[...tags].map(([tag, places]) => tagSheet(tag, urls.get(tag)!, places))]
}

function tagSheet(tag: string, url: string, places: readonly Tagged[]): Sheet {
  const items = places.map(({ url: to, title, page }) => {
    const link = h('a', { href: posix.relative('tags', to) }, title || page.title)
    return h('li', to === page.url ? [link] : [link, ' · ', page.title])
  })
  const back = h('p', h('a', { href: 'index.html' }, 'All tags'))
  const content = h('div', { className: 'content' }, [h('ul', items), back])
  return plainSheet({ url, kind: 'index', title: `Tagged ${tag}`, content })
}
