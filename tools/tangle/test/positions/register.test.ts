import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const register = join(import.meta.dirname, '../../src/positions/register.ts')
const flags = ['--disable-warning=ExperimentalWarning', '--conditions=@passepartout/source']

function project(code: string): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'register-')))
  onTestFinished(() => rmSync(root, { recursive: true }))
  writeFileSync(join(root, 'package.json'), '{"type":"module","org-tangle":{}}')
  const block = `  #+begin_src typescript :tangle a.ts\n${code.replace(/^/gm, '  ')}\n  #+end_src\n`
  writeFileSync(join(root, 'a.org'), `A list.\n- so:\n${block}`)
  writeFileSync(join(root, 'a.ts'), `${code}\n`)
  return root
}

function run(cwd: string, env: Record<string, string> = {}) {
  const args = [...flags, '--import', register, 'a.ts']
  const options = { cwd, env: { ...process.env, ...env }, encoding: 'utf8' } as const
  const { status, stdout, stderr } = spawnSync(process.execPath, args, options)
  return { code: status, out: stdout, err: stderr }
}

const thrower = `interface Reason { why: string }
function fail({ why }: Reason): never {
  throw new Error(why)
}
fail({ why: 'no reason' })`

test('an error that nobody catches is at a line of the document', () => {
  const root = project(thrower)
  const first = run(root)
  expect(first.code).toBe(1)
  expect(first.err).toContain(`${join(root, 'a.org')}:6\n    throw new Error(why)\n          ^`)
  expect(first.err).toContain(`at fail (file://${root}/a.org:6:11)`)
  expect(first.err).toContain(`at file://${root}/a.org:8:3\n`)
  expect(first.err).not.toContain('a.ts')
  expect(run(root).err).toBe(first.err)
})

test('a map is never stale', () => {
  const root = project(thrower)
  run(root)
  const document = readFileSync(join(root, 'a.org'), 'utf8')
  writeFileSync(join(root, 'a.org'), `More.\n${document}`)
  expect(run(root).err).toContain(`${join(root, 'a.org')}:7\n`)
  writeFileSync(join(root, 'a.ts'), `\n${thrower}`)
  expect(run(root).err).toContain(`at fail (file://${root}/a.ts:4:9)`)
})

test('a program without errors leaves nothing behind', () => {
  const root = project("console.log('a')")
  expect(run(root)).toEqual({ code: 0, out: 'a\n', err: '' })
  expect(existsSync(join(root, '.cache'))).toBe(false)
})

test('frames are the same apart from their places', () => {
  const root = project(`const limit = Error.stackTraceLimit
console.log(new TypeError('x').stack?.split('\\n')[0], limit)
Promise.reject(new RangeError('y')).catch((error) => console.log(error.stack))`)
  const { out } = run(root)
  expect(out).toMatch(/^TypeError: x 10\nRangeError: y\n {4}at file:.*a\.org:6:18\n/)
})

test('maps of other tools go on working', () => {
  const root = project("import './made.js'")
  const map = { version: 3, file: 'made.js', sources: ['made.src'], names: [], mappings: 'AACA' }
  const data = Buffer.from(JSON.stringify(map)).toString('base64')
  const comment = `//# sourceMappingURL=data:application/json;base64,${data}`
  writeFileSync(join(root, 'made.js'), `console.log(new Error('x').stack)\n${comment}\n`)
  expect(run(root).out).toContain('made.src:2:1')
})

test('coverage has the map', () => {
  const root = project("console.log('a')")
  const folder = join(root, 'coverage')
  expect(run(root, { NODE_V8_COVERAGE: folder }).code).toBe(0)
  const [report] = readdirSync(folder).map((name) => {
    return JSON.parse(readFileSync(join(folder, name), 'utf8'))
  })
  const { data } = report['source-map-cache'][`file://${root}/a.ts`]
  expect(data.sources).toEqual([`file://${root}/a.org`])
})
