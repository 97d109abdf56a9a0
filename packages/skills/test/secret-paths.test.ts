import { expect, test } from 'vitest'
import { expandPath, isSecretPath, type PathPlaces } from '../src/secret-paths.ts'

const places: PathPlaces = {
  home: '/home/ann',
  cwd: '/home/ann/memex',
  stateDir: '/home/ann/.local/state/passepartout',
  realPath: (path) => path,
}

test.each([
  ['~/notes', '/home/ann/notes'],
  ['$HOME/a/../b', '/home/ann/b'],
  [`\${HOME}/b`, '/home/ann/b'],
  ['inbox.org', '/home/ann/memex/inbox.org'],
  ['file:///etc/shadow', '/etc/shadow'],
])('%s expands to %s', (written, absolute) => {
  expect(expandPath(written, places)).toBe(absolute)
})

test.each([
  '~/.ssh/id_rsa',
  '~/.ssh',
  '$HOME/.ssh/../.ssh/id_ed25519',
  '~/.s*/id_*',
  '~/.ss?/config',
  '~/.{ssh,gnupg}/x',
  '/etc/shadow',
  '/proc/self/environ',
  '/proc/1/root/etc/passwd',
  '.env',
  '.env.production',
  '../.aws/credentials',
  'server.key',
  '~/.local/state/passepartout/token',
  '~/.SSH/id_rsa',
])('%s is secret', (path) => {
  expect(isSecretPath(path, places)).toBe(true)
})

test.each([
  'id_rsa.pub',
  '.env.example',
  'environment.org',
  'projects/ssh.org',
  'keyboard.org',
  '*',
  '*.org',
  '/etc/hostname',
  '/proc/cpuinfo',
])('%s is not secret', (path) => {
  expect(isSecretPath(path, places)).toBe(false)
})

test('a link to a key is a key', () => {
  const linked = { ...places, realPath: () => '/home/ann/.ssh/id_rsa' }
  expect(isSecretPath('notes.org', linked)).toBe(true)
})
