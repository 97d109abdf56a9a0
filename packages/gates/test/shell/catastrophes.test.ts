import { parse } from 'unbash'
import { expect, test } from 'vitest'
import type { PathPlaces } from '../../src/paths/paths.ts'
import { findCatastrophe } from '../../src/shell/catastrophes.ts'
import { readRuns } from '../../src/shell/commands.ts'

const places: PathPlaces = {
  home: '/home/ann',
  cwd: '/home/ann/memex',
  stateDir: '/home/ann/.local/state/passepartout',
  realPath: (path) => path,
}

function ruleOf(source: string): string | null {
  return findCatastrophe(readRuns(parse(source), places.home), places)?.rule ?? null
}

test.each([
  ':(){ :|:& };:',
  'bomb() { bomb | bomb & }; bomb',
  ': > /etc/passwd',
  'echo x >> /etc/sudoers',
  'echo x | sudo tee /etc/passwd',
  'cat /dev/urandom > /dev/sda',
  'echo b > /proc/sysrq-trigger',
  'cp evil /boot/vmlinuz',
  'echo x > ~/.local/state/passepartout/token',
])('%s is refused', (source) => {
  expect(ruleOf(source)).not.toBeNull()
})

test.each([
  'ls > list.txt',
  'make',
  'echo x >> ~/.bashrc',
  'git push',
  ': > log',
  'f() { ls & }; f',
])('%s is no catastrophe', (source) => {
  expect(ruleOf(source)).toBeNull()
})
