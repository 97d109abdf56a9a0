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

const root = join(import.meta.dirname, '..')
const emacs = spawnSync('emacs', ['--version'], { encoding: 'utf8' })
if (emacs.status !== 0) console.warn('skipped: no emacs on the PATH to compare trees with')

const checksums = `
4b7bd7a8 a635ca89 6a00996e e2ec2eca a3d610fd d988fbf8 afbe0ee5 -------- c6fbf590 --------
9770f1f3 ef32d945 e857e98a 4428d822 651d6210 afe22995 40885aca e58e5360 936cf43c --------
-------- e66d2b73 0cd97896 a3f34559 0e01af0e d84f52e8 a460edf3 f5eb1c73 852855c4 cf8e851c
54f1297a -------- 2598e8be e58e5360 -------- 82944faa ee7b8915 adb0f122 -------- e58e5360
068e28d9 362454a0 ecc46a04 2fb5262e b7a4caf1 e58e5360 5d18ba54 bb315cbf b7fcf003 8f448e24
c3cf5ceb 6385904f -------- f78e068e 0ff01160 -------- 4273abf8 f15addec 3f9e4d5d 895ad3c1
18842c61 815f7b77 -------- 3f5af147 9770f1f3 7aaf23f7 65e2ce06 faf974b6 e54f67b6 d988fbf8
494e22e2 1e1bbb5f d166a9c2 cadd9ac3 6233c0e8 540abf5f dd3a7867 734e9136 3131df05 068e28d9
f602ce8a ba702d7c 00e2d80b df516f7d 21b89283 19e48332 30b07d18 6cff8b13 9aabf0fc 605b9ff4
562d890c 701a9c27 5ae6a0c0 c7315bd4 46397ac9 46d32e2d c77a6f5d 58f732c2 6fb42618 ef440d9a
ac90778e 9a4c47c9 e58e5360 5b9bb523 69edc5bc 7aaf23f7 ab4f65b0 a1fc513b e122ac38 --------
1edd027f 74083e88 d988fbf8 -------- 1b4a19bf 0757a73a 65326bd7 c84bef9b 23cd0433 50bd50ab
eecb84bd d23a3212 d09234c1 082271f6 5b467037 e744f5f4 -------- -------- 7aaf23f7 d6bf792d
60a772bc 5b801479 6e2c509e fe2aca25 a11812fe 25670f2c 9dd875f1 867a32ac db6e2a98 945b6339
-------- ef35b509 -------- 487f5a98 -------- 1c101b07 13315ef7 dc22c168 -------- f8213756
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
223182c0 b4ed93d9 986215a3 1cb363c1 4d14cc3a 799d0eda 5364934a -------- 2d88c734 --------
d8bd2da4 632cdbf6 fa5f101b e45241ed 77eb391d c80b1b9e 2f2c4b71 d5ebf174 62aff842 --------
-------- f5a52e62 b4268ea7 2a8aa8e4 6bd48460 97ab9abc 39943a90 1965d2fb 613455b1 a0d17bba
4dfd491b -------- 92f28eb1 f5de6ef5 -------- fc8f3f50 dd80dd84 d55ea5d5 -------- 5aa23542
6cfe25d2 9eed6e39 232904d2 edcbc7e4 844b48f7 bdc91f37 3800ace4 e7f940d0 c3893620 785ac82e
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
