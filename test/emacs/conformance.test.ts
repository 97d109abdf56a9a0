import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  compareRows,
  digest,
  emacsRows,
  keptDocuments,
  ourRows,
  type Row,
  withTasks,
} from './conformance.ts'

const root = join(import.meta.dirname, '../..')
const emacs = spawnSync('emacs', ['--version'], { encoding: 'utf8' })
if (emacs.status !== 0) console.warn('skipped: no emacs on the PATH to compare trees with')

const checksums = `
9f5b0671 42b8c902 54c50b3e 8b1016ba a3d610fd d988fbf8 c05299a5 -------- 0902db94 --------
9770f1f3 dfe3f966 80ede821 e5c06d93 4f0d353b f98d7027 ca203509 e58e5360 425836c2 f4f908bf
-------- f226d2a6 c50ebd1c c699f31d a4648ce4 52ccee65 d7efe74a 74d90423 1a9b6410 3b329780
1ad11135 -------- 79e7ba17 e58e5360 07cecaf8 5b38a9bf fdafe466 ccf52059 -------- e58e5360
068e28d9 8c79d19e 30bf092d 7805c283 3a240acd e58e5360 3ee308bd ebe5d2ce 6bfdc509 6b92e18e
3deb7562 bec29ae9 -------- -------- 55a049b9 -------- 07232ba2 a8137b0a c3b14196 895ad3c1
fad2604d 604d6fd1 -------- c1c72691 9770f1f3 7aaf23f7 7e1198ae -------- ecf82eed d988fbf8
cae4ecfa d1419c98 98b2a31a 794bc0d0 0ab60632 48ec99bf 436e5343 75177d95 8eef80d7 068e28d9
bfe8ee45 2bbc6ee5 f5c17b4a ae96b9b4 915ba33f 19e48332 44c9ef8f 0cf18429 b4020178 c44c51ee
27b539e6 44e2dc5d 5ae6a0c0 4c714741 46397ac9 -------- 0eea7732 675e2d0a df1dd493 855cbb92
6ef95757 09cb7cbd e58e5360 5b9bb523 de224e57 7aaf23f7 0b456216 c0c282cd e122ac38 --------
af24f4d8 a0d4a333 d988fbf8 1ac6ab9e c9c5589c 47b8e420 158deb39 9e5adcfd 961003e1 74c094fa
4c882fb2 faebec7d 17e3f11a c9fb4d98 336a5e0b d482777c -------- -------- 7aaf23f7 16fe6a52
f7ea1995 949bc59c 3626eef9 6b649b5d 68dd6116 09a3a814 5caa4d6b a818f473 c394c79f 1a5b6dcc
-------- b8d49bf2 f0fe0da2 487f5a98 -------- 963ebf04 2bee56d9 3acb60f7 -------- f8213756
d167000e e58e5360 61b55181 49ee85f8 62e1c4b2 38965363 80e26d8b de7b6ca1 e6480a5a bcccaa3b
224aef42 190e4737 d167000e 369324db 264c615a e58e5360 dc357647 5449614b 0aff4a1c fb7d641c
7f63d61d f8649640 dc357647 bcccaa3b ceb77321 cf8fd2d7 040655a5 75ab2fb9 264c615a c2f2cf8d
dc357647 0ac424b9 75b20e32 44e936d1 e58e5360 e58e5360 264c615a 89c812e1 50e0800f 30447945
10fa651f 2ce43974 bdaa8f4d 264c615a 61b55181 e58e5360 0d70abd2 80e26d8b 0aff4a1c d167000e
e58e5360 ca03b286 e58e5360 e58e5360 bcccaa3b 80e26d8b e58e5360 a943bc17 80e26d8b e9f0aa0c
224aef42 e6638f89 ed8353e8 bcccaa3b 90e4f973 50eaaf16 3bc9a262 e58e5360 6a706462 dc357647
c3bcfd4f 2b12855e 00a0dc51 68bf13a0 49b356bf a06999d9 f5dd99a4 0d641a53 5c4e601c f70fb502
7e78fc9e 0aff4a1c 226d31a5 6a761dd8 80e26d8b e8ac6c8a e58e5360 e58e5360 c3688aa7 190e4737
e58e5360 874c9df2 dc357647 90ca30b7 cc40ef83 27a76096 72a582b7 61b55181 e58e5360 e58e5360
7a93da9c 7ec64839 80e8ae69 34e82f4b 4d14cc3a 799d0eda 4f1b7374 -------- f9307a63 --------
d8bd2da4 20f62648 f19527f0 2872755c be214072 7609a5d5 c51f9959 d5ebf174 73d2b1da 1591d2c8
-------- b42ce086 17ae9977 da5f3d69 b953412d b6f14f26 f6e64871 eedacb7b 4a2e9032 c4c7b8a0
11fa9ff0 -------- 5407bcd8 f5de6ef5 6e3b5bed e19ff5d4 6fe8220b 5f02f300 -------- 5aa23542
6cfe25d2 f0e58a98 4636394f 33f1ae05 38e72d2b bdc91f37 cb1151ef 47b54143 c8118985 75f6d571
`
  .trim()
  .split(/\s+/)

test('made-up documents are read as Org 9.8.9 reads them', () => {
  const { plain, tasks } = keptDocuments()
  const wrong = [...plain, ...tasks].filter((text, index) => {
    const sum = checksums[index]
    const options = index < plain.length ? {} : withTasks
    return sum !== '--------' && sum !== digest(ourRows(text, options))
  })
  expect(wrong).toEqual([])
  expect(checksums.filter((sum) => sum !== '--------').length).toBeGreaterThan(240)
})

function places(rows: readonly Row[]): Row[] {
  const found = rows.filter(([type]) => type !== 'org-data')
  return found.map(([type, begin]) => [type, begin, 0, null, null, 0, {}])
}

test.skipIf(emacs.status !== 0)('real documents are read alike', { timeout: 120_000 }, async () => {
  const paths = globSync(['org/**/*.org', 'test/memex/**/*.org'], { cwd: root }).sort()
  const { version, rows } = await emacsRows(paths.map((path) => join(root, path)))
  const cut = /^9\.[0-5]\b/.test(version) ? places : (all: readonly Row[]) => all
  const differences = [...rows].flatMap(([file, theirs]) => {
    const ours = ourRows(readFileSync(file, 'utf8'))
    return compareRows(cut(theirs ?? []), cut(ours)).differences.map((each) => ({ file, ...each }))
  })
  expect(differences).toEqual([])
  expect([...rows.values()].flat().length).toBeGreaterThan(5_000)
})
