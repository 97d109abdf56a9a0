import { expect, test } from 'vitest'
import { infoAddress } from '../../src/content/info-links.ts'

const emacs = 'https://www.gnu.org/software/emacs/manual/html_mono'
test.each([
  ['elisp#Invisible Text', `${emacs}/elisp.html#Invisible-Text`],
  ['emacs::File Archives', `${emacs}/emacs.html#File-Archives`],
  ['calc:Top', `${emacs}/calc.html#Top`],
  ['org', `${emacs}/org.html#Top`],
  ['elisp#2.1 A/B', `${emacs}/elisp.html#g_t2_002e1-A_002fB`],
  ['nobody#x', null],
])('%s', (path, address) => {
  expect(infoAddress(path)).toBe(address)
})
