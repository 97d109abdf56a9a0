import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { type Site, weaveSite, writeSite } from 'org-weave'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inBrowser, listen, sharedBrowser } from './chromium.ts'

const root = join(import.meta.dirname, '..')
let folder = ''
let site: Site
const browser = sharedBrowser('the pages are not opened')

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'book-'))
  const memory = join(root, 'node_modules/.cache/org-weave')
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
  await page.goto(address('weave/pages.html'))
  const figure = page.locator('figure.code').first()
  const label = figure.locator('.target')
  expect(await label.textContent()).toBe('tools/weave/src/pages.ts')
  const [labelBox, codeBox] = [await label.boundingBox(), await figure.locator('pre').boundingBox()]
  expect(labelBox!.y + labelBox!.height).toBeLessThanOrEqual(codeBox!.y)
  expect(complaints).toEqual([])
})

inBrowser('on a phone nothing is wider than the screen, and nothing lies on the text', async () => {
  const { page, complaints } = await open(390)
  for (const name of ['index.html', 'core/gate.html', 'manual/architecture.html']) {
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
