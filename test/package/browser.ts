import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

/** The path of a chromium that can be run, or null where there is none. */
export function findBrowser(): string | null {
  for (const name of ['chromium', 'chromium-browser', 'google-chrome']) {
    for (const place of (process.env.PATH ?? '').split(delimiter)) {
      try {
        accessSync(join(place, name), constants.X_OK)
        return join(place, name)
      } catch {}
    }
  }
  return null
}

/** Starts that browser, without a window. */
export function startBrowser(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
}
