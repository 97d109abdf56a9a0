function replace(shown: Element, before: Element, after: Element): void {
  const [olds, news] = [[...before.childNodes], [...after.childNodes]]
  if (shown.childNodes.length !== olds.length) {
    shown.replaceChildren(...news.map(copy))
    return
  }
  const shared = Math.min(olds.length, news.length)
  let start = 0
  while (start < shared && olds[start]!.isEqualNode(news[start]!)) start++
  let end = 0
  while (end < shared - start && olds.at(-1 - end)!.isEqualNode(news.at(-1 - end)!)) end++
  const [from, to] = [olds.slice(start, olds.length - end), news.slice(start, news.length - end)]
  const places = [...shown.childNodes].slice(start, olds.length - end)
  if (from.length === to.length) {
    for (const [at, place] of places.entries()) pair(place, from[at]!, to[at]!)
    return
  }
  const next = shown.childNodes[olds.length - end] ?? null
  for (const node of places) node.remove()
  for (const node of to) shown.insertBefore(copy(node), next)
}

function pair(shown: Node, before: Node, after: Node): void {
  if (before.isEqualNode(after)) return
  const isShell = before instanceof Element && before.matches('main, nav, .left, .content')
  const isSame = isShell && before.cloneNode().isEqualNode(after.cloneNode())
  if (isSame) replace(shown as Element, before, after as Element)
  else shown.parentNode?.replaceChild(copy(after), shown)
}

function copy(node: Node): Node {
  return document.importNode(node, true)
}

function keepingPlace(change: () => void): void {
  const blocks = [...document.querySelectorAll('.content > *')]
  const seen = blocks.filter((block) => block.getBoundingClientRect().bottom > 0)
  const before = seen.map((block) => block.getBoundingClientRect().top)
  change()
  const at = seen.findIndex((block) => block.isConnected)
  const moved = at < 0 ? 0 : seen[at]!.getBoundingClientRect().top - before[at]!
  if (moved !== 0) scrollBy({ top: moved, behavior: 'instant' })
}

const parser = new DOMParser()
let sent: Document | null = null
let state: 'idle' | 'asking' | 'again' = 'idle'

async function fetched(): Promise<Document | null> {
  const response = await fetch(location.href.replace(/#.*$/, ''), { cache: 'no-store' })
  return response.ok ? parser.parseFromString(await response.text(), 'text/html') : null
}

async function update(): Promise<void> {
  if (state !== 'idle') {
    state = 'again'
    return
  }
  state = 'asking'
  const next = await fetched().catch(() => null)
  if (next !== null && sent !== null) show(next, sent)
  if (next !== null) sent = next
  const more = (state as string) === 'again'
  state = 'idle'
  if (more) await update()
}

function show(next: Document, before: Document): void {
  const head = (page: Document) =>
    [...page.head.querySelectorAll('script, link')].map((one) => one.outerHTML).join('')
  if (head(next) !== head(before)) {
    location.reload()
    return
  }
  if (next.title !== document.title) document.title = next.title
  if (next.body.isEqualNode(before.body)) return
  keepingPlace(() => replace(document.body, before.body, next.body))
  document.dispatchEvent(new Event('org-weave:changed'))
}

function restyle(): void {
  for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]')) {
    const url = new URL(link.href)
    url.search = `${Number(url.search.slice(1)) + 1}`
    link.href = url.href
  }
}

const own = document.currentScript as HTMLScriptElement | null
if (own !== null) {
  const events = new EventSource(new URL('events', own.src))
  events.addEventListener('change', () => void update())
  events.addEventListener('style', restyle)
  events.addEventListener('open', () => void update())
}
