import { expect, test } from 'vitest'
import { readPython } from '../../src/shell/python.ts'
import { plainField } from '../../src/shell/words.ts'

function paths(line: string): string[] | null {
  const understood = readPython(line.split(' ').slice(1).map(plainField))
  if (typeof understood === 'string') return null
  return understood.found.filter(({ role }) => role === 'path').map(({ field }) => field.value)
}

test.each([
  ['python3 -m json.tool', []],
  ['python3 -m json.tool a.json', ['a.json']],
  ['python3 -I -m json.tool --sort-keys --indent 2 .env', ['.env']],
  ['python3 -m json a.json', ['a.json']],
  ['python3 -m ast a.py', ['a.py']],
  ['python3 -m tokenize a.py', ['a.py']],
  ['python3 -m base64 -d a.txt', ['a.txt']],
  ['python3 -m zipfile -l a.zip', ['a.zip']],
  ['python3 -m tarfile --list a.tar', ['a.tar']],
  ['python3 -m calendar 2026 11', []],
  ['python3 -m platform', []],
])('%s reads %j', (line, expected) => {
  expect(paths(line)).toEqual(expected)
})

test.each([
  'python3 -c print(1)',
  'python3 a.py',
  'python3 -',
  'python3',
  'python3 -m',
  'python3 -i -m json.tool',
  'python3 -X importtime -m json.tool',
  'python3 -m json.tool a.json b.json',
  'python3 -m json.tool --help a.json out.json',
  'python3 -m json.tools',
  'python3 -m toString',
  'python3 -m http.server',
  'python3 -m zipfile -e a.zip .',
  'python3 -m zipfile a.zip',
  'python3 -m tarfile -c a.tar b',
  'python3 -m timeit x',
  'python3 -m pydoc x',
  'python3 -m pip list',
  'python3 -mjson.tool a.json b.json',
])('%s is a question', (line) => {
  expect(paths(line)).toBeNull()
})
