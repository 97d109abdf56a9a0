import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  componentsOf,
  expandPath,
  matcherOf,
  type PathPlaces,
  pathForms,
} from '../../src/paths/paths.ts'

const places: PathPlaces = {
  home: '/home/ann',
  cwd: '/home/ann/memex',
  stateDir: '/home/ann/.local/state/passepartout',
  realPath: (path) => path,
}

test.each([
  ['~/notes', '/home/ann/notes'],
  ['~', '/home/ann'],
  ['~ann/x', '/home/ann/x'],
  ['~root/x', '/root/x'],
  ['~bob/x', '/home/bob/x'],
  ['$HOME/a/../b', '/home/ann/b'],
  [`\${HOME}/b`, '/home/ann/b'],
  ['$HOMES/b', '/home/ann/memex/$HOMES/b'],
  ['$PWD/b', '/home/ann/memex/b'],
  ['inbox.org', '/home/ann/memex/inbox.org'],
  ['//etc//./shadow/', '/etc/shadow'],
  ['file:///etc/shadow', '/etc/shadow'],
  ['FILE://localhost/etc/shad%6Fw', '/etc/shadow'],
])('%s expands to %s', (written, absolute) => {
  expect(expandPath(written, places)).toBe(absolute)
})

test('a link is followed once for frozen places, and each time for others', () => {
  let asked = 0
  const realPath = (path: string) => `${path}${++asked}`
  const frozen = Object.freeze({ ...places, realPath })
  expect(pathForms('a', frozen)).toEqual(pathForms('a', frozen))
  expect(asked).toBe(1)
  expect(pathForms('a', { ...frozen })).not.toEqual(pathForms('a', frozen))
})

test.each([
  '~/.ssh/id_rsa',
  '..\\.ssh\\id_rsa',
  '~/.ssh/id%5Frsa',
  '~/.ssh/id%255Frsa',
  '~/.ssh/id_rsa\0.pub',
  ' ~/.ssh/id_rsa ',
  '/proc/self/root/home/ann/.ssh/id_rsa',
  '/proc/1/task/7/cwd/../.ssh/id_rsa',
  '/proc/../home/ann/./.ssh//id_rsa',
])('%j is the key in one of its forms', (written) => {
  expect(pathForms(written, places)).toContain('/home/ann/.ssh/id_rsa')
})

test('a link is followed from the absolute form', () => {
  const realPath = (path: string) => (path === '/home/ann/memex/a.org' ? '/etc/shadow' : path)
  expect(pathForms('./a.org', { ...places, realPath })).toEqual([
    '/home/ann/memex/a.org',
    '/etc/shadow',
  ])
})

test.each(['/.SSH', '/.ssh.', '/.s\u200bsh', '/.ｓｓｈ', '/.ssh::$DATA', '/.ssh '])(
  '%j has the component .ssh',
  (path) => {
    expect(componentsOf(path)).toEqual(['.ssh'])
  },
)

test('a letter of another script is another letter', () => {
  expect(componentsOf('/.\u0455sh')).toEqual(['.\u0455sh'])
})

test.each([
  ['.s*', '.ssh', true],
  ['.ss?', '.ssh', true],
  ['.[st]sh', '.ssh', true],
  ['.[tu]sh', '.ssh', false],
  ['.[!a]sh', '.ssh', true],
  ['.[[:alpha:]]sh', '.ssh', true],
  ['.[^]a]sh', '.ssh', true],
  ['.{ssh,gnupg}', '.ssh', true],
  ['.@(ssh|x)', '.ssh', true],
  ['.s\0', '.ssh', true],
  ['*', '.ssh', false],
  ['?ssh', '.ssh', false],
  ['.t*', '.ssh', false],
  ['\\*', 'x', false],
  ['.ssh', '.ssh', true],
])('%j could be %s: %s', (pattern, name, expected) => {
  expect(matcherOf(pattern)(name)).toBe(expected)
})

test('a star and the name around it match, however many stars there are', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z]{1,20}$/), fc.nat(20), (name, cut) => {
      const starred = `${name.slice(0, cut)}${'*'.repeat(200)}${name.slice(cut)}`
      expect(matcherOf(starred)(name)).toBe(true)
      expect(matcherOf('*a'.repeat(500))(name)).toBe(false)
    }),
  )
})
