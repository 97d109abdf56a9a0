import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { compareRows, digest, emacsRows, keptDocuments, ourRows, type Row } from './conformance.ts'

const root = join(import.meta.dirname, '..')
const emacs = spawnSync('emacs', ['--version'], { encoding: 'utf8' })
if (emacs.status !== 0) console.warn('skipped: no emacs on the PATH to compare trees with')

const checksums = `
28b0bef1 -------- 6a00996e e2ec2eca a3d610fd d988fbf8 afbe0ee5 4a2bd2b6 198a21ce 52a931c5
9770f1f3 ef32d945 58303da7 4428d822 651d6210 afe22995 ecfa4c0e e58e5360 936cf43c 7d8bf6a0
283a34aa e66d2b73 0cd97896 051c9da8 8f5abd36 d84f52e8 4f7b5ccf e84da098 852855c4 13bfbca0
-------- -------- aa67c85e e58e5360 0737b6d7 82944faa -------- 3eedd384 -------- e58e5360
068e28d9 18c7aee0 ecc46a04 2fb5262e d1f10756 e58e5360 0a3d3c7d 06fcfe49 cef13275 95824da2
c3cf5ceb 6385904f -------- -------- 6e46ba50 -------- f0616d7a 3d78d2e0 -------- 895ad3c1
1bcce52a 926d746b -------- 3f5af147 9770f1f3 7aaf23f7 65e2ce06 0c4fd90f e54f67b6 d988fbf8
9f595fc8 02b1ead4 -------- 2db91e13 5ca73ce4 540abf5f 276936d1 921d622a 885f352c 068e28d9
f602ce8a ba702d7c 00e2d80b 218f400c 0381ccaa 19e48332 30b07d18 f6f4b4e8 9aabf0fc 605b9ff4
562d890c a6a7fde8 5ae6a0c0 4198c6fe 46397ac9 79b0e339 ba93b193 9107dd53 ef5e223f ef440d9a
ac90778e 9a4c47c9 e58e5360 5b9bb523 1dc09b99 7aaf23f7 3e9ab4a6 8c3b8172 e122ac38 --------
-------- f8878dcd d988fbf8 -------- 313a766c 0757a73a 78ea883d c84bef9b 525dd51b b1af696d
a6a3f3a7 -------- d09234c1 082271f6 1d463adf e744f5f4 0de12d34 6bd3eafb 7aaf23f7 18f93aea
60a772bc 5b801479 6e2c509e fe2aca25 a11812fe e9a3782f 9dd875f1 47f16b57 38aeb3d8 945b6339
-------- ed3bfdd6 664adce2 487f5a98 -------- 1c101b07 13315ef7 98d4d095 -------- f8213756
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
`
  .trim()
  .split(/\s+/)

test('made-up documents are read as Org 9.8.9 reads them', () => {
  const texts = keptDocuments()
  const wrong = texts.filter((text, index) => {
    const sum = checksums[index]
    return sum !== '--------' && sum !== digest(ourRows(text))
  })
  expect(wrong).toEqual([])
  expect(checksums.filter((sum) => sum !== '--------').length).toBeGreaterThan(200)
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
