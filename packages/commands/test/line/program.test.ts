import { expect, test } from 'vitest'
import {
  choice,
  count,
  defineProgram,
  flag,
  ProgramError,
  runProgram,
  text,
  texts,
} from '../../src/line/program.ts'

const list = defineProgram({
  name: 'list',
  summary: 'what there is',
  options: {
    all: flag('all of it', 'a'),
    by: choice(['day', 'skill'], 'added up by'),
    limit: count('NUMBER', 'how many', 50, 'n'),
    memex: text('FOLDER', 'the notes'),
    scope: texts('NAME', 'where'),
    json: flag('as JSON'),
  },
  run: async ({ options, words }) => ({ text: words.join(' '), data: { ...options, words } }),
  takesDashes: true,
  usage: '[WORD...]',
})
const link = defineProgram({
  name: 'link',
  summary: 'tie a knot',
  usage: 'telegram|signal [NAME]',
  exits: { 0: 'tied', 3: 'refused' },
  examples: ['net link signal'],
  run: async ({ words: [network] }) => {
    throw new ProgramError(`${network} is away`, 3)
  },
})
const net = defineProgram({ name: 'net', summary: 'a net', programs: [list, link], usual: 'list' })
const vault = defineProgram({ name: 'vault', summary: 'keep', programs: [list] })
const tree = defineProgram({ name: 'pp', summary: 'a tree', programs: [net, vault] })
const run = (line: string) => runProgram(tree, line === '' ? [] : line.split(' '), {})

test('options have values of their kinds', async () => {
  const { out } = await run('net list a -x --all --by skill -n 7 --scope b --scope=c --json -- --d')
  expect(JSON.parse(out)).toEqual({
    all: true,
    by: 'skill',
    limit: 7,
    scope: ['b', 'c'],
    json: true,
    words: ['a', '-x', '--d'],
  })
  expect(JSON.parse((await run('net --json')).out)).toMatchObject({ all: false, limit: 50 })
})

test.each([
  ['nett', 'there is no command nett; did you mean net?'],
  ['vault lst', 'there is no command lst; did you mean list?'],
  ['vault --x', 'there is no option --x'],
  ['net list --josn', 'there is no option --josn; did you mean --json?'],
  ['net list --limit many', '--limit takes a whole number'],
  ['net list --limit', '--limit needs a value: NUMBER'],
  ['net list --memex --all', '--memex needs a value: FOLDER'],
  ['net list --all=x', '--all takes no value'],
  ['net list --by moon', 'one of day, skill; moon is none'],
  ['net list --toString', 'there is no option --toString'],
  ['net link', 'telegram|signal is missing'],
  ['net link pigeon', 'expected one of telegram, signal, got pigeon'],
  ['net link signal a b', 'expected at most 2 words, got 3'],
])('%s is not understood: %s', async (line, message) => {
  const { code, err, out } = await run(line)
  expect({ code, out, err }).toEqual({ code: 2, out: '', err: expect.stringContaining(message) })
  expect(err).toContain('Usage: pp ')
})

test('help is asked for in four ways, and missed in one', async () => {
  const { out } = await run('net link --help')
  expect(out).toMatchInlineSnapshot(`
    "Usage: pp net link telegram|signal [NAME]

    Tie a knot.

    Options:
      -h, --help  print this text

    Examples:
      pp net link signal

    Exit codes: 0 tied, 3 refused.
    "
  `)
  for (const line of ['help net link', 'net link -h', 'net link signal --help']) {
    expect(await run(line)).toEqual({ code: 0, out, err: '' })
  }
  const whole = (await run('help')).out
  expect(whole).toContain('Commands:\n  net    a net\n')
  expect(await run('')).toEqual({ code: 2, out: '', err: whole })
})

test('an error goes to standard error, with its code', async () => {
  expect(await run('net link signal')).toEqual({ code: 3, out: '', err: 'pp: signal is away\n' })
})
