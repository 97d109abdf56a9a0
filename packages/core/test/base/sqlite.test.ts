import { execFileSync } from 'node:child_process'
import {
  closeSync,
  copyFileSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { SqliteFile } from '../../src/base/sqlite.ts'
import { saveRows } from '../../src/base/sqlite-rescue.ts'

const pageBytes = 4_096

function setting(isLocked = true, cachedPages = 1) {
  const dir = mkdtempSync(join(tmpdir(), 'sqlite-'))
  const path = join(dir, 'state', 'a.db')
  const said: string[] = []
  const open = () => {
    const file = new SqliteFile({
      path,
      name: 'the list',
      isLocked,
      ready: (db) => {
        db.exec(`PRAGMA journal_mode = WAL; PRAGMA cache_size = ${cachedPages};
          CREATE TABLE IF NOT EXISTS words (word TEXT)`)
      },
      save: saveRows,
      told: (sentence) => void said.push(sentence.replaceAll(dir, '').replace(/-\d+/g, '-N')),
    })
    onTestFinished(() => file.close())
    return file
  }
  onTestFinished(() => rmSync(dir, { recursive: true }))
  return { dir, path, said, open }
}

function fill(file: SqliteFile, rows = 3_000): void {
  const put = file.prepare('INSERT INTO words VALUES (?)')
  file.transaction(() => {
    for (let at = 0; at < rows; at++) put.run(`${at} ${'x'.repeat(200)}`)
  })
  file.exec('PRAGMA wal_checkpoint(TRUNCATE)')
}

function zero(path: string, page: number, pages = 1): void {
  const file = openSync(path, 'r+')
  writeSync(file, Buffer.alloc(pageBytes * pages), 0, pageBytes * pages, page * pageBytes)
  closeSync(file)
}

const count = (file: SqliteFile) => Number(file.prepare('SELECT count(*) AS n FROM words').get()?.n)

test('a page that is zeroed while the file is open', () => {
  for (const page of [1, 2, 20, 100]) {
    const { dir, open, path, said } = setting()
    const file = open()
    fill(file)
    zero(path, page)
    const left = count(file)
    expect([page, said.length, left > (page < 2 ? -1 : 2_900), left < 3_000]).toEqual([
      page,
      1,
      true,
      true,
    ])
    expect(said[0]).toMatch(/^The list was damaged \(.+\) and was made again: \d+ rows were saved/)
    fill(file, 10)
    expect(count(file)).toBe(left + 10)
    expect(readdirSync(join(dir, 'state')).some((name) => /damaged-\d+$/.test(name))).toBe(true)
  }
})

test('damage within a transaction and within an iteration', () => {
  const { open, path, said } = setting()
  const file = open()
  fill(file)
  zero(path, 30, 3)
  let tries = 0
  file.transaction(() => {
    tries++
    file.prepare("INSERT INTO words VALUES ('new')").run()
    file.prepare('UPDATE words SET word = upper(word)').run()
  })
  expect([tries, said.length]).toEqual([2, 1])
  expect(file.prepare("SELECT word FROM words WHERE word = 'NEW'").all()).toHaveLength(1)
  file.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  zero(path, 30, 3)
  const read = () => Array.from(file.prepare('SELECT word FROM words').iterate()).length
  expect(read).toThrow('The list was made again while it was read. Ask once more.')
  expect(read()).toBeGreaterThan(2_500)
  expect(said).toHaveLength(2)
})

function putBack(path: string): void {
  copyFileSync(path, `${path}.old`)
  renameSync(`${path}.old`, path)
}

test('a file that goes away under its owner', () => {
  const deeds: [string, (path: string) => void][] = [
    ['deleted', (path) => rmSync(path)],
    ['its folder deleted', (path) => rmSync(join(path, '..'), { recursive: true })],
    ['moved', (path) => renameSync(path, `${path}.old`)],
    ['its folder moved', (path) => renameSync(join(path, '..'), join(path, '../../old'))],
    ['its log deleted', (path) => rmSync(`${path}-wal`)],
    ['replaced by itself of long ago', (path) => putBack(path)],
  ]
  for (const [deed, act] of deeds) {
    const { open, path, said } = setting()
    const file = open()
    fill(file)
    file.prepare("INSERT INTO words VALUES ('in the log')").run()
    act(path)
    file.prepare("INSERT INTO words VALUES ('after it')").run()
    expect([deed, said]).toEqual([deed, [expect.stringContaining('moved or deleted')]])
    file.close()
    expect([deed, count(open())]).toEqual([deed, 3_002])
    expect(statSync(path).mode & 0o777).toBe(0o600)
  }
})

const indexDeeds: [string, (path: string) => void][] = [
  ['emptied', (path) => truncateSync(path)],
  ['cut off', (path) => truncateSync(path, pageBytes)],
  ['deleted', (path) => rmSync(path)],
  ['replaced', (path) => putBack(path)],
]

test.each(indexDeeds)('the index of the log %s under its owner', (_, act) => {
  const { open, path, said } = setting()
  const file = open()
  fill(file)
  const put = file.prepare("INSERT INTO words VALUES ('in the log')")
  put.run()
  act(`${path}-shm`)
  expect(count(file)).toBe(3_001)
  act(`${path}-shm`)
  put.run()
  expect(said).toEqual(Array(2).fill(expect.stringContaining('nothing of the list is lost')))
  const code = `import { DatabaseSync } from 'node:sqlite'
    const db = new DatabaseSync(process.argv[1], { readOnly: true })
    console.log(db.prepare('SELECT count(*) AS n FROM words').get().n)`
  const words = ['--input-type=module', '--eval', code, path]
  expect(execFileSync(process.execPath, words, { encoding: 'utf8' })).toBe('3002\n')
})

test.each([
  ['emptied', (path: string) => truncateSync(path)],
  ['its log emptied', (path: string) => truncateSync(`${path}-wal`)],
  ['its log cut off', (path: string) => truncateSync(`${path}-wal`, 100)],
])('a file that is cut off under its owner: %s', (_, act) => {
  for (const cachedPages of [1, 4_000]) {
    const { open, path, said } = setting(true, cachedPages)
    const file = open()
    fill(file)
    file.prepare("INSERT INTO words VALUES ('in the log')").run()
    file.prepare('SELECT sum(length(word)) FROM words').get()
    act(path)
    const put = file.prepare("INSERT INTO words VALUES ('after it')")
    put.run()
    expect(said).toHaveLength(1)
    if (cachedPages > 1) expect(count(file)).toBe(3_002)
    else expect(said[0]).toMatch(/damaged|cut off/)
    put.run()
    expect(said).toHaveLength(1)
  }
})

test('two who share a file', () => {
  const { open, path, said } = setting(false)
  const [one, other] = [open(), open()]
  fill(one)
  zero(path, 20)
  const left = count(one)
  fill(one, 5)
  expect([count(other), said.length]).toEqual([left + 5, 1])
})

test('a file that is broken before it is opened', () => {
  const deeds: [rows: number, (path: string) => void][] = [
    [0, (path) => truncateSync(path, 50_000)],
    [0, (path) => writeFileSync(path, 'rubbish, and enough of it to look like a file'.repeat(99))],
    [3_000, (path) => zero(path, 0)],
  ]
  for (const [rows, act] of deeds) {
    for (const sql of ['PRAGMA optimize', 'VACUUM']) {
      const { open, path, said } = setting()
      const file = open()
      fill(file)
      file.exec(sql)
      file.close()
      act(path)
      const again = open()
      expect([sql, count(again) >= rows, said.length]).toEqual([sql, true, 1])
      fill(again, 10)
      expect(readdirSync(join(path, '..')).filter((name) => name.includes('head'))).toEqual([])
    }
  }
})
