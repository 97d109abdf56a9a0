import { expect, test } from 'vitest'
import { readArgument } from '../../src/blocks/evaluate.ts'
import { printLisp } from '../../src/blocks/lisp.ts'

const world = { env: {}, home: '/home/me', file: '/book/a.org', platform: 'linux' }
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
  ['(shell-command "rm -rf ~")', 'shell-command is not known'],
  ['(setq x 1)', 'setq is not known'],
  ['x', ''],
  ['(concat x)', 'variable x is not known'],
  ['(car', 'not complete'],
  ['((lambda (f) (funcall f f)) (lambda (f) (funcall f f)))', 'too deeply'],
  ['(make-string 9000000 ?x)', 'too long'],
  [`(progn ${'(car nil)'.repeat(9000)})`, 'too long'],
])('%s', (text, message) => {
  if (message === '') expect(value(text)).toBe('"x"')
  else expect(() => value(text)).toThrow(message)
})
