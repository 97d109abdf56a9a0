import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { type ConfigSection, commandName, defineSection, words } from '@passepartout/core'
import { z } from 'zod'

/** The folder of notes, as it is written. */
export const memexSection: ConfigSection<string> = defineSection({
  marker: 'MEMEX',
  properties: z.object({ MEMEX: words('a folder, such as ~/notes') }),
  read({ MEMEX }, entry) {
    if (/^(?:~?\/|~$)/.test(MEMEX)) return MEMEX
    entry.report('error', 'MEMEX', ':MEMEX: expected a path that begins with / or ~/')
    return null
  },
})

const whichNotes = `Which notes? Say --memex FOLDER, set MEMEX_DIR to the folder of your Org files, or run ${commandName} setup`

/** The absolute path of the memex. Throws a TypeError that says what to do when there is none. */
export function memexFolder(
  env: Record<string, string | undefined>,
  configured: readonly string[],
  home: string,
): string {
  const given = env.MEMEX_DIR || configured[0]
  if (given === undefined) throw new TypeError(whichNotes)
  const folder = resolve(given.replace(/^~(?=\/|$)/, () => home))
  if (existsSync(folder) && statSync(folder).isDirectory()) return folder
  const source = env.MEMEX_DIR ? 'MEMEX_DIR' : ':MEMEX: of config.org'
  throw new TypeError(`There is no folder ${folder}, which ${source} names. ${whichNotes}`)
}
