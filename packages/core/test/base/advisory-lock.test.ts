import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { isLocked, takeLock } from '../../src/base/advisory-lock.ts'

function lockPath(): string {
  const dir = mkdtempSync(join(tmpdir(), 'lock-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  return join(dir, 'a.lock')
}

const module = join(import.meta.dirname, '../../src/base/advisory-lock.ts')

function holding(path: string): string {
  return `import { takeLock } from ${JSON.stringify(module)}
    takeLock(${JSON.stringify(path)})
    process.stdout.write(String(process.pid))
    setInterval(() => {}, 1000)`
}

test.runIf(process.platform === 'linux')('a zombie holds nothing', async () => {
  const path = lockPath()
  const node = ['--input-type=module', '-e', holding(path)]
  const shell = spawn('sh', ['-c', '"$0" "$@" & exec sleep 600', process.execPath, ...node])
  onTestFinished(() => void shell.kill('SIGKILL'))
  const [said] = await once(shell.stdout, 'data')
  expect([isLocked(path), takeLock(path)]).toEqual([true, null])
  process.kill(Number(said), 'SIGKILL')
  await expect.poll(() => isLocked(path)).toBe(false)
  await expect.poll(() => readFileSync(`/proc/${said}/stat`, 'utf8')).toMatch(/\) Z /)
  const release = takeLock(path)
  expect([release !== null, isLocked(path)]).toEqual([true, true])
  release?.()
  release?.()
  expect(isLocked(path)).toBe(false)
})

test('a lock that is no lock is replaced', () => {
  const path = lockPath()
  expect(isLocked(path)).toBe(false)
  writeFileSync(path, 'rubbish, and enough of it to look like a file'.repeat(99))
  expect(isLocked(path)).toBe(false)
  const release = takeLock(path)
  expect([takeLock(path), statSync(path).mode & 0o777]).toEqual([null, 0o600])
  release?.()
})
