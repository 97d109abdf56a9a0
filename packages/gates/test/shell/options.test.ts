import { expect, test } from 'vitest'
import {
  byEachName,
  flagsOf,
  type OptionRule,
  readOptions,
  readPrograms,
} from '../../src/shell/options.ts'
import type { Field } from '../../src/shell/words.ts'

function field(value: string): Field {
  const glob = value.includes('*')
  return { value, known: !glob, glob, splits: false, doubtful: false, varying: false }
}

function read(rule: OptionRule, line: string): string {
  const roles = readOptions(
    rule,
    line
      .split(' ')
      .filter((word) => word !== '')
      .map(field),
  )
  if (typeof roles === 'string') return roles
  return roles.map(({ role, field }) => `${role}=${field.value}`).join(' ')
}

const sort: OptionRule = {
  options: '-nru -k: -t: --key: --reverse --check? --files@ -#',
  operands: 'path*',
}

test('a program is a row', () => {
  const head = '| program | options | operands | examples |'
  const lines = ['| look see | -a | path* | look x |', '|  | --all | harmless | ! see |']
  const more = ['only a-b c', 'like \\d+', 'least 1', 'walks -r', 'walks -R', 'needs -n'].map(
    (line) => `| | | ${line} | |`,
  )
  const read = readPrograms('looks', [head, ...lines, ...more].join('\n'))
  expect(read).toEqual({
    look: {
      also: 'see',
      options: '-a --all',
      operands: 'path*',
      harmless: true,
      shape: /^(?:a-b|c|\d+)$/,
      least: 1,
      walks: '-r -R',
      needs: '-n',
      match: ['look x'],
      not: ['see'],
    },
  })
  expect([...byEachName(read).keys()]).toEqual(['look', 'see'])
  const wrong = '| look | -a | walk -r | look x |'
  expect(() => readPrograms('looks', `${head}\n${wrong}`)).toThrow('walk is no role')
})

test.each([
  ['a b', 'path=a path=b'],
  ['-nr a', 'path=a'],
  ['-k 2 a', 'text=2 path=a'],
  ['-nk2 a', 'text=2 path=a'],
  ['--key=2 a -r', 'text=2 path=a'],
  ['--key 2', 'text=2'],
  ['--check', ''],
  ['--check=quiet', 'text=quiet'],
  ['--files=x', 'path=x'],
  ['-20', ''],
  ['- a', 'path=- path=a'],
  ['-- -o', 'path=-o'],
  ['a*', 'path=a*'],
  ['-- *', 'path=*'],
])('sort %s is understood as %s', (line, roles) => {
  expect(read(sort, line)).toBe(roles)
})

test.each([
  ['-o x', '-o'],
  ['-no x', '-no'],
  ['--output=x', '--output=x'],
  ['--rev', '--rev'],
  ['--reverse=x', '--reverse=x'],
  ['*', '*'],
  ['-k', '-k'],
])('sort %s is not, because of %s', (line, word) => {
  expect(read(sort, line)).toBe(word)
})

test('an option is one where it stands, and not where it is a value', () => {
  expect(flagsOf(sort, ['-nk', '2', '-t-r', 'a'])).toEqual(new Set(['-n', '-k', '-t']))
  expect(flagsOf(sort, ['-k', '-r'])).toEqual(new Set(['-k']))
  expect(flagsOf(sort, ['-o', 'a'])).toBeNull()
})

test('a long option may begin with one dash', () => {
  const ip = { options: '-o =-br =-f: =-in@', operands: 'text' }
  expect([read(ip, '-br a'), read(ip, '-o -br'), read(ip, '-f inet a')]).toEqual([
    'text=a',
    '',
    'text=inet text=a',
  ])
  expect([read(ip, '-b a'), read(ip, '-rb'), read(ip, '-in x')]).toEqual(['-b', '-rb', 'path=x'])
})

test('operands can depend on options', () => {
  const branch = { options: '-a --list', operands: 'text*', lists: '--list' }
  expect([read(branch, ''), read(branch, '--list x'), read(branch, '-a x')]).toEqual([
    '',
    'text=x',
    'x',
  ])
  const grep = { options: '-r -e:', operands: 'pattern path*', instead: '-e', walks: '-r' }
  expect(read(grep, 'x a')).toBe('pattern=x path=a')
  expect(read(grep, '-e x a')).toBe('text=x path=a')
  expect(read(grep, '-r x a')).toBe('pattern=x tree=a')
  const date = { options: '-u', operands: 'text', shape: /^\+/ }
  expect([read(date, '+%F'), read(date, '1200'), read(date, '+a +b')]).toEqual([
    'text=+%F',
    '1200',
    '+b',
  ])
  expect(read({ options: '-l', operands: 'path*', harmless: true }, '*')).toBe('path=*')
})
