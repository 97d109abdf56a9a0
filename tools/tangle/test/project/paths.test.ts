import { expect, test } from 'vitest'
import {
  expandFileName,
  fileExtension,
  fileNameDirectory,
  relativeFileName,
  withoutExtension,
} from '../../src/project/paths.ts'

test.each([
  ['a.sh', '/book/a.sh'],
  ['./x/../a.sh', '/book/a.sh'],
  ['../..//../a', '/a'],
  ['~/a', '/home/me/a'],
  ['~', '/home/me'],
  ['~you/a', '/book/~you/a'],
  ['x/', '/book/x/'],
  ['.', '/book'],
  ['', '/book'],
  ['/', '/'],
])('%j', (name, expected) => {
  expect(expandFileName(name, '/book', '/home/me')).toBe(expected)
})

test('a name has parts', () => {
  expect(fileNameDirectory('a/b/c.d')).toBe('a/b/')
  expect(fileNameDirectory('c.d')).toBeNull()
  expect(['a/b.c.d', '/a.b/c', '/.emacs', 'a.org~'].map(withoutExtension)).toEqual([
    'a/b.c',
    '/a.b/c',
    '/.emacs',
    'a',
  ])
  expect(['a/b.c.d', '/a.b/c', '.emacs'].map(fileExtension)).toEqual(['d', null, null])
})

test.each([
  ['/a/b.org', '/a', 'b.org'],
  ['/a/b.org', '/a/c/d/', '../../b.org'],
  ['/a/b.org::*x https://y', '/z', '../a/b.org::*x https:/y'],
  ['/a', '/a', '.'],
  ['/a', '/a/b', '..'],
])('%s from %s', (name, folder, expected) => {
  expect(relativeFileName(name, folder)).toBe(expected)
})
