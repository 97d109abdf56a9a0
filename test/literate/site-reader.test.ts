import { rmSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { inBrowser, listen, sharedBrowser } from '../servers/chromium.ts'
import { weaveSmallBook } from './small-book.ts'

const browser = sharedBrowser('no page is read')

let folder = ''
const complaints: string[] = []

beforeAll(async () => {
  folder = await weaveSmallBook({ edit: 'https://example.org/edit/' })
})

afterEach(() => {
  expect(complaints.splice(0)).toEqual([])
})

afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

const address = (name: string) => new URL(name, pathToFileURL(`${folder}/`)).href

async function open(name: string, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser().newContext({ viewport: { width: 1440, height: 900 }, ...options })
  const page = await context.newPage()
  listen(page, complaints)
  await page.goto(address(name))
  return page
}

inBrowser('a symbol is found by keyboard, and opened', async () => {
  const page = await open('garden/tree.html')
  await page.keyboard.press('/')
  await page.keyboard.type('opend')
  const first = page.locator('.results a').first()
  await first.waitFor()
  expect(await first.getAttribute('aria-selected')).toBe('true')
  expect(await first.textContent()).toBe('openDoorSymbol · The door › Open it')
  await page.keyboard.press('Enter')
  await page.waitForURL(address('house/door.html#_def-openDoor'))
  expect(await page.locator('dialog').count()).toBe(0)
  const definition = page.locator(':target')
  expect(await definition.textContent()).toBe('openDoor')
  await page.context().close()
})

inBrowser('from a definition to a caller, its file, and back, without a script', async () => {
  const page = await open('house/door.html#_def-openDoor', { javaScriptEnabled: false })
  const block = page.locator('figure:has(:target)')
  await block.locator('.uses summary').click()
  await block.locator('.uses a', { hasText: 'The visit' }).first().click()
  await page.waitForURL(address('house/visit.html#ring--1'))
  const caller = page.locator(':target')
  const call = caller.locator('pre a', { hasText: 'openDoor' }).last()
  expect(await call.getAttribute('title')).toBe(
    'function openDoor(key: string): boolean\nOpens the door, or says why not.',
  )
  await caller.locator('.target a').click()
  await page.waitForURL(address('src/book/src/visit.ts.html#L1'))
  await page.locator('#L5').click()
  await page.waitForURL(address('house/visit.html#ring--1'))
  await call.click()
  await page.waitForURL(address('house/door.html#_def-openDoor'))
  await page.goto(address('house/visit.html'))
  const fragment = page.locator('.fragment')
  expect(await fragment.locator('pre').isVisible()).toBe(false)
  await fragment.locator('summary').click()
  expect(await fragment.locator('pre').textContent()).toBe('node src/visit.ts "$HOUSE_KEY"')
  await page.locator('.fold > summary').first().click()
  expect(await page.locator('.fold > pre').first().isVisible()).toBe(false)
  await page.context().close()
})

inBrowser('a block is copied as it was written', async () => {
  const page = await open('house/visit.html', {
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  const block = page.locator('figure', { hasText: 'set -eu' })
  await block.getByRole('button', { name: 'Copy' }).click()
  await block.getByRole('button', { name: 'Copied' }).waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
    'set -eu\n<<arrive>>\necho leave\n',
  )
  await page.context().close()
})

inBrowser('a sentence is found with its context', async () => {
  const page = await open('index.html')
  await page.locator('.bar .search').click()
  await page.keyboard.type('compared')
  const result = page.locator('.results a')
  await result.first().waitFor()
  expect(await result.first().locator('mark').textContent()).toBe('compared')
  expect(await result.first().textContent()).toContain('The key is compared and not tried')
  await page.locator('dialog input').fill('door')
  await result.nth(1).waitFor()
  await page.keyboard.press('ArrowUp')
  const options = await result.count()
  expect(await result.nth(options - 1).getAttribute('aria-selected')).toBe('true')
  await page.keyboard.press('ArrowDown')
  expect(await result.first().getAttribute('aria-selected')).toBe('true')
  expect(await page.locator('[role=status]').textContent()).toBe(`${options} results`)
  await page.keyboard.press('Escape')
  expect(await page.locator('dialog').isVisible()).toBe(false)
  await page.keyboard.press('Control+k')
  expect(await page.locator('dialog input').inputValue()).toBe('door')
  await page.keyboard.type('zzz')
  await expect.poll(() => page.locator('[role=status]').textContent()).toBe('0 results')
})

inBrowser('a result is never markup', async () => {
  const page = await open('index.html')
  await page.keyboard.press('/')
  await page.keyboard.type('branches')
  const first = page.locator('.results a').first()
  await first.waitFor()
  expect(await first.locator('b').textContent()).toBe('The tree & its <branches>')
})

inBrowser('everything but the search works without a script', async () => {
  const page = await open('index.html', { javaScriptEnabled: false })
  expect(await page.locator('.bar .search').isVisible()).toBe(false)
  expect(await page.locator('.bar .theme').isVisible()).toBe(false)
  await page.locator('a[rel=next]').click()
  await page.waitForURL(address('house/index.html'))
  await page
    .locator('summary', { hasText: 'garden' })
    .or(page.locator('summary').last())
    .first()
    .click()
  await page.locator('.book a', { hasText: 'The tree &' }).click()
  await page.waitForURL(address('garden/tree.html'))
  await page.locator('.breadcrumb a').first().click()
  await page.waitForURL(address('index.html'))
  await page.locator('.book summary', { hasText: 'Indices' }).click()
  await page.locator('.book a', { hasText: 'on one page' }).click()
  await page.locator('.sections a', { hasText: 'The door' }).click()
  await page.waitForURL(address('book.html#house/door'))
  await page.context().close()
})

inBrowser('on a phone both lists are drawers, without a script', async () => {
  const viewport = { width: 390, height: 844 }
  const page = await open('house/door.html', { javaScriptEnabled: false, viewport })
  expect(await page.locator('.book').isVisible()).toBe(false)
  await page.locator('.bar .menu').click()
  expect(await page.locator('.book [aria-current=page]').isVisible()).toBe(true)
  await page.keyboard.press('Escape')
  expect(await page.locator('.book').isVisible()).toBe(false)
  await page.locator('.here').click()
  await page.locator('.sections a', { hasText: 'Leave it' }).click()
  await page.waitForURL(address('house/door.html#leave-it'))
  await page.context().close()
})

inBrowser('a chosen light is remembered, and there before the page is', async () => {
  const page = await open('index.html', { colorScheme: 'light' })
  const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor')
  const light = await ground()
  await page.getByRole('button', { name: 'Change to dark' }).click()
  const dark = await ground()
  expect(dark).not.toBe(light)
  await page.route('**/reader.js', (route) => route.fulfill({ body: '' }))
  await page.goto(address('house/door.html'))
  expect(await ground()).toBe(dark)
  await page.unroute('**/reader.js')
  await page.reload()
  await page.getByRole('button', { name: 'Change to light' }).click()
  expect(await ground()).toBe(light)
  expect(await page.evaluate("localStorage.getItem('theme')")).toBeNull()
  await page.context().close()
})

inBrowser('the keyboard gets to the text, and from page to page', async () => {
  const page = await open('house/index.html')
  const focused = () => page.evaluate('document.activeElement.textContent')
  await page.keyboard.press('Tab')
  expect(await focused()).toBe('Skip to the text')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  expect(await focused()).toBe('A small book')
  await page.goto(address('house/index.html'))
  await page.keyboard.press('ArrowRight')
  await page.waitForURL(address('house/door.html'))
  await expect.poll(() => page.locator('pre[tabindex]').count()).toBe(0)
  await page.keyboard.press('/')
  await page.keyboard.press('ArrowLeft')
  await page.waitForURL(address('house/door.html'))
  await page.context().close()
})

inBrowser('the list beside the text follows the reader', async () => {
  const page = await open('house/door.html', { reducedMotion: 'reduce' })
  const current = page.locator('.sections [aria-current]')
  await page
    .locator('#open-it')
    .evaluate((heading: unknown) => (heading as { scrollIntoView(): void }).scrollIntoView())
  await expect.poll(() => current.allTextContents()).toEqual(['Open it'])
  await page.keyboard.press('End')
  await expect.poll(() => current.allTextContents()).toEqual(['Forget it'])
  await page.context().close()
})

const longestLine = `(() => {
  const text = [...document.querySelectorAll('.content > p')].find((p) => p.textContent.startsWith('A door')).firstChild
  const range = document.createRange()
  const lines = new Map()
  const whole = text.parentElement
  for (const node of whole.childNodes) {
    const value = node.firstChild ?? node
    for (let at = 0; at < value.length; at++) {
      range.setStart(value, at)
      range.setEnd(value, at + 1)
      const line = Math.round(range.getBoundingClientRect().top / 20)
      lines.set(line, (lines.get(line) ?? 0) + 1)
    }
  }
  return Math.max(...lines.values())
})()`

inBrowser.each([1280, 1366, 1440, 1920])(
  'a line is as long as it should be, at %i',
  async (width) => {
    const page = await open('house/door.html', { viewport: { width, height: 900 } })
    const characters = (await page.evaluate(longestLine)) as number
    expect(characters).toBeGreaterThanOrEqual(65)
    expect(characters).toBeLessThanOrEqual(76)
    const scrolls = 'pre => pre.scrollWidth > pre.clientWidth'
    const found = await page.evaluate(`[...document.querySelectorAll('pre')].map(${scrolls})`)
    expect(found).toEqual([false, false, false, false])
    await page.context().close()
  },
)

inBrowser('paper has the text and nothing else', async () => {
  const page = await open('house/door.html', { colorScheme: 'dark' })
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  for (const hidden of ['.left', '.sections', '.neighbours', '.here', '.anchor']) {
    expect(await page.locator(hidden).first().isVisible(), hidden).toBe(false)
  }
  expect(await page.locator('h1').isVisible()).toBe(true)
  const colour = 'getComputedStyle(document.body).color'
  expect(await page.evaluate(colour)).toBe('rgb(0, 0, 0)')
  expect((await page.pdf({ format: 'A4' })).length).toBeGreaterThan(10_000)
  await page.context().close()
})
