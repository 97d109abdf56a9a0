import { expect, test } from 'vitest'
import type { PathPlaces } from '../../src/paths/paths.ts'
import { canReachSecret, judgeRead, levelOfName } from '../../src/paths/secret.ts'

const places: PathPlaces = {
  home: '/home/ann',
  cwd: '/home/ann/memex',
  stateDir: '/home/ann/.local/state/passepartout',
  realPath: (path) => path,
  privateFiles: ['/home/ann/memex/diary.org'],
}

test('a file is judged by its names alone', () => {
  const names = [
    '.env',
    'a/.ssh/x',
    'keys/server.pem',
    '.npmrc',
    'notes/garden.org',
    '.env.example',
  ]
  const levels = ['secret', 'secret', 'private', 'private', 'plain', 'plain']
  expect(names.map(levelOfName)).toEqual(levels)
})

test.each([
  '$HOME/.ssh/../.ssh/id_ed25519',
  '~/.s*/id_*',
  '~/.ss?/id_rsa',
  '~/.local/state/passepartout/token',
  '~/.SSH/id_rsa',
  '/proc/self/cwd/../.ssh/id_rsa',
  '/dev/fd/7',
  '/home/ann/.ssh./id_rsa',
])('%s is secret', (path) => {
  expect(judgeRead(path, places).level).toBe('secret')
})

test.each([
  'diary.org',
  'diary.org.gz',
  'diary.org~',
  'd*.org',
  '~/.ssh',
  '/etc/*',
  '/???/??????',
  '~/.*',
  '~/.kaggle/kaggle.json',
  '~/Mail/in',
  '/dev/video0',
  '/dev/snd/pcmC0D0c',
  '/home/bob/x',
])('%s is a question', (path) => {
  expect(judgeRead(path, places).level).toBe('private')
})

test.each([
  'inbox.org',
  '*.ts',
  '*/*',
  'src/**/*.ts',
  '/etc/hosts',
  '~/.bashrc',
  'notes/ssh.org',
  '.',
])('%s is plain', (path) => {
  expect(judgeRead(path, places).level).toBe('plain')
})

test.each(
  (
    'AuthKey_A1.p8 office.ovpn store.pkcs12 prod.kubeconfig kubeconfig.yaml wg0.conf .env~ .env.bak ' +
    '.#.env #.env# .env.production.old deploy_rsa id_rsa.bak github_ed25519 recovery-codes.txt ' +
    'backup_codes.pdf .pgpass~ .netrc.old my-service-account-key.json vault.kdbx passwords.csv ' +
    'seed-phrase.txt secring.gpg rclone.conf .vault_pass master.key~ totp.txt login.keychain-db ' +
    'prod.env.gz id_rsa.zst server.key.tar.xz credentials.json.b64 .netrc.1.gz passwords.csv.zip ' +
    'site_deploy_key github-deploy-key deploy_key_prod deploykey.pem deploy_keys.json my_deploy_key.gz'
  ).split(' '),
)('%s is secret by its name', (name) => {
  expect(judgeRead(name, places).level).toBe('secret')
})

test.each(
  (
    '.env.d.ts keynote.key slides.key .env.example .env.example~ id_rsa.pub public.pem pubkey.pem ' +
    'password-reset.tsx recovery-codes.md recovery-plan.org kubeconfig.go wallet.ts seed.sql seeds.rb ' +
    'rsa.py crypto_rsa.go design-tokens.json cookies.ts totp.md mnemonic.ts keychain.swift notes.org~ ' +
    'data.csv.gz .env.example.gz id_rsa.pub.gz main.py.zip site_deploy_key.pub rotate-deploy-keys.yml ' +
    'deploy_key.md deploy.sh deploy-keyboard.txt access.log.1.gz'
  ).split(' '),
)('%s only looks like a secret', (name) => {
  expect(judgeRead(name, places).level).toBe('plain')
})

test('the home of the administrator is another one, unless it is this one', () => {
  expect(judgeRead('/root/x.org', places).rule).toBe('paths.hidden')
  const root = { ...places, home: '/root', cwd: '/root/memex' }
  expect(judgeRead('~/notes/x.org', root).level).toBe('plain')
  expect(judgeRead('~/.ssh/id_rsa', root).level).toBe('secret')
  expect(judgeRead('~/.kaggle/x', root).level).toBe('private')
})

test('a link to a key is a key', () => {
  const linked = { ...places, realPath: () => '/home/ann/.ssh/id_rsa' }
  expect(judgeRead('notes.org', linked).level).toBe('secret')
})

test.each(['/', '~', '..', '/home', '/etc', '/home/bob', '~/.local', '/proc', '/h*'])(
  'a walk from %s comes to a secret',
  (path) => {
    expect(canReachSecret(path, places)).toBe(true)
  },
)

test.each(['.', 'src', '~/memex', '/usr/share/doc', 'projects/*'])(
  'a walk from %s does not',
  (path) => {
    expect(canReachSecret(path, places)).toBe(false)
  },
)
