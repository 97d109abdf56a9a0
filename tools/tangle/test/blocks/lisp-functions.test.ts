import { expect, test } from 'vitest'
import { readArgument } from '../../src/blocks/evaluate.ts'
import { printLisp } from '../../src/blocks/lisp.ts'
import type { LispWorld } from '../../src/blocks/lisp-functions.ts'

const world: LispWorld = {
  env: { OUT: '/out', EMPTY: '' },
  home: '/home/me',
  file: '/book/a.b.org',
  platform: 'linux',
  clock: new Date(2026, 10, 1, 9, 5, 7),
  property: (name, inherit) => (name === 'dir' && inherit ? 'src' : null),
}
const value = (text: string) => printLisp(readArgument(text, world))

test.each([
  [
    '(expand-file-name "x.lisp" (expand-file-name "h/" (or (identity (getenv "OUT")) ".")))',
    '"/out/h/x.lisp"',
  ],
  ['(expand-file-name "~/x")', '"/home/me/x"'],
  ['(concat (file-name-sans-extension (buffer-file-name)) ".el")', '"/book/a.b.el"'],
  ['(file-name-base buffer-file-name)', '"a.b"'],
  ['(file-name-concat "a" nil "b/" "c")', '"a/b/c"'],
  ['(file-relative-name "/x/y")', '"../x/y"'],
  [
    '(list (file-name-directory "a/b") (file-name-directory "b") (file-name-extension "a.b"))',
    '("a/" nil "b")',
  ],
  ['(directory-file-name (file-name-as-directory "a"))', '"a"'],
  ['(if (eq system-type \'gnu/linux) "yes" "no")', '"yes"'],
  ['(concat (org-entry-get nil "dir" t) "/x")', '"src/x"'],
  ['(format "%s-%05d-%S-%-4s|%c%x%%" "a" 42 "b" \'c ?d 255)', '"a-00042-\\"b\\"-c   |dff%"'],
  ['(format-time-string "%F %T")', '"2026-11-01 09:05:07"'],
  ['(list (+ 1 2.5) (/ 7 2) (- 3) (1+ 1) (< 1 2 3) (% 7 4))', '(3.5 3 -3 2 t 3)'],
  [
    '(list (nth 1 \'(a b)) (cadr \'(1 2)) (cdr (assoc "x" \'(("x" . 1)))) (length "äö"))',
    '(b 2 1 2)',
  ],
  [
    '(list (upcase "a") (capitalize "foo bar") (substring "abcd" 1 -1) (string-trim " a "))',
    '("A" "Foo Bar" "bc" "a")',
  ],
  ['(list (string= "a" \'a) (equal \'(1) (list 1)) (eq "a" "a") (intern "x"))', '(t t nil x)'],
  ['(split-string " a b ")', '("a" "b")'],
  ["(append '(1) nil '(2 3))", '(1 2 3)'],
])('%s', (text, expected) => {
  expect(value(text)).toBe(expected)
})

test.each([
  ['(concat 1)', 'is no list'],
  ['(upcase 1)', '1 is no string'],
])('%s is refused', (text, message) => {
  expect(() => value(text)).toThrow(message)
})
