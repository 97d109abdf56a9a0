import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, test } from 'vitest'
import { findBrowser, startBrowser } from '../package/browser.ts'

const executablePath = findBrowser()

/** Whether there is one. */
export const hasBrowser: boolean = executablePath !== null

/** A test where there is a browser; where there is none it is skipped. */
export const inBrowser: typeof test.skip = executablePath === null ? test.skip : test

/**
 * A browser for the tests of the file that calls this, while they run. Where there is none,
 * `untried` is printed, what is not tested then.
 */
export function sharedBrowser(untried: string): () => Browser {
  let browser: Browser | null = null
  if (executablePath === null) console.warn(`No chromium on PATH: ${untried}.`)
  beforeAll(async () => {
    if (executablePath !== null) browser = await startBrowser(executablePath)
  })
  afterAll(() => browser?.close())
  return () => {
    if (browser === null) throw new Error('there is no browser; use inBrowser for this test')
    return browser
  }
}

/** Collects what a page complains about from now on, into `complaints`. */
export function listen(page: Page, complaints: string[] = []): string[] {
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('requestfailed', (request) => {
    if (request.failure()?.errorText !== 'net::ERR_ABORTED')
      complaints.push(`failed: ${request.url()}`)
  })
  return complaints
}
