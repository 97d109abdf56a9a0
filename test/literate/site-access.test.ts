import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { inBrowser, sharedBrowser } from '../servers/chromium.ts'
import { inspector } from '../servers/inspectors.ts'
import { complaintsOf } from './site-validate.ts'
import { pagesOf, weaveSmallBook } from './small-book.ts'

const browser = sharedBrowser('no page is looked at')
const axe = readFileSync(inspector('axe-core/axe.min.js'), 'utf8')

let folder = ''

beforeAll(async () => {
  folder = await weaveSmallBook()
})

afterAll(() => {
  rmSync(folder, { recursive: true })
})

test('a page with a mistake is complained about', async () => {
  const page = readFileSync(join(folder, 'index.html'), 'utf8')
  const broken = page.replace('<h1>', '<h1 id="_text">').replace('</footer>', '<p></footer>')
  expect((await complaintsOf(broken)).length).toBeGreaterThanOrEqual(2)
})

test('every page is HTML', async () => {
  const pages = pagesOf(folder)
  const found = await Promise.all(
    pages.map(async (page) => {
      const complaints = await complaintsOf(readFileSync(join(folder, page), 'utf8'))
      return complaints.map((complaint) => `${page}: ${complaint}`)
    }),
  )
  expect(pages).toEqual(expect.arrayContaining(['404.html', 'book.html', 'contents.html']))
  expect(found.flat()).toEqual([])
})

test('two builds give the same bytes', async () => {
  const again = await weaveSmallBook()
  onTestFinished(() => rmSync(again, { recursive: true }))
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()
  expect(readdirSync(again, { recursive: true, encoding: 'utf8' }).sort()).toEqual(files)
  for (const file of files.filter((path) => path.includes('.'))) {
    expect(readFileSync(join(again, file)).equals(readFileSync(join(folder, file))), file).toBe(
      true,
    )
  }
})

async function violations(page: Page, light: 'light' | 'dark'): Promise<string[]> {
  await page.evaluate(axe)
  const rules = light === 'dark' ? "runOnly: ['color-contrast', 'link-in-text-block']," : ''
  const results = (await page.evaluate(
    `axe.run(document, { ${rules} preload: false, resultTypes: ['violations'] })`,
  )) as { violations: { id: string; nodes: { html: string }[] }[] }
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html }) => `${id}: ${html.slice(0, 120)}`),
  )
}

async function openAt(name: string, width: number, colorScheme: 'light' | 'dark'): Promise<Page> {
  const context = await browser().newContext({ viewport: { width, height: 800 }, colorScheme })
  const page = await context.newPage()
  await page.goto(pathToFileURL(join(folder, name)).href)
  return page
}

function oneOfEachKind(): string[] {
  const seen = new Set<string>()
  return pagesOf(folder).filter((name) => {
    const html = readFileSync(join(folder, name), 'utf8')
    const [kind = ''] = /<body class="[^"]*"/.exec(html) ?? []
    const isList = html.includes('<ul class="index">')
    const isAlone = !name.includes('/') && !isList
    if (kind.includes('chapter') || isAlone || name === 'tags/index.html') return true
    const key = `${kind} ${isList} ${name.startsWith('tags/')}`
    return !seen.has(key) && seen.add(key).size > 0
  })
}

test('every kind of page is among those that are looked at', () => {
  const kinds = oneOfEachKind()
  const alone = [
    '404',
    'agenda',
    'book',
    'contents',
    'graph',
    'journal',
    'tags/index',
    'tags/daily',
  ]
  const some = ['garden/everything', 'house/door', 'index'].map((name) => `${name}.html`)
  expect(kinds).toEqual(expect.arrayContaining([...alone.map((name) => `${name}.html`), ...some]))
  expect(kinds.filter((name) => name.startsWith('src/'))).toHaveLength(1)
  expect(kinds.length).toBeLessThan(pagesOf(folder).length)
})

const looks = [320, 1440].flatMap((width) =>
  (['light', 'dark'] as const).map((light) => [width, light] as const),
)

inBrowser.each(looks)(
  'nothing is found on any kind of page, %i pixels wide, %s',
  async (width, light) => {
    for (const name of oneOfEachKind()) {
      const page = await openAt(name, width, light)
      expect(await violations(page, light), name).toEqual([])
      const wide = await page.evaluate('document.documentElement.scrollWidth')
      expect(wide, name).toBe(width)
      await page.context().close()
    }
  },
  180_000,
)

inBrowser.each(looks)('nothing on what opens, %i pixels wide, %s', async (width, light) => {
  const page = await openAt('house/door.html', width, light)
  await page.keyboard.press('/')
  await page.keyboard.type('door')
  await page.locator('.results a').first().waitFor()
  expect(await violations(page, light)).toEqual([])
  await page.keyboard.press('Escape')
  for (const opener of ['.menu', '.here']) {
    if (!(await page.locator(opener).isVisible())) continue
    await page.locator(opener).click()
    expect(await violations(page, light), opener).toEqual([])
    await page.keyboard.press('Escape')
  }
  await page.context().close()
})
