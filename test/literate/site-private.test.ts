import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { weaveSite, writeSite } from 'org-weave'
import { expect, onTestFinished, test } from 'vitest'

function memex(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'memex-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return folder
}

const secretNote = `* Public half
Text with a note[fn:1].
* Marzipan plan :private:marzipantag:
SCHEDULED: <2026-11-23 Mon>
:PROPERTIES:
:ID: marzipan-id
:CUSTOM_ID: marzipan-custom
:Effort: marzipan
:END:
Nobody knows of the marzipan <2026-11-24 Tue>.
[[file:pictures/marzipan.png]]
#+name: marzipan-block
#+begin_src typescript
export function marzipan(): void {}
#+end_src
#+begin_src typescript :tangle ../src/marzipan.ts
/** Buys marzipan. */
export function buyMarzipan(): number {
  return 7
}
#+end_src
#+begin_src typescript :tangle ../src/shop.ts
export const marzipanPrice = 'marzipan'
#+end_src
<<marzipan-target>>
** TODO Buy marzipan
[fn:1] About marzipan.
* Public end
#+begin_src typescript :tangle ../src/shop.ts
/** Opens at nine. */
export function openShop(): string {
  return 'open'
}
#+end_src
`

const files = {
  'package.json': '{"org-tangle": {}}',
  'notes/n.org': secretNote,
  'notes/whole-marzipan.org': '#+title: Marzipan\n#+filetags: :private:\n#+date: 2026-11-21\n* x\n',
  'notes/2026-11-20.org':
    '#+title: A day\n#+description: See [[id:marzipan-id][marzipan]].\nText.\n',
  'notes/2026-11-21.org': '#+filetags: :private:\n* Marzipan day\n',
  'notes/idea.org':
    '#+draft: t\n#+title: Nougat\n#+filetags: :nougat:\n[[file:pictures/nougat.png]]\n',
  'notes/work/w.org': '#+title: Liquorice\n#+filetags: :liquorice:\n',
  'notes/links.org': `#+title: Links
* TODO About [[id:marzipan-id][marzipan]]
DEADLINE: <2026-12-01 Tue>
:PROPERTIES:
:Related: [[file:n.org::*Marzipan plan][marzipan]] marzipan-id
:END:
[[file:n.org::#marzipan-custom][marzipan]] [[file:n.org::marzipan-block]] [[file:n.org::marzipan-target]]
[[file:whole-marzipan.org][marzipan]] [[roam:Marzipan plan]] [[attachment:gone.png]] [[file:key.png]]
# marzipan is only a word here
[[file:idea.org]] [[file:work/liquorice.png]] [[file:pictures/open.png][picture]]
`,
  'notes/org-weave.org':
    '#+url: https://a.org/\n#+exclude: work\n#+lists: contents tags journal agenda graph book\n' +
    '* Footer\n[[id:marzipan-id][marzipan]]\n',
  'notes/pictures/marzipan.png': '',
  'notes/pictures/nougat.png': '',
  'notes/pictures/open.png': '',
  'notes/work/liquorice.png': '',
  'outside.png': 'outside',
}

test('a secret is in no file of a site', async () => {
  const folder = memex(files)
  symlinkSync('../outside.png', join(folder, 'notes/key.png'))
  const site = await weaveSite(join(folder, 'notes'), folder)
  writeSite(site, join(folder, 'site'), false)
  const entries = readdirSync(join(folder, 'site'), { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  const names = paths.map((path) => path.slice(join(folder, 'site').length + 1))
  const kinds = [
    'agenda',
    'graph',
    'journal',
    'contents',
    'book',
    'links',
    'n',
    'index',
    '2026-11-20',
  ]
  expect(names).toEqual(
    expect.arrayContaining([...kinds.map((kind) => `${kind}.html`), 'feed.xml', 'search-index.js']),
  )
  expect(names).toContain('pictures/open.png')
  expect(names.filter((name) => name.startsWith('src/'))).toEqual(['src/src/shop.ts.html'])
  const shop = readFileSync(join(folder, 'site/src/src/shop.ts.html'), 'utf8')
  expect(shop).toContain('openShop')
  for (const path of paths) {
    expect(path).not.toMatch(/marzipan|nougat|liquorice|key\.png|2026-11-21/i)
    expect(readFileSync(path, 'utf8'), path).not.toMatch(
      /marzipan|nougat|liquorice(?!\.png)|outside|2026-11-2[1-4]/i,
    )
  }
  const links = readFileSync(join(folder, 'site/links.html'), 'utf8')
  expect(links).toContain('<h2 id="about-private">')
  expect(links.match(/\[private\]/g)!.length).toBeGreaterThan(6)
  expect(site.problems.map(({ message }) => message).sort()).toEqual([
    'key.png is outside of the folder',
    'there is no attachment gone.png',
    'there is no footnote 1',
    'work/liquorice.png is left out of this site',
  ])
})
