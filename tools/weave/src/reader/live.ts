function replace(shown: Element, before: Element, after: Element): void {
  const [olds, news] = [[...before.childNodes], [...after.childNodes]]
  if (olds.some((node, at) => shown.childNodes[at]?.nodeName !== node.nodeName)) {
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
  let at = 0
  for (const node of to) {
    const found = from.findIndex((old, index) => index >= at && isSamePlace(old, node))
    if (found < 0) shown.insertBefore(copy(node), places[at] ?? next)
    else {
      for (; at < found; at++) places[at]!.remove()
      pair(places[at]!, from[at]!, node)
      at++
    }
  }
  for (; at < places.length; at++) places[at]!.remove()
}

function isSamePlace(one: Node, other: Node): boolean {
  const isCalled = one instanceof Element && other instanceof Element && one.id !== ''
  return isCalled ? one.id === other.id : one.isEqualNode(other)
}

function pair(shown: Node, before: Node, after: Node): void {
  if (before.isEqualNode(after)) return
  const isShell = before instanceof Element && before.matches('main, nav, .left, .content')
  const isSame = isShell && before.cloneNode().isEqualNode(after.cloneNode())
  if (isSame) replace(shown as Element, before, after as Element)
  else shown.parentNode?.replaceChild(folded(copy(after), shown), shown)
}

function folded(made: Node, shown: Node): Node {
  if (!(made instanceof Element && shown instanceof Element)) return made
  const folds = [...shown.querySelectorAll('details')]
  const news = [...made.querySelectorAll('details')]
  if (folds.length === news.length)
    for (const [at, fold] of news.entries()) fold.open = folds[at]!.open
  return made
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

async function fetched(): Promise<Document | null> {
  const response = await fetch(location.href.replace(/#.*$/, ''), { cache: 'no-store' })
  return response.ok ? parser.parseFromString(await response.text(), 'text/html') : null
}

function updatesBy(own: HTMLScriptElement): () => Promise<void> {
  let sent: Document | null = null
  let state: 'idle' | 'asking' | 'again' = 'idle'
  return async function update() {
    if (state !== 'idle') {
      state = 'again'
      return
    }
    state = 'asking'
    const next = await fetched().catch(() => null)
    if (next !== null && sent !== null) show(next, sent)
    else if (next !== null && number(next) !== new URL(own.src).search) location.reload()
    if (next !== null) sent = next
    const more = (state as string) === 'again'
    state = 'idle'
    if (more) await update()
  }
}

function number(page: Document): string | null {
  const script = page.querySelector('script[src*="_weave/live.js"]')
  return script === null ? null : (script.getAttribute('src')!.match(/\?.*$/)?.[0] ?? '')
}

function show(next: Document, before: Document): void {
  const head = (page: Document) =>
    [...page.head.querySelectorAll('script, link')]
      .map((one) => one.outerHTML.replace(/live\.js\?\d+/, ''))
      .join('')
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
  const update = updatesBy(own)
  const events = new EventSource(new URL('events', own.src))
  events.addEventListener('change', () => void update())
  events.addEventListener('style', restyle)
  events.addEventListener('open', () => void update())
}
