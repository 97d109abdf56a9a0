import { toHtml } from 'hast-util-to-html'
import { expect, test } from 'vitest'
import { directoryOf } from '../../src/content/links.ts'
import { backlinks, mentionsOf } from '../../src/notes/backlinks.ts'
import { makePage } from '../../src/pages/pages.ts'

test('a page knows who refers to it and to its sections', () => {
  const gate = makePage('/b', '/b/gate.org', '#+title: Gate\n* Open\n[[*Open]]\n* Shut\n')
  const links = '[[file:../gate.org]] [[file:../gate.org::*Shut]] [[file:../gone.org]]'
  const use = makePage('/b', '/b/a/use.org', `#+title: Use\n* Here\n${links} ${links}\n`)
  const pages = [gate, use]
  const mentions = mentionsOf(pages, directoryOf(pages))
  const item = '<ul><li><a href="a/use.html#here">Use</a> <span>Here</span></li></ul>'
  const html = backlinks(gate, mentions.get('gate.html')).map((element) => toHtml(element))
  expect(html).toEqual([
    '<section class="backlinks" aria-labelledby="_back"><h2 id="_back">Mentioned in</h2>' +
      `${item}<h3>To <a href="#shut">Shut</a></h3>${item}</section>`,
  ])
  expect(backlinks(use, mentions.get('a/use.html'))).toEqual([])
})
