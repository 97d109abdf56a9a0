import { expect, test } from 'vitest'
import { isSafeAwk, isSafeJq, isSafeSed, languages } from '../../src/shell/languages.ts'

function understands(line: string): boolean {
  const [program = '', ...words] = line.split(' ')
  const fields = words.map((value) => ({
    value,
    known: !value.includes('*'),
    glob: value.includes('*'),
    splits: false,
    doubtful: false,
    varying: false,
  }))
  return typeof languages.get(program)?.(fields) === 'object'
}

test.each([
  'p',
  '10,20p',
  '$p',
  '/a/,/b/p',
  '5q',
  's/a/b/',
  's|a|b|g',
  's/a\\/b/c/gI',
  '/x/d',
  '1~2p',
  '/a/!d',
  'n;d',
  '/a/{s/b/c/;p}',
  'y/ab/cd/',
  '\\%a%p',
])('sed %s only prints', (script) => {
  expect(isSafeSed(script)).toBe(true)
})

test.each([
  'w x',
  'p;w x',
  's/a/b/w x',
  's/a/id/e',
  'e',
  '1e id',
  'r /etc/passwd',
  'R x',
  'W x',
  's/a/b/ge',
  '/a/w x',
  '$!w x',
  's/[/]/x/',
  'a text',
  ':a;ba',
  's/a/b',
  's/a/b/;e id',
  '/a/Iw x',
  '1,2{w x\n}',
  'sxaxbxe',
  'y/a/b/e',
  's/a\n/b/',
])('sed %j is a question', (script) => {
  expect(isSafeSed(script)).toBe(false)
})

test.each([
  '{print $1}',
  '$3 > 100 {print $1, $2}',
  'NR==1 || /x/',
  '{s+=$1} END {print s}',
  '!seen[$0]++',
  'BEGIN{FS=","} {print $2}',
])('awk %s only prints', (program) => {
  expect(isSafeAwk(program)).toBe(true)
})

test.each([
  'BEGIN{system("id")}',
  '{print > "x"}',
  '{print | "sh"}',
  '"id" | getline',
  '{print ENVIRON["KEY"]}',
  '@load "x"',
  '{ f="sys" "tem"; @f("id") }',
  '{print "}" > "x"}',
  '{print |& "nc"}',
  'BEGIN{ARGV[1]="/etc/shadow"}',
  '{getline < "/etc/shadow"; print}',
])('awk %j is a question', (program) => {
  expect(isSafeAwk(program)).toBe(false)
})

test.each(['.', '.a[].b', '.env', '.x | .env.y', 'map(select(.a > 1))', 'keys'])(
  'jq %s keeps to its input',
  (filter) => {
    expect(isSafeJq(filter)).toBe(true)
  },
)

test.each([
  'env',
  '$ENV.KEY',
  'env.KEY',
  '. | env',
  '[env]',
  'import "x" as y; .',
  'include "x"; .',
])('jq %s is a question', (filter) => {
  expect(isSafeJq(filter)).toBe(false)
})

test.each([
  'find . -name *.org -type f',
  'find src lib -maxdepth 2 -newermt 2026-01-01',
  'find . ( -name a -o -name b ) -print',
  'find . -exec wc -l {} +',
  'sed -n 1,5p a',
  'sed -e p -e d a',
  'awk -F: {print$1} a',
  'jq .a x.json',
  'jq --arg n x .[$n] a',
  'test -f a',
  '[ a = b ]',
  '[ 1 -lt 2 ]',
  'printf %s a',
  'tar tf a.tar',
  'tar -tvf a.tar.gz',
  'unzip -l a.zip',
  'bash -n run.sh',
  'pdftotext a.pdf -',
  'pdftotext -layout -f 1 -l 2 a.pdf -',
  'pandoc -f org -t gfm a.org',
  'pandoc --to=plain a.md',
  'xargs -0 wc -l',
  'xargs -I {} wc {}',
  'command -v git',
  'env LC_ALL=C sort a',
  'timeout 5 ls',
  'nice -n 10 ls',
])('%s is understood', (line) => {
  expect(understands(line)).toBe(true)
})

test.each([
  'find . -delete',
  'find . -fprint x',
  'find . -fls x',
  'find . -fprintf x y',
  'find . -ok rm {} ;',
  'find . -files0-from x',
  'find *',
  'find . -name *',
  'find . -newerXY',
  'find / -perm -4000',
  'find / -perm -u=s',
  'printf %hhn x',
  'sed -i p a',
  'sed -n -f script a',
  'sed --in-place p a',
  'sed -ni p a',
  'awk -f x',
  'awk -i inplace {print}',
  'jq -f x',
  'jq -L . a',
  'jq --arg n',
  'jq --arg n x env',
  'jq --slurpfile n x .',
  'jq --rawfile a /etc/shadow .',
  'test -v a[$(id)]',
  '[ a -eq 1 ]',
  '[ -R x ]',
  'printf -v x y',
  'printf %n x',
  'tar xf a.tar',
  'tar tf host:a.tar',
  'tar -tf a.tar --to-command=sh',
  'tar -tf a.tar -I sh',
  'unzip a.zip',
  ...[
    'bash run.sh',
    'bash run.sh -n',
    'bash -n +n run.sh',
    'bash -n',
    'bash -nc ls',
    'bash -n -c ls',
  ],
  ...['bash -n *', 'bash -s', 'bash +n run.sh', 'bash', 'sh -', 'bash -n --rcfile x', 'bash --'],
  'pdftotext a.pdf',
  'pdftotext a.pdf b.txt',
  'pdftotext -',
  'pdftotext -upw x a.pdf -',
  'pandoc a.org -o a.pdf',
  'pandoc -oa.pdf a.org',
  'pandoc -t x.lua a.org',
  'pandoc --lua-filter=x a.org',
  'pandoc -F x a.org',
  'pandoc --extract-media=. a.docx',
  'pandoc https://example.org',
  'xargs -a x wc',
  'xargs -I {} {}',
  'env',
  'env -i ls',
  'env LD_PRELOAD=x ls',
  'env PATH=. ls',
  'env -S ls',
  'timeout ls',
])('%s is a question', (line) => {
  expect(understands(line)).toBe(false)
})
