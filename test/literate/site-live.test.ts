import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serveFolder } from 'org-weave'
import { expect, onTestFinished } from 'vitest'
import { inBrowser, listen, sharedBrowser } from '../servers/chromium.ts'

const browser = sharedBrowser('no saved document is followed')

interface Placed {
  removeAttribute(name: string): void
  getBoundingClientRect(): { top: number }
}

function document(first: string): string {
  const parts = Array.from(
    { length: 30 },
    (_, at) => `* Part ${at}\nText ${at}.\n#+begin_src sh\necho ${at}\n#+end_src\n`,
  )
  return `#+title: Notes\n${first}\n\n${parts.join('')}`
}

inBrowser('a saved document is a new sentence in the old page', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'live-'))
  writeFileSync(join(folder, 'index.org'), document('Before.'))
  const site = await serveFolder(folder, folder)
  onTestFinished(async () => {
    await site.close()
    rmSync(folder, { recursive: true })
  })
  const page = await browser().newPage({ viewport: { width: 1200, height: 700 } })
  const complaints = listen(page)
  const listening = page.waitForResponse(
    (response) => response.request().resourceType() === 'fetch',
  )
  await page.goto(site.url)
  await listening
  await page.evaluate(() => {
    Object.assign(globalThis, { mark: 1 })
  })
  await page.locator('#part-20').scrollIntoViewIfNeeded()
  await page
    .locator('figure.code details')
    .nth(20)
    .evaluate((block: unknown) => (block as Placed).removeAttribute('open'))
  const top = () =>
    page
      .locator('#part-20')
      .evaluate((heading: unknown) => (heading as Placed).getBoundingClientRect().top)
  const before = await top()
  const long = Array.from({ length: 40 }, (_, at) => `New ${at}.\n\n`).join('')
  writeFileSync(join(folder, 'index.org'), document(long).replace('Notes', 'Other'))
  await page.getByText('New 39.').waitFor({ state: 'attached' })
  expect(Math.abs((await top()) - before)).toBeLessThan(10)
  expect(await page.title()).toBe('Other')
  expect(await page.locator('h1').textContent()).toBe('Other')
  expect(await page.locator('figure.code details:not([open])').count()).toBe(1)
  expect(await page.evaluate('mark')).toBe(1)
  writeFileSync(join(folder, 'new.css'), ':root { --measure: 50ch }')
  const loaded = page.waitForEvent('load')
  writeFileSync(join(folder, 'org-weave.org'), '#+theme: new.css\n')
  await loaded
  expect(await page.evaluate('globalThis.mark')).toBeUndefined()
  const measure = "getComputedStyle(document.documentElement).getPropertyValue('--measure')"
  expect(await page.evaluate(measure)).toBe('50ch')
  expect(complaints).toEqual([])
})
