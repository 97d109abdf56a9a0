import { expect, test } from 'vitest'
import { blockRole } from '../../src/babel/block-role.ts'

test.each([
  ['typescript', "import { a } from './a.ts'\nimport 'b' // for its effect\n", 'const c = 1'],
  ['js', "import a, {\n  b,\n} from 'a' with { type: 'json' };", 'export {}'],
  ['ts', 'import type { A } from \'./a.ts\'\nimport * as b from "b"', "await import('c')"],
  ['python', 'import os, sys\nfrom a.b import (\n  c,\n  d)\n# words\nfrom e import f\n', 'x = 1'],
  ['emacs-lisp', "(require 'org)\n(require 'cl-lib nil t) ; words\n", '(message "a")'],
  ['C', '#include <stdio.h>\n/* words */\n#include "a.h"\n', 'int a;'],
  ['rust', 'use std::{fmt, io};\npub use a::b;\n', 'fn main() {}'],
])('imports in %s', (language, imports, more) => {
  expect(blockRole(language, imports, null)).toBe('imports')
  expect(blockRole(language, `${imports}\n${more}\n`, null)).toBe('code')
})

test.each([
  ['typescript', 'const a = 1', 'test/a.test.ts', 'fixtures'],
  ['typescript', "import { test } from 'vitest'\nconst a = 1", 'a.spec.ts', 'fixtures'],
  ['typescript', "test('a', () => {})", 'test/a.test.ts', 'code'],
  ['typescript', "test.each([1])('a', () => {})", 'test/a.test.ts', 'code'],
  ['typescript', 'const a = 1', 'src/a.ts', 'code'],
  ['python', 'x = 1', 'tests/test_a.py', 'fixtures'],
  ['emacs-lisp', '(ert-deftest a ())', 'a-test.el', 'code'],
  ['sh', 'echo', null, 'code'],
  ['typescript', '// words\n', null, 'code'],
])('%s %j in %s: %s', (language, body, target, role) => {
  expect(blockRole(language, body, target)).toBe(role)
})
