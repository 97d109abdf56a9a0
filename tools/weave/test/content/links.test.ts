import { type Link, walk } from 'org-ast'
import { expect, test } from 'vitest'
import { directoryOf, resolveLink } from '../../src/content/links.ts'
import { makePage } from '../../src/pages/pages.ts'

const other = makePage(
  '/book',
  '/book/core/gate.org',
  ':PROPERTIES:\n:ID: gate\n:END:\n* Gates\n:PROPERTIES:\n:ID: g-1\n:CUSTOM_ID: the-gates\n:END:\n** Ask /one/ gate\n#+name: code\n: x\n<<spot>>\n',
)

function resolved(link: string) {
  const page = makePage('/book', '/book/manual/user.org', `* Here\n${link}\n`)
  let found: Link | null = null
  walk(page.tree, (node) => {
    if (node.type === 'link') found ??= node
  })
  return resolveLink(found!, page, directoryOf([page, other]))
}

test.each([
  ['[[https://example.org/a?b=c]]', 'https://example.org/a?b=c'],
  ['[[file:../core/gate.org]]', '../core/gate.html'],
  ['[[file:../core/gate.org::*Gates]]', '../core/gate.html#the-gates'],
  ['[[file:../core/gate.org::*ask  one gate][x]]', '../core/gate.html#ask-one-gate'],
  ['[[file:../core/gate.org::#the-gates]]', '../core/gate.html#the-gates'],
  ['[[file:../core/gate.org::code]]', '../core/gate.html#_name-code'],
  ['[[file:../core/gate.org::spot]]', '../core/gate.html#_name-spot'],
  ['[[id:g-1]]', '../core/gate.html#the-gates'],
  ['[[id:g-1::*Ask one gate]]', '../core/gate.html#ask-one-gate'],
  ['[[id:gate]]', '../core/gate.html'],
  ['[[roam:CORE/gate.org]]', '../core/gate.html'],
  ['[[file:../core/gate.org::8]]', '../core/gate.html#the-gates'],
  ['[[file:../core/gate.org::/x/]]', '../core/gate.html'],
  ['[[*Here]]', '#here'],
  ['[[Here]]', '#here'],
])('%s leads to %s', (link, href) => {
  expect(resolved(link)).toMatchObject({ href })
})

test.each([
  ['[[file:../core/gone.org]]', 'there is no ../core/gone.org'],
  ['[[file:../core/gate.org::*Doors]]', 'core/gate.org has no *Doors'],
  ['[[roam:nothing]]', 'no document has the title nothing'],
  ['[[attachment:a.png]]', 'there is no attachment a.png'],
  ['[[id:nobody]]', 'no headline has the id nobody'],
  ['[[*There]]', 'manual/user.org has no *There'],
  ['\\alpha [[alpha]]', 'manual/user.org has no alpha'],
  ['[[javascript:alert(1)]]', 'manual/user.org has no javascript:alert(1)'],
  ['[[file:/etc/passwd]]', '/etc/passwd is outside of the folder'],
])('%s is dead', (link, reason) => {
  expect(resolved(link)).toBe(reason)
})
