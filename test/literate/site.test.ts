import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { type Site, weaveSite, writeSite } from 'org-weave'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inBrowser, listen, sharedBrowser } from '../servers/chromium.ts'

const root = join(import.meta.dirname, '../..')
let folder = ''
let site: Site
const browser = sharedBrowser('the pages are not opened')

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'book-'))
  const memory = join(root, 'node_modules/.cache/org-weave/colours')
  site = await weaveSite(join(root, 'org'), root, { memory })
  writeSite(site, folder, false)
}, 300_000)

afterAll(() => {
  rmSync(folder, { recursive: true })
})

const address = (page: string) => pathToFileURL(join(folder, page)).href

async function open(width: number): Promise<{ page: Page; complaints: string[] }> {
  const context = await browser().newContext({
    javaScriptEnabled: false,
    viewport: { width, height: 800 },
  })
  const page = await context.newPage()
  const complaints = listen(page)
  page.on('request', (request) => {
    if (!/^(?:file|data):/.test(request.url())) complaints.push(`fetched: ${request.url()}`)
  })
  return { page, complaints }
}

inBrowser('the front page leads to the manual, and the manual to the next page', async () => {
  const { page, complaints } = await open(1280)
  await page.goto(address('index.html'))
  expect(await page.title()).toBe('Passepartout')
  await page.locator('main a', { hasText: 'the user manual' }).first().click()
  await page.waitForURL(address('manual/user.html'))
  expect(await page.locator('nav [aria-current=page]').count()).toBe(1)
  await page.locator('a[rel=next]').click()
  await page.waitForURL((url) => url.href !== address('manual/user.html'))
  await page.locator('a[rel=prev]').click()
  await page.waitForURL(address('manual/user.html'))
  expect(complaints).toEqual([])
})

inBrowser('a block says which file it goes to, above its code', async () => {
  const { page, complaints } = await open(1280)
  await page.goto(address('weave/pages/pages.html'))
  const figure = page.locator('figure.code').first()
  const label = figure.locator('.target')
  expect(await label.textContent()).toBe('tools/weave/src/pages/pages.ts')
  const [labelBox, codeBox] = [await label.boundingBox(), await figure.locator('pre').boundingBox()]
  expect(labelBox!.y + labelBox!.height).toBeLessThanOrEqual(codeBox!.y)
  expect(complaints).toEqual([])
})

inBrowser('on a phone nothing is wider than the screen, and nothing lies on the text', async () => {
  const { page, complaints } = await open(390)
  for (const name of ['index.html', 'core/contract/gate.html', 'manual/architecture.html']) {
    await page.goto(address(name))
    const text = (await page.locator('main').boundingBox())!
    expect(text.width).toBeGreaterThan(300)
    expect(text.x + text.width).toBeLessThanOrEqual(390)
    expect(await page.locator('nav.book').isVisible()).toBe(false)
    await page.locator('.bar .menu').click()
    expect(await page.locator('nav.book a[aria-current=page]').isVisible()).toBe(true)
  }
  expect(complaints).toEqual([])
})

interface Seen {
  title: string
  heading: string
  /** The words outside of code. */
  lines: string[]
  brokenImages: string[]
  /** How many links the fullest item of a list has, without the items in it. */
  linksMost: number
}

const look = `(() => {
  const main = document.querySelector('main')
  const own = (item) =>
    [...item.querySelectorAll('a')].filter((link) => link.closest('li, dd') === item).length
  const images = [...main.querySelectorAll('img')]
  const copy = main.cloneNode(true)
  for (const code of copy.querySelectorAll('pre, code, figure.code, svg')) code.remove()
  main.replaceWith(copy)
  const lines = copy.innerText.split('\\n')
  return {
    title: document.title,
    heading: copy.querySelector('h1')?.innerText ?? '',
    lines,
    brokenImages: images.filter((image) => image.naturalWidth === 0).map((image) => image.src),
    linksMost: Math.max(0, ...[...main.querySelectorAll('li, dd')].map(own)),
  }
})()`

const rawOrg = [
  /^ *(?:<{7,}|>{7,}|={7,}|\|{7,})/,
  /\[\[|\]\]/,
  /^ *#\+\w/,
  /^ *:[A-Z_]+:/,
  /^\*+ /,
  /\{\{\{|\}\}\}/,
]

/** What a visitor of a page would stumble over, a line for each. */
function stumbles({ brokenImages, heading, lines, linksMost, title }: Seen, most: number) {
  const raw = lines.filter((line) => rawOrg.some((pattern) => pattern.test(line)))
  return [
    ...(title === '' || heading === '' ? ['it has no title'] : []),
    ...raw.map((line) => `it shows “${line}”`),
    ...brokenImages.map((image) => `the image ${image} is broken`),
    ...(linksMost > most ? [`an item of a list has ${linksMost} links`] : []),
  ]
}

inBrowser('a visitor stumbles over what is not meant for one', async () => {
  const { page } = await open(1280)
  const links = '<a href="#">x</a>'.repeat(24)
  const words =
    '<<<<<<<<< Temporary merge branch 1|=========|see [[a.org][b]]|#+title: x|:ID: y|** z|{{{m}}}'
  const shown = words.split('|').map((line) => `<p>${line.replaceAll('<', '&lt;')}</p>`)
  await page.setContent(
    `<main>${shown.join('')}<code>[[fine]]</code><img src="none.png"><ul><li>${links}</li></ul></main>`,
  )
  const found = stumbles((await page.evaluate(look)) as Seen, 20)
  expect(found).toEqual([
    'it has no title',
    ...words.split('|').map((line) => `it shows “${line}”`),
    expect.stringMatching(/^the image .*none\.png is broken$/),
    'an item of a list has 24 links',
  ])
})

