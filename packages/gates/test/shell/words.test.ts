import { parse } from 'unbash'
import { expect, test } from 'vitest'
import { type Field, fieldsOf, type Variables } from '../../src/shell/words.ts'

function fields(word: string, variables: Variables = new Map()): Field[] {
  const command = parse(`echo ${word}`).commands[0]?.command
  const first = command?.type === 'Command' ? command.suffix[0] : undefined
  if (first?.type !== 'Word') throw new Error(`Expected a word, got ${word}`)
  return fieldsOf(first, variables, '/home/ann')
}

test.each([
  ['plain', ['plain']],
  ['r\\m\'x\'"y"', ['rmxy']],
  ["$'\\x72m'", ['rm']],
  ['a\\\nb', ['ab']],
  ['~/x', ['/home/ann/x']],
  ['"~/x"', ['~/x']],
  ['$HOME/x', ['/home/ann/x']],
  ['"$HOME"', ['/home/ann']],
  ['{a,b}c', ['ac', 'bc', '{a,b}c']],
  ['{a,b{c,d}}', ['a', 'bc', 'bd', 'b{c,d}', '{a,b{c,d}}']],
  ['x{1..3}', ['x1', 'x2', 'x3', 'x{1..3}']],
  ['{08..10}', ['08', '09', '10', '{08..10}']],
  ['{a..e..2}', ['a', 'c', 'e', '{a..e..2}']],
  ['{3..1}', ['3', '2', '1', '{3..1}']],
  ['{X..b}', ['\0']],
  ['*.org', ['*.org']],
  ["'*'.org", ['*.org']],
  ['$USER', ['\0']],
  [`a\${x:-y}b`, ['a\0b']],
  ['"$(id)"', ['\0']],
  ['<(id)', ['\0']],
  ['{1..9999}', ['\0']],
])('%s becomes %j', (word, values) => {
  expect(fields(word).map(({ value }) => value)).toEqual(values)
})

test.each([
  ['plain', { known: true, glob: false, splits: false, doubtful: false }],
  ['*.org', { known: false, glob: true }],
  ["'*.org'", { known: true, glob: false }],
  ['$USER', { known: false, splits: true, doubtful: false }],
  ['"$USER"', { splits: false, doubtful: false }],
  ['$AWS_SECRET_ACCESS_KEY', { doubtful: true }],
  [`\${USER@P}`, { doubtful: true }],
  [`\${!x}`, { doubtful: true }],
  ['$((1+2))', { doubtful: false, splits: false }],
  ['$((x))', { doubtful: true }],
  ['$((a[$(id)]))', { doubtful: true }],
  ['$[1+2]', { doubtful: false }],
  ['@(a|b)', { doubtful: true }],
])('about %s it is known that %j', (word, expected) => {
  expect(fields(word)[0]).toMatchObject(expected)
})

test('a variable of the command line is what it was set to', () => {
  const variables: Variables = new Map<string, string[] | 'data'>([
    ['x', ['rm -rf /']],
    ['f', ['a', 'b']],
    ['line', 'data'],
  ])
  expect(fields('$x', variables).map(({ value }) => value)).toEqual(['rm', '-rf', '/'])
  expect(fields('"$x"', variables).map(({ value }) => value)).toEqual(['rm -rf /'])
  expect(fields('$f', variables)).toMatchObject([{ varying: true }, { value: 'b' }])
  expect(fields('"$line"', variables)).toMatchObject([{ known: false, doubtful: false }])
})
