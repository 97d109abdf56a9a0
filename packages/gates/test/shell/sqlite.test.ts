import { parse } from 'unbash'
import { expect, test } from 'vitest'
import { findDoubt } from '../../src/shell/readonly.ts'
import { isSafeSql } from '../../src/shell/sqlite.ts'

const places = {
  home: '/home/ann',
  cwd: '/home/ann/memex',
  stateDir: '/home/ann/.local/state/passepartout',
  realPath: (path: string) => path,
}

function isUnderstood(source: string): boolean {
  return findDoubt(parse(source), places) === null
}

test.each([
  'select * from notes limit 5',
  'SELECT count(*) FROM notes',
  "select title from notes where title like '%update%'",
  "select 'it''s; drop table x'",
  'with days(n) as (select 1 union all select n + 1 from days where n < 7) select n from days',
  'explain query plan select 1',
  'pragma table_info(notes)',
  'PRAGMA integrity_check;',
  'select 1; select 2;',
  "select json_extract(data, '$.a') from x",
  'select name from sqlite_master where type in (1, 2)',
])('%s only reads', (sql) => {
  expect(isSafeSql(sql)).toBe(true)
})

test.each([
  "insert into x values ('a')",
  'delete from notes',
  'select 1; drop table x',
  'with a as (select 1) delete from notes',
  'replace into x values (1)',
  "attach 'x.db' as y",
  "select writefile('x', 'y')",
  "select readfile('/etc/shadow')",
  'select "readfile"(\'/etc/shadow\')',
  "select [readfile]('/etc/shadow')",
  "select `readfile`('/etc/shadow')",
  "select * from 'fsdir'('/etc')",
  "select * from fsdir('/etc')",
  "select load_extension('./x.so')",
  "select edit('x', 'sh')",
  "select sha3_query('x')",
  'pragma journal_mode = delete',
  'pragma journal_mode(delete)',
  'pragma writable_schema(1)',
  'vacuum into x',
  '.shell id',
  ' .shell id',
  "select 'a' -- '\n; drop table x",
  "select '",
  'select readfile/**/(1)',
  'with readfile(n) as (select 1) select readfile(n)',
])('%j is a question', (sql) => {
  expect(isSafeSql(sql)).toBe(false)
})

test.each([
  "sqlite3 notes.db '.tables'",
  'sqlite3 notes.db .schema',
  "sqlite3 -readonly notes 'select * from notes limit 5'",
  "sqlite3 -header -column notes.db 'select 1'",
  "sqlite3 notes.db 'pragma integrity_check' | head -1",
  "sqlite3 -separator , a.sqlite '.mode csv' 'select 1'",
])('%s only looks', (source) => {
  expect(isUnderstood(source)).toBe(true)
})

test.each([
  'sqlite3 notes.db',
  "echo '.shell id' | sqlite3 notes.db",
  "sqlite3 notes.db '.shell id'",
  "sqlite3 notes.db '.system id'",
  "sqlite3 notes.db '.read x.sql'",
  "sqlite3 notes.db '.output x'",
  "sqlite3 notes.db '.once x'",
  "sqlite3 notes.db '.import x y'",
  "sqlite3 notes.db '.load ./x'",
  "sqlite3 notes.db '.open y.db'",
  "sqlite3 notes.db '.tables | sh'",
  "sqlite3 -init x notes.db 'select 1'",
  "sqlite3 -cmd '.shell id' notes.db 'select 1'",
  "sqlite3 'file:x.db?mode=rw' 'select 1'",
  "sqlite3 .bashrc 'select 1'",
  "sqlite3 ~/.mozilla/firefox/x/cookies.sqlite 'select * from moz_cookies'",
  'sqlite3 notes.db "select $x"',
  "sqlite3 *.db 'select 1'",
])('%s is not understood', (source) => {
  expect(isUnderstood(source)).toBe(false)
})
