import { join, relative } from 'node:path'
import {
  diagnostics,
  type Headline,
  type Link,
  type OrgContent,
  type Paragraph,
  property,
  walk,
} from 'org-ast'
import { type Directory, imageWithin, resolveLink } from '../content/links.ts'
import type { Page } from '../pages/pages.ts'
import { anchorId } from '../pages/pages.ts'

/** Something that is wrong with a document; `file` absolute, `line` 1-based. */
export interface WeaveProblem {
  file: string
  line: number
  message: string
  /** Which check found it: `link`, `alternative`, `duplicate`, `order`, `address`, … */
  rule: string
}

type Complain = (line: number, rule: string, message: string) => void

/** What is wrong with these pages, apart from links that are dead. */
export function checkPages(pages: readonly Page[], directory: Directory): WeaveProblem[] {
  const problems: WeaveProblem[] = []
  const ids = new Map<string, string>()
  const addresses = new Map<string, string>()
  for (const page of pages) {
    const complain: Complain = (line, rule, message) =>
      problems.push({ ...page.place(line), message, rule })
    const before = addresses.get(page.url)
    if (before !== undefined)
      complain(1, 'address', `${before} has the address ${page.url} already`)
    addresses.set(page.url, page.path)
    const hosts = [page.tree, ...page.slugs.keys()]
    for (const host of hosts) {
      const id = property(host, 'ID')
      if (id === null) continue
      const place = `${page.path}:${host.position.start.line}`
      const first = ids.get(id)
      if (first !== undefined)
        complain(host.position.start.line, 'duplicate', `the id ${id} is also at ${first}`)
      else ids.set(id, place)
    }
    checkPage(page, directory, complain)
  }
  return problems
}

function checkPage(page: Page, directory: Directory, complain: Complain): void {
  const { lines } = page.tree.body
  for (const { code, offset, message } of diagnostics(page.tree, page.text))
    complain(lines.point(offset).line, code, message)
  const names = new Map<string, number>()
  const levels = [0]
  walk(page.tree, (node) => {
    if (node.type === 'headline') {
      if (!page.slugs.has(node)) return false
      checkOrder(node, levels, complain)
    }
    checkName(node, names, page, complain)
    if (node.type === 'paragraph') checkImages(node, page, directory, complain)
    return true
  })
}

function checkOrder({ level, position }: Headline, levels: number[], complain: Complain): void {
  const before = levels[0]!
  if (level > before + 1) {
    const words = before === 0 ? 'the first heading' : `a heading of level ${before}`
    complain(position.start.line, 'order', `level ${level} follows ${words}`)
  }
  levels[0] = level
}

function checkName(
  node: OrgContent | { type: string },
  names: Map<string, number>,
  { place }: Page,
  complain: Complain,
): void {
  const isTarget = node.type === 'target' || node.type === 'radio-target'
  if (!isTarget && !('affiliated' in node)) return
  const { name, value, position } = node as { name?: unknown; value?: unknown } & OrgContent
  const word = isTarget ? value : name
  if (typeof word !== 'string' || word === '') return
  const id = anchorId(word)
  const line = position.start.line
  const before = names.get(id)
  if (before === undefined) names.set(id, line)
  else {
    const [here, there] = [place(line), place(before)]
    const file =
      here.file === there.file ? '' : ` of ${relative(join(here.file, '..'), there.file)}`
    complain(line, 'duplicate', `the name ${word} is also in line ${there.line}${file}`)
  }
}

function checkImages(node: Paragraph, page: Page, directory: Directory, complain: Complain): void {
  const images: Link[] = []
  walk(node, (inner) => {
    if (inner.type !== 'link') return
    const image = inner.children.length === 0 ? inner : imageWithin(inner)
    const target = image === null ? '' : resolveLink(image, page, directory)
    if (image !== null && typeof target !== 'string' && target.kind === 'image') images.push(image)
  })
  const isSaid = node.affiliated.some(
    ({ key, value, children }) =>
      children.length > 0 || (key === 'ATTR_HTML' && /(?:^|\s):alt(?:\s|$)/.test(` ${value}`)),
  )
  for (const image of images.slice(isSaid ? 1 : 0)) {
    const words = 'put #+attr_html: :alt or #+caption: above it'
    const { line } = image.position.start
    complain(line, 'alternative', `nothing is said of the image ${image.path}; ${words}`)
  }
}
