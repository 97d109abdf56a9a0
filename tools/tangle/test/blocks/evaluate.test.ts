import { expect, test } from 'vitest'
import { type LispWorld, readArgument } from '../../src/blocks/evaluate.ts'
import { printLisp } from '../../src/blocks/lisp.ts'

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
  ['no', '"no"'],
  ['123', '123'],
  ['-1.5', '-1.5'],
  ['1e3', '1000.0'],
  ['1-2', '"1-2"'],
  ['"a\\nb"', '"a\nb"'],
  ['"a" "b"', '"\\"a\\" \\"b\\""'],
  ['\'(1 "a" b)', '(1 "a" b)'],
  ['[1 a]', '[1 a]'],
  ['(identity #o755) and more', '493'],
])('%s', (text, expected) => {
  expect(value(text)).toBe(expected)
})

test.each([
  ['(if nil 1 2 3)', '3'],
  ['(when t 1 2)', '2'],
  ['(unless t 1)', 'nil'],
  ['(or nil (and 1 2))', '2'],
  ['(and)', 't'],
  ['(cond (nil 1) ((= 1 2) 2) (3))', '3'],
  ['(let* ((a 1) (b (+ a 1)) c) (list a b c))', '(1 2 nil)'],
  ['(let ((a 1)) (let ((a 2) (b a)) (list a b)))', '(2 1)'],
  ['`(a ,(+ 1 2) ,@(list 4 5) . b)', '(a 3 4 5 . b)'],
  ['((lambda (x) (* x 2)) 4)', '8'],
  ['(mapconcat (lambda (x) (concat x "!")) \'("a" "b") "-")', '"a!-b!"'],
])('%s', (text, expected) => {
  expect(value(text)).toBe(expected)
})

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
  ['(shell-command "rm -rf ~")', 'shell-command is not known'],
  ['(setq x 1)', 'setq is not known'],
  ['x', ''],
  ['(concat x)', 'variable x is not known'],
  ['(concat 1)', 'is no list'],
  ['(upcase 1)', '1 is no string'],
  ['(car', 'not complete'],
  ['((lambda (f) (funcall f f)) (lambda (f) (funcall f f)))', 'too deeply'],
  ['(make-string 9000000 ?x)', 'too long'],
  [`(progn ${'(car nil)'.repeat(9000)})`, 'too long'],
])('%s', (text, message) => {
  if (message === '') expect(value(text)).toBe('"x"')
  else expect(() => value(text)).toThrow(message)
})