inBrowser('nothing on the first pages is in a visitor’s way', async () => {
  const { page, complaints } = await open(1280)
  const parts = readdirSync(join(root, 'org'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${name}/index.html`)
  const found: Record<string, string[]> = {}
  for (const name of ['index.html', ...parts]) {
    await page.goto(address(name))
    const seen = (await page.evaluate(look)) as Seen
    found[name] = stumbles(seen, /^(?:manual\/)?index/.test(name) ? 4 : 20)
    expect(seen.lines.join(' ').length, name).toBeGreaterThan(300)
  }
  expect(parts.length).toBeGreaterThan(6)
  expect(found).toEqual(Object.fromEntries(Object.keys(found).map((name) => [name, []])))
  expect(complaints).toEqual([])
})

test('the README leads where it says', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const prose = readme.replace(/^```[\s\S]*?^```$/gm, '').replace(/`[^`\n]*`/g, '')
  const images = [...prose.matchAll(/!\[([^\]]*)\]\(([^)\s]+)\)/g)]
  const links = [...prose.matchAll(/(?<!!)\[([^\]]+)\]\(([^)\s]+)\)/g)]
  const wrong: string[] = []
  for (const [, words = '', target = ''] of [...images, ...links]) {
    const [path = '', place] = target.split('#')
    const isThere = existsSync(join(root, path))
    if (words.trim() === '' || !isThere) wrong.push(target)
    if (!isThere || place === undefined) continue
    const page = readFileSync(join(folder, path.replace(/^org\/(.*)\.org$/, '$1.html')), 'utf8')
    if (!page.includes(`id="${place}"`)) wrong.push(target)
  }
  expect(wrong).toEqual([])
  expect([images.length, links.length > 8]).toEqual([2, true])
  expect(readme.split('\n')[0]).toBe('# Passepartout')
  const shown = prose.split('\n').filter((line) => !/^#{1,3} /.test(line))
  expect(shown.filter((line) => rawOrg.some((pattern) => pattern.test(line)))).toEqual([])
})

function htmlFiles(): string[] {
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return entries.filter((path) => path.endsWith('.html')).sort()
}

function attributes(html: string, name: string): string[] {
  const tags = html.match(/<(?!span class="k)[a-z][^\s>]*(?:\s+[\w-]+(?:="[^"]*")?)*>/g) ?? []
  const pattern = new RegExp(` ${name}="([^"]*)"`)
  return tags.flatMap((tag) => pattern.exec(tag)?.[1] ?? [])
}

test('the weaver has no complaint', () => {
  expect(site.problems).toEqual([])
})

test('every address in the written files arrives', () => {
  const places = new Map<string, Set<string>>()
  const addresses = new Map<string, Set<string>>()
  for (const path of htmlFiles()) {
    const html = readFileSync(join(folder, path), 'utf8')
    places.set(join(folder, path), new Set(attributes(html, 'id')))
    addresses.set(join(folder, path), new Set(attributes(html, 'href')))
  }
  const wrong: string[] = []
  for (const [file, hrefs] of addresses) {
    for (const href of hrefs) {
      if (/^(?:https?|mailto|data):/.test(href)) continue
      const url = new URL(href.replaceAll('&#x26;', '&'), pathToFileURL(file))
      const id = decodeURIComponent(url.hash.slice(1))
      url.hash = ''
      const target = places.get(fileURLToPath(url))
      if (target === undefined && !existsSync(url)) wrong.push(`${file}: ${href}`)
      else if (id !== '' && !target?.has(id)) wrong.push(`${file}: ${href}`)
    }
  }
  expect(places.size).toBeGreaterThan(50)
  expect(wrong).toEqual([])
})

test('no page has a script of its own, a fetched resource, or two places of one name', () => {
  for (const path of htmlFiles()) {
    const html = readFileSync(join(folder, path), 'utf8')
    expect(html, path).not.toMatch(
      /<(?:script(?! src="[./]*(?:theme|reader)\.js")|iframe|object|embed)\b/,
    )
    const fetched = attributes(html, 'src').filter((src) => /^(?:\w+:)?\/\//.test(src))
    expect([...attributes(html, 'onclick'), ...attributes(html, 'onload'), ...fetched]).toEqual([])
    expect(html, path).toMatch(/^<!doctype html><html lang="en">/)
    const ids = attributes(html, 'id')
    const seen = new Set<string>()
    const twice = ids.filter((id) => seen.has(id) || seen.add(id).size === 0)
    expect(twice, path).toEqual([])
  }
})

test('a page is light', () => {
  const weight = (path: string) => gzipSync(readFileSync(join(folder, path))).length
  const pages = htmlFiles()
    .filter((path) => path !== 'book.html')
    .map(weight)
    .sort((a, b) => a - b)
  expect(pages[Math.floor(pages.length / 2)]).toBeLessThan(30_000)
  expect(weight('style.css')).toBeLessThan(12_000)
  expect(weight('reader.js') + weight('theme.js')).toBeLessThan(15_000)
})
