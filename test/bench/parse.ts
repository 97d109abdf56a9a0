import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'org-ast'
import { parse as parseWithOrga } from 'orga'
import { parse as parseWithUniorg } from 'uniorg-parse/lib/parser.js'

interface Contender {
  name: string
  parse(text: string): unknown
}

const contenders: Contender[] = [
  { name: 'org-ast', parse },
  { name: 'uniorg-parse', parse: parseWithUniorg },
  { name: 'orga', parse: parseWithOrga },
]

interface Measurement {
  /** Megabytes (10⁶ bytes) a second, of the files that could be read. */
  speed: number
  failed: number
}

const leastMs = 2_000

function measure(contender: Contender, texts: readonly string[]): Measurement {
  attempt(contender, texts[0]!)
  let bytes = 0
  let failed = 0
  let rounds = 0
  const began = performance.now()
  while (rounds === 0 || performance.now() - began < leastMs) {
    for (const text of texts) {
      if (attempt(contender, text)) bytes += Buffer.byteLength(text)
      else failed++
    }
    rounds++
  }
  const seconds = (performance.now() - began) / 1000
  return { speed: bytes / 1e6 / seconds, failed: failed / rounds }
}

function attempt(contender: Contender, text: string): boolean {
  try {
    contender.parse(text)
    return true
  } catch {
    return false
  }
}

const root = join(import.meta.dirname, '../..')
const corpora = [
  { name: 'the example memex', pattern: 'test/memex/**/*.org' },
  { name: 'the chapters on org-ast', pattern: 'org/org-ast/*.org' },
]

for (const { name, pattern } of corpora) {
  const texts = globSync(pattern, { cwd: root })
    .sort()
    .map((path) => readFileSync(join(root, path), 'utf8'))
  const size = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  console.log(`\n${name}: ${texts.length} files, ${Math.round(size / 1000)} kB`)
  console.log('parser          MB/s   org-ast is   files it could not read')
  let own = 0
  for (const contender of contenders) {
    const { speed, failed } = measure(contender, texts)
    if (contender.name === 'org-ast') own = speed
    const ratio = `${(own / speed).toFixed(own / speed < 10 ? 1 : 0)} ×`
    const cells = [contender.name.padEnd(12), speed.toFixed(2).padStart(7), ratio.padStart(12)]
    console.log(`${cells.join(' ')}   ${failed}`)
  }
}
