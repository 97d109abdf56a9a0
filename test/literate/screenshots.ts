import { mkdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser } from 'playwright-core'
import { findBrowser, startBrowser } from '../package/browser.ts'
import { pagesOf, weaveSmallBook } from './small-book.ts'

interface Shot {
  name: string
  /** The end of its address in the site, perhaps with a place. */
  page: string
  width?: number
  dark?: boolean
  /** What is typed into the search, when it is open. */
  search?: string
}

const shots: readonly Shot[] = [
  { name: 'front', page: 'index.html' },
  { name: 'chapter', page: 'house/door.html' },
  { name: 'dark', page: 'house/door.html', dark: true },
  { name: 'elements', page: 'garden/tree.html' },
  { name: 'everything', page: 'garden/everything.html#_name-tab' },
  { name: 'notes', page: 'garden/everything.html#cid' },
  { name: 'code', page: 'door.ts.html' },
  { name: 'symbols', page: 'symbols.html' },
  { name: 'journal', page: 'journal.html' },
  { name: 'agenda', page: 'agenda.html' },
  { name: 'tags', page: 'tags/index.html', dark: true },
  { name: 'search', page: 'house/door.html', search: 'door' },
  { name: 'phone', page: 'garden/tree.html', width: 390 },
  { name: 'narrow', page: 'garden/everything.html', width: 320 },
]

async function photograph(browser: Browser, site: string, shot: Shot, file: string): Promise<void> {
  const context = await browser.newContext({
    viewport: { width: shot.width ?? 1200, height: 760 },
    colorScheme: shot.dark === true ? 'dark' : 'light',
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  const [end = '', place] = shot.page.split('#')
  const path = pagesOf(site).find((one) => one === end || one.endsWith(`/${end}`)) ?? end
  const url = pathToFileURL(join(site, path)).href
  await page.goto(place === undefined ? url : `${url}#${place}`)
  if (shot.search !== undefined) {
    await page.keyboard.press('/')
    await page.locator('dialog input').fill(shot.search)
    await page.locator('dialog .results a').first().waitFor()
  }
  await page.screenshot({ path: file, type: 'jpeg', quality: 60 })
  await context.close()
}

if (import.meta.main) {
  const executablePath = findBrowser()
  if (executablePath === null) throw new Error('there is no chromium on the PATH')
  const folder = join(import.meta.dirname, '../../org/manual/pages')
  mkdirSync(folder, { recursive: true })
  const site = await weaveSmallBook()
  const browser = await startBrowser(executablePath)
  for (const shot of shots) {
    const file = join(folder, `${shot.name}.jpg`)
    await photograph(browser, site, shot, file)
    console.log(`${shot.name}.jpg ${Math.ceil(statSync(file).size / 1000)} kB`)
  }
  await browser.close()
  rmSync(site, { recursive: true })
}
