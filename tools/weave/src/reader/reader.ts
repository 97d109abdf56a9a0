import { connectSearch } from './search.ts'

function connectLight(): void {
  const button = document.querySelector<HTMLButtonElement>('.bar .theme')
  const system = matchMedia('(prefers-color-scheme: dark)')
  const root = document.documentElement
  const shown = () => root.dataset.theme ?? (system.matches ? 'dark' : 'light')
  const other = () => (shown() === 'dark' ? 'light' : 'dark')
  const say = () => {
    button?.setAttribute('aria-label', `Change to ${other()}`)
  }
  button?.addEventListener('click', () => {
    const next = other()
    const follows = next === (system.matches ? 'dark' : 'light')
    if (follows) delete root.dataset.theme
    else root.dataset.theme = next
    remember('theme', follows ? null : next)
    say()
  })
  system.addEventListener('change', say)
  say()
}

function remember(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key)
    else localStorage.setItem(key, value)
  } catch {}
}

function followSections(): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('.sections a')]
  const places = links.flatMap((link) => {
    const heading = document.getElementById(decodeURIComponent(link.hash.slice(1)))
    return heading === null ? [] : [{ link, heading }]
  })
  const mark = () => {
    const root = document.documentElement
    const line = innerHeight * 0.3
    const atEnd = scrollY > 0 && scrollY + innerHeight >= root.scrollHeight - 2
    const passed = ({ heading }: { heading: HTMLElement }) =>
      heading.getBoundingClientRect().top <= line
    const current = atEnd ? places.at(-1) : places.findLast(passed)
    for (const { link } of places) {
      if (link === current?.link) link.setAttribute('aria-current', 'true')
      else link.removeAttribute('aria-current')
    }
  }
  const observer = new IntersectionObserver(mark, { rootMargin: '0px 0px -70% 0px' })
  for (const { heading } of places) observer.observe(heading)
  document.addEventListener('scrollend', mark)
}

function closeDrawers(): void {
  const drawer = document.querySelector<HTMLElement>('.sections')
  drawer?.addEventListener('click', ({ target }) => {
    if (target instanceof HTMLAnchorElement && drawer.matches(':popover-open')) drawer.hidePopover()
  })
}

function showPlace(): void {
  const book = document.querySelector<HTMLElement>('.book')
  const entry = book?.querySelector<HTMLElement>('[aria-current]')
  if (!book || !entry) return
  const below = entry.getBoundingClientRect().bottom - book.getBoundingClientRect().bottom
  if (below > 0) book.scrollTop += below + book.clientHeight / 2
}

function thinStops(): void {
  const near = new Set<HTMLElement>()
  const look = (block: HTMLElement) => {
    if (block.scrollWidth > block.clientWidth) block.tabIndex = 0
    else block.removeAttribute('tabindex')
  }
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        const block = target as HTMLElement
        if (isIntersecting) near.add(block)
        else near.delete(block)
      }
      near.forEach(look)
    },
    { rootMargin: '100%' },
  )
  const blocks = document.querySelectorAll<HTMLElement>(':is(pre, .wide)[tabindex]')
  for (const block of blocks) observer.observe(block)
  addEventListener('resize', () => near.forEach(look))
}

function connectCopy(): void {
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (!isIntersecting) continue
        observer.unobserve(target)
        addCopy(target as HTMLElement)
      }
    },
    { rootMargin: '100%' },
  )
  for (const bar of document.querySelectorAll('figure.code > figcaption')) observer.observe(bar)
}

function addCopy(bar: HTMLElement): void {
  if (bar.querySelector('.copy') !== null) return
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  button.textContent = 'Copy'
  button.setAttribute('aria-live', 'polite')
  button.addEventListener('click', async () => {
    const block = bar.parentElement?.querySelector('.fold')
    const done = await copyText(block ? codeIn(block) : '')
    button.textContent = done ? 'Copied' : 'Not copied'
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 2000)
  })
  bar.append(button)
}

function codeIn(block: Element): string {
  const parts = [...block.querySelectorAll(':scope > pre, :scope > .fragment > summary')]
  return `${parts.map((part) => (part.textContent ?? '').replace(/\n$/, '')).join('\n')}\n`
}

async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}

function connectKeys(search: () => void): void {
  addEventListener('keydown', (event) => {
    const { key, target } = event
    const chord = event.ctrlKey || event.metaKey
    if (event.altKey || event.shiftKey || event.defaultPrevented) return
    if (chord ? key.toLowerCase() === 'k' : key === '/' && !isField(target)) {
      event.preventDefault()
      search()
    }
    const main = document.querySelector('main')
    if (chord || (target !== document.body && target !== main)) return
    const rel = key === 'ArrowLeft' ? 'prev' : key === 'ArrowRight' ? 'next' : null
    if (rel !== null) document.querySelector<HTMLAnchorElement>(`a[rel=${rel}]`)?.click()
  })
}

function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select')
}

const search: { open: (() => void) | null } = { open: null }
const comforts = [
  connectLight,
  closeDrawers,
  showPlace,
  followSections,
  thinStops,
  connectCopy,
  () => {
    search.open = connectSearch()
  },
  () => connectKeys(() => search.open?.()),
]
for (const connect of comforts) {
  try {
    connect()
  } catch (error) {
    console.error(error)
  }
}

document.addEventListener('org-weave:changed', () => {
  for (const connect of [closeDrawers, followSections, thinStops, connectCopy]) connect()
})
