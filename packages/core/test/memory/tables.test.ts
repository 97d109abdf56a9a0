import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase, readDatabase } from '../../src/memory/database.ts'
import { savedSnapshot, savedSnapshots } from '../../src/memory/snapshot-store.ts'
import { checkStore, ObjectStore } from '../../src/memory/store.ts'

const green = '4bb81b8201eacd3cfc042d7cec1a1741fc2f01a865efd371265b5bf901f75d14'
const red = 'c409085748c9358e880b9e42ac9383a079b7f04b9f6c89f00d9a6c18b573453b'
const spring = '9fc336459f3e71d2896d22d7f444c29d1f4cdbd774b16405e50626f5908c3684'
const autumn = '7c749b76d02165e0633ba989a2323d09f6732739ae4b017c13c1024875c957a5'
const bean = 'path:51802622ed1dde252d13'
const rest = '"tags":[],"scheduled":null,"deadline":null,"closed":null'
const state = `"attributes":{},"todo":null,"done":false,"priority":null,${rest}`

const fileFacts = (child: string) =>
  `{"written":"file:a.org","type":"file","head":"","title":"a.org","level":0,${state},"children":["${child}"]}`
const noteFacts = `{"written":null,"type":"headline","head":"* Bean\\n","title":"Bean","level":1,${state},"children":[]}`
const outline = (file: string, note: string, version: number, end: number) => {
  const author = '"authorship":{"by":"owner","signal":null,"outside":false}'
  const place = `"version":${version},${author},"line":1,"begin":0,"end":${end},"private":false`
  return `[{"id":"file:a.org","hash":"${file}","parent":null,${place}},{"id":"${bean}","hash":"${note}","parent":"file:a.org",${place}}]`
}

const fixture = `
CREATE TABLE versions (hash TEXT PRIMARY KEY, facts TEXT NOT NULL, content TEXT NOT NULL);
CREATE TABLE changes (id TEXT NOT NULL, at INTEGER NOT NULL, hash TEXT, author TEXT NOT NULL,
  signal TEXT, outside INTEGER NOT NULL, file TEXT NOT NULL);
CREATE INDEX changes_of ON changes (id);
CREATE TABLE shapes (digest TEXT PRIMARY KEY, outline TEXT NOT NULL);
CREATE TABLE files (path TEXT PRIMARY KEY, stamp TEXT, hash TEXT NOT NULL, shape TEXT NOT NULL);
CREATE TABLE snapshots (name TEXT PRIMARY KEY, at INTEGER NOT NULL);
CREATE TABLE snapshot_files (name TEXT NOT NULL, path TEXT NOT NULL, hash TEXT NOT NULL,
  shape TEXT NOT NULL, PRIMARY KEY (name, path));
INSERT INTO versions VALUES ('${spring}', '${fileFacts(green)}', ''),
  ('${green}', '${noteFacts}', 'Green.' || char(10)),
  ('${autumn}', '${fileFacts(red)}', ''), ('${red}', '${noteFacts}', 'Red.' || char(10));
INSERT INTO changes VALUES ('file:a.org', 1000, '${spring}', 'owner', NULL, 0, 'a.org'),
  ('${bean}', 1000, '${green}', 'owner', NULL, 0, 'a.org'),
  ('file:a.org', 3000, '${autumn}', 'owner', NULL, 0, 'a.org'),
  ('${bean}', 3000, '${red}', 'agent', 'e1', 1, 'a.org');
INSERT INTO shapes VALUES ('s', '${outline(spring, green, 1, 14)}'),
  ('r', '${outline(autumn, red, 2, 12)}');
INSERT INTO files VALUES ('a.org', '2:12', '${autumn}', 'r');
INSERT INTO snapshots VALUES ('spring', 2000);
INSERT INTO snapshot_files VALUES ('spring', 'a.org', '${spring}', 's');
PRAGMA user_version = 1;`

test('a memory of the first schema is one of this', () => {
  const dir = mkdtempSync(join(tmpdir(), 'tables-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const old = new DatabaseSync(join(dir, 'memory.db'))
  old.exec(fixture)
  old.close()
  const database = readDatabase(dir)!
  onTestFinished(() => database.close())
  const store = new ObjectStore()
  const stamps = new Map<string, string>()
  database.load(store, stamps)
  expect([store.get(bean)?.content, stamps.get('a.org')]).toEqual(['Red.\n', undefined])
  expect(store.history.changes(bean)).toEqual([
    { by: 'owner', signal: null, outside: false, hash: green, at: 1000, file: 'a.org' },
    { by: 'agent', signal: 'e1', outside: true, hash: red, at: 3000, file: 'a.org' },
  ])
  const fresh = new ObjectStore()
  fresh.ingestFile('a.org', '* Bean\nRed.\n')
  expect([store.root(), checkStore(store)]).toEqual([fresh.root(), null])
  expect(savedSnapshots(database)).toEqual([{ name: 'spring', at: 2000, entry: null }])
  store.restore(savedSnapshot(database, 'spring')!)
  expect([store.get(bean)?.content, checkStore(store)]).toEqual(['Green.\n', null])
  expect(openDatabase(dir).close()).toBeUndefined()
})
