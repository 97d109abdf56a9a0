import { expect, test } from 'vitest'
import { unifiedDiff } from '../../src/run/diff.ts'

test('a diff is one that patch reads', () => {
  const change = { file: '/book/org/a.org', before: 'one\ntwo\nthree', after: 'one\n2\nthree' }
  expect(unifiedDiff('/book', [change])).toBe(`--- a/org/a.org
+++ b/org/a.org
@@ -1,3 +1,3 @@
 one
-two
+2
 three
\\ No newline at end of file
`)
  expect(unifiedDiff('/book', [])).toBe('')
})
