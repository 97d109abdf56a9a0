import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A script of the page, ready for a browser. */
export async function pageScript(name: 'reader' | 'reader-theme'): Promise<string> {
  const finished = join(import.meta.dirname, `${name}.min.js`)
  if (existsSync(finished)) return readFileSync(finished, 'utf8')
  const { build } = await import('rolldown')
  const { output } = await build({
    input: join(import.meta.dirname, `${name}.ts`),
    platform: 'browser',
    write: false,
    output: { format: 'iife', minify: true },
  })
  return `${output[0].code.trim()}\n`
}
