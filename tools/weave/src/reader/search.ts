import { excerpt } from '../content/excerpt.ts'
import type { SearchShard } from '../pages/search-shard.ts'
import { type Entry, emptyIndex, entriesOf, type Hit, rankedHits } from './ranking.ts'

declare global {
  var orgWeaveShards: readonly SearchShard[] | undefined
}

interface Card {
  dialog: HTMLDialogElement
  field: HTMLInputElement
  list: HTMLElement
  status: HTMLElement
}

function make(tag: string, attributes: Record<string, string>, ...inside: (Node | string)[]) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  element.append(...inside)
  return element
}

function makeCard(): Card {
  const field = make('input', {
    type: 'text',
    role: 'combobox',
    'aria-label': 'Search the book',
    'aria-controls': '_results',
    'aria-expanded': 'false',
    'aria-autocomplete': 'list',
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: 'false',
    placeholder: 'A symbol, a heading, a sentence',
  }) as HTMLInputElement
  const list = make('div', {
    id: '_results',
    class: 'results',
    role: 'listbox',
    'aria-label': 'Results',
  })
  const status = make('p', { role: 'status' })
  const dialog = make('dialog', { 'aria-label': 'Search' }, field, list, status)
  document.body.append(dialog)
  return { dialog: dialog as HTMLDialogElement, field, list, status }
}

const kinds = { page: 'Page', section: 'Section', symbol: 'Symbol' }

function resultLink(entry: Entry, terms: readonly string[], root: string, index: number) {
  const pieces = (text: string, length: number) =>
    excerpt(text, terms, length).map(({ text: piece, isHit }) =>
      isHit ? make('mark', {}, piece) : piece,
    )
  const name = make('b', {}, ...pieces(entry.name, 200))
  const where = [kinds[entry.kind], entry.where].filter((word) => word !== '').join(' · ')
  const lines = [make('small', {}, where)]
  const text = `${entry.about} ${entry.text}`.trim()
  if (text !== '') lines.push(make('small', {}, ...pieces(text, 160)))
  const option = {
    role: 'option',
    id: `_result-${index}`,
    'aria-selected': 'false',
    tabindex: '-1',
    href: root + entry.url,
  }
  return make('a', option, name, ...lines)
}

function choose({ field, list }: Card, index: number): void {
  const options = [...list.children]
  for (const [at, option] of options.entries()) {
    option.setAttribute('aria-selected', String(at === index))
  }
  const chosen = options[index]
  if (chosen === undefined) field.removeAttribute('aria-activedescendant')
  else field.setAttribute('aria-activedescendant', chosen.id)
  chosen?.scrollIntoView({ block: 'nearest' })
}

const resultsMax = 30

function show(card: Card, hits: readonly Hit[], root: string) {
  const links = hits
    .slice(0, resultsMax)
    .map(({ entry, terms }, index) => resultLink(entry, terms, root, index))
  card.list.replaceChildren(...links)
  card.field.setAttribute('aria-expanded', String(links.length > 0))
  choose(card, 0)
}

function loadShards(root: string): Promise<readonly SearchShard[]> {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script')
    script.src = `${root}search-index.js`
    script.onload = () => resolve(globalThis.orgWeaveShards ?? [])
    script.onerror = () => reject(new Error('The search index could not be loaded.'))
    document.head.append(script)
  })
}

interface Search extends Card {
  root: string
  index: ReturnType<typeof emptyIndex>
  entries: readonly Entry[]
  isReady: boolean
}

function find(search: Search): void {
  const { index, field, status, entries, root, isReady } = search
  const query = field.value.trim()
  const found = rankedHits(index, entries, query)
  show(search, found, root)
  const count = found.length === 1 ? 'One result' : `${found.length} results`
  const help = 'Arrows choose, Enter opens, Escape closes.'
  status.textContent = query === '' ? help : isReady ? count : `${count}, still reading …`
}

async function read(search: Search): Promise<void> {
  const stepEntries = 400
  try {
    search.entries = entriesOf(await loadShards(search.root))
    for (let at = 0; at < search.entries.length; at += stepEntries) {
      search.index.addAll(search.entries.slice(at, at + stepEntries))
      find(search)
      await new Promise((resolve) => setTimeout(resolve))
    }
    search.isReady = true
    find(search)
  } catch (error) {
    search.status.textContent = String(error)
  }
}

function move(search: Search, event: KeyboardEvent): void {
  const options = [...search.list.querySelectorAll<HTMLAnchorElement>('a')]
  const at = options.findIndex((option) => option.getAttribute('aria-selected') === 'true')
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  if (step !== 0 && options.length > 0) {
    event.preventDefault()
    choose(search, (at + step + options.length) % options.length)
  } else if (event.key === 'Enter' && !event.isComposing) {
    event.preventDefault()
    const { ctrlKey, metaKey, shiftKey } = event
    options[at]?.dispatchEvent(
      new MouseEvent('click', { bubbles: true, ctrlKey, metaKey, shiftKey }),
    )
  }
}

function start(root: string): Search {
  const search = { ...makeCard(), root, index: emptyIndex(), entries: [], isReady: false }
  const { dialog, field, list } = search
  field.addEventListener('input', () => find(search))
  field.addEventListener('keydown', (event) => move(search, event))
  list.addEventListener('click', () => dialog.close())
  dialog.addEventListener('click', ({ target }) => {
    if (target === dialog) dialog.close()
  })
  void read(search)
  return search
}

/** Connects the button of the bar; the function that is returned opens the search. */
export function connectSearch(): () => void {
  const root = document.querySelector<HTMLElement>('.bar')?.dataset.root ?? ''
  let search: Search | null = null
  const open = () => {
    search ??= start(root)
    if (!search.dialog.open) search.dialog.showModal()
    search.field.select()
    find(search)
  }
  document.querySelector('.bar .search')?.addEventListener('click', open)
  return open
}
