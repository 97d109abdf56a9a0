import { linkSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { ObjectStore } from '@passepartout/core'
import { expect, onTestFinished, test } from 'vitest'
import { hiddenNotes, isHiddenNote, twinsOfKeys } from '../../src/sandbox/hidden-notes.ts'

function folder(...files: string[]): string {
  const dir = mkdtempSync(join(tmpdir(), 'hidden-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  for (const file of files) {
    mkdirSync(dirname(join(dir, file)), { recursive: true })
    writeFileSync(join(dir, file), '')
  }
  return dir
}

test('a key is found by its name, and by the inode that it shares', () => {
  const dir = folder(
    '.env',
    'keys/server.pem',
    '.npmrc',
    'garden.txt',
    '.git/config',
    'home/.ssh/id_rsa',
  )
  linkSync(join(dir, '.env'), join(dir, 'a-first.txt'))
  linkSync(join(dir, 'home/.ssh/id_rsa'), join(dir, 'second.txt'))
  const store = new ObjectStore()
  const keys = (twins?: Set<string>) =>
    hiddenNotes(dir, store, twins).keys.map(({ path, level }) => [relative(dir, path), level])
  const byText = (a: unknown, b: unknown) => (String(a) < String(b) ? -1 : 1)
  const own = [
    ['.env', 'secret'],
    ['a-first.txt', 'secret'],
    ['.npmrc', 'private'],
    ['keys/server.pem', 'private'],
    ['home/.ssh/id_rsa', 'secret'],
    ['second.txt', 'secret'],
  ].sort(byText)
  expect(keys().sort(byText)).toEqual(own)
  rmSync(join(dir, '.env'))
  const twins = twinsOfKeys({ home: join(dir, 'home'), stateDir: join(dir, 'none') })
  const outside = folder('x.txt')
  linkSync(join(dir, 'second.txt'), join(outside, 'third.txt'))
  expect(hiddenNotes(outside, store, twins).keys).toEqual([
    { path: join(outside, 'third.txt'), level: 'secret' },
  ])
  expect(hiddenNotes(outside, store).keys).toEqual([])
})

const copies = [
  ...['diary.org~', '#diary.org#', '.diary.org.swp', 'diary.org.~3~', 'diary.org.orig'],
  ...['old/diary.sync-conflict-20260101-093000.org', 'diary.org.bak', 'health.org_archive'],
  ...['diary.org.gz', 'old/diary.org.xz', 'diary.org.tar.zst'],
]

test('what is private is hidden, with its copies and its past', () => {
  const shown = ['garden.org', 'plan.txt', 'sub/garden.org']
  const dir = folder(...shown, 'diary.org', 'unread.org', '.git/HEAD', 'sub/.hg/x', ...copies)
  const store = new ObjectStore()
  for (const path of ['garden.org', 'sub/garden.org']) store.ingestFile(path, '* Beans\n')
  const names = () => {
    const { files, folders } = hiddenNotes(dir, store)
    return [...files, ...folders].map((path) => relative(dir, path)).sort()
  }
  const unread = ['diary.org', 'health.org_archive', 'old/diary.sync-conflict-20260101-093000.org']
  expect(names()).toEqual([...unread, 'unread.org'])
  store.ingestFile('diary.org', '* Day :private:\n')
  expect(names()).toEqual([...copies, 'diary.org', 'unread.org', '.git', 'sub/.hg'].sort())
})

test('an archive beside private notes is shut, and one beside open notes is not', () => {
  const packed = ['all.tar.gz', 'notes.zip', 'old/backup.gz', 'x.tgz', 'repo.bundle', 'a.tar.zst.1']
  const dir = folder(...packed, 'data.csv.gz', 'app.js.br', 'zip.txt', 'diary.org')
  const store = new ObjectStore()
  const keys = () => hiddenNotes(dir, store).keys.map(({ path }) => relative(dir, path))
  store.ingestFile('diary.org', '* Day\n')
  expect(keys()).toEqual([])
  store.ingestFile('diary.org', '* Day :private:\n')
  expect(keys().sort()).toEqual(packed.sort())
})

test('what belongs to a private note is hidden, however it is called', () => {
  const id = '5f0c2f5e-0c1b-4a53-9f4b-aaaaaaaaaaaa'
  const own = [
    ...[`data/5f/${id.slice(2)}/letter.pdf`, `.attach/5f0c2f/${id.slice(6)}/deep/x.png`],
    ...['papers/report.pdf', 'papers/sub/scan.png', 'shots/knee.jpg', 'shots/my hip.jpg'],
    ...[
      'diary.html',
      'diary.md',
      'diary.tex',
      'diary.txt',
      'diary.ics',
      'diary.pdf',
      'diary.html~',
    ],
    ...['out/visit.html', 'out/all.pdf', 'plots/pulse.png', 'plots/deep/weight.svg'],
    ...['charts/sleep.png'],
  ]
  const shown = [
    ...['garden.html', 'style.css', 'src/diary.ts', 'shots/both.jpg', 'papers/notes.org'],
    ...['diary-of-beans.html', 'garden.org', 'data/5f/other/x.pdf'],
  ]
  const dir = folder(...own, ...shown, 'diary.org')
  const store = new ObjectStore()
  store.ingestFile('garden.org', '* Beans\n[[file:shots/both.jpg]]\n')
  store.ingestFile('papers/notes.org', '* Notes\n')
  store.ingestFile(
    'diary.org',
    `#+export_file_name: out/all.pdf\n* Day :private:\n:PROPERTIES:\n:ID: ${id}\n:DIR: papers\n:EXPORT_FILE_NAME: out/visit\n:END:\n` +
      `[[file:shots/knee.jpg]] [[./shots/both.jpg][b]] [[./shots/my hip.jpg]] file:garden.org\n` +
      '#+begin_src gnuplot :file-ext svg :output-dir plots/\n#+end_src\n' +
      '** Nights\n:PROPERTIES:\n:header-args: :output-dir charts\n:END:\n' +
      '#+begin_src gnuplot :output-dir ./ :file x.png\n#+end_src\n',
  )
  const hidden = (name: string) => isHiddenNote(dir, join(dir, name), store)
  expect(own.filter((name) => !hidden(name))).toEqual([])
  expect(shown.filter(hidden)).toEqual([])
  const { files, folders } = hiddenNotes(dir, store)
  const all = [...files, ...folders].map((path) => relative(dir, path))
  const isFound = (name: string) => all.some((one) => name === one || name.startsWith(`${one}/`))
  expect(own.filter((name) => !isFound(name))).toEqual([])
  expect(shown.filter(isFound)).toEqual([])
})

test('a copy without the tag, an export and what only a private note names are hidden', () => {
  const notes = [
    ...['health.sync-conflict-20261122-093000-ABCDEFG.org', 'health (conflicted copy 2026).org'],
    ...['health_BASE_1234.org', 'health_REMOTE_1.org', 'health_BACKUP_22.org', '#health.org'],
    ...['health_archive.org', 'Copy of health.org', 'health.org.org', 'health (1).org'],
  ]
  const own = [
    ...['.health.org.un~', 'health.org.save.1', '.health.org.kate-swp', 'health.org,v'],
    ...['health.org.mine', 'health.org.r12', 'health.org.BASE', 'health.org.bak1', 'health.org.1'],
    ...['health.org.prev', 'health.org.part', 'health.org.crswap', '.health.org.swx'],
    ...['old/health.org.2026-11-22', '!memex!health.org!', 'Trash/health.txt', 'health.patch'],
    ...['health.org.html', 'public/health.html', 'health.adoc', 'health.gmi', 'health.mediawiki'],
    ...['health.reveal.html', 'health.tjp', 'health.bbl', 'ltximg/health.txt', 'Health.txt'],
    ...['keys.sh', 'graph.txt', 'included.txt', 'ang le.txt', 'dirlink/a/b.txt', 'doc.txt'],
  ]
  const shownNotes = [
    ...['health-2025.org', 'mental health.org', 'my-health.org', 'healthy.org'],
    ...['garden_archive.org', 'dirlink/open.org', 'garden.org', 'health.2025.org'],
  ]
  const shown = ['healthy.txt', 'garden.txt', 'src/health.ts', 'my-health.html', 'both.txt']
  const dir = folder(...notes, ...own, ...shownNotes, ...shown, 'health.org')
  const store = new ObjectStore()
  for (const path of [...notes, ...shownNotes])
    store.ingestFile(path, '* Beans\n[[file:both.txt]]\n')
  store.ingestFile('garden.org', '* Beans\n[[file:both.txt]] [[file:keys.sh]]\n')
  store.ingestFile(
    'health.org',
    '* Open\n* Knee :private:\n#+include: "included.txt"\n<file:ang le.txt> [[file:dirlink/]]\n' +
      '[[docview:doc.txt::3]] [[file:both.txt]]\n#+begin_src sh :tangle keys.sh\nx\n#+end_src\n' +
      '#+begin_src dot :file graph.txt\nx\n#+end_src\n',
  )
  const { files } = hiddenNotes(dir, store)
  const found = files.map((path) => relative(dir, path)).sort()
  expect(found).toEqual([...notes, ...own, 'health.org'].sort())
  for (const path of files) expect([path, isHiddenNote(dir, path, store)]).toEqual([path, true])
  for (const name of [...shown, ...shownNotes]) {
    expect([name, isHiddenNote(dir, join(dir, name), store)]).toEqual([name, false])
  }
})

test('one path is judged as the walk judges it', () => {
  const dir = folder('garden.org', 'plan.txt', 'diary.org', '.git/HEAD', ...copies)
  const store = new ObjectStore()
  store.ingestFile('garden.org', '* Beans\n')
  store.ingestFile('diary.org', '* Day :private:\n')
  const { files } = hiddenNotes(dir, store)
  const judged = (name: string) => isHiddenNote(dir, join(dir, name), store)
  for (const path of files) expect([path, isHiddenNote(dir, path, store)]).toEqual([path, true])
  expect(['garden.org', 'plan.txt', 'new.org'].map(judged)).toEqual([false, false, false])
  expect(['.git/HEAD', '.git/new', 'new.org~'].map(judged)).toEqual([true, true, true])
})
