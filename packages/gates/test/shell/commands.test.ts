import fc from 'fast-check'
import { parse } from 'unbash'
import { expect, test } from 'vitest'
import { readRuns } from '../../src/shell/commands.ts'

function runs(source: string): string[] {
  return readRuns(parse(source), '/home/ann').runs.map(({ argv }) =>
    argv.map(({ value }) => value.replaceAll('\0', '_')).join(' '),
  )
}

test.each([
  'rm x',
  'r\\m "x"',
  '/bin/RM x',
  'true; rm x',
  'a | rm x',
  'a && rm x || b',
  'rm x &',
  '(rm x)',
  '{ rm x; }',
  'echo $(rm x)',
  'echo "`rm x`"',
  `echo \${a:-$(rm x)}`,
  'cat <(rm x)',
  'cat <<E\n$(rm x)\nE',
  'echo $((a[$(rm x)]))',
  'if rm x; then a; fi',
  'while a; do rm x; done',
  'for f in a; do rm x; done',
  'for f in x; do rm $f; done',
  'case a in b) rm x;; esac',
  'f() { rm x; }; f',
  'coproc rm x',
  '! rm x',
  'time rm x',
  '[[ -n $(rm x) ]]',
  'a=$(rm x)',
  'c=rm; $c x',
  'c="rm x"; $c',
  'bash -c "rm x"',
  'sh -c \'sh -c "rm x"\'',
  'sh <<E\nrm x\nE',
  'sh <<< "rm x"',
  'eval rm x',
  'eval "rm x"',
  'sudo -u a rm x',
  'env A=b rm x',
  'env -S "rm x"',
  'xargs rm x',
  'find . -exec rm x ;',
  'timeout 5 nice -n 3 rm x',
  'su -c "rm x"',
  'ssh host rm x',
  'ssh host "cd a; rm x"',
  'trap "rm x" EXIT',
  "alias l='rm x'",
  "PROMPT_COMMAND='rm x'",
  "GIT_SSH_COMMAND='rm x' git fetch",
  'parallel "rm x" ::: a',
  'script -c "rm x"',
  'watch "rm x"',
])('%s runs it', (source) => {
  expect(runs(source).map((line) => line.replace(/^\/bin\/RM/, 'rm'))).toContain('rm x')
})

test.each(["echo 'rm x'", 'git log --grep "a;b" ', 'grep "rm x" notes', '# rm x', 'ls "rm x"'])(
  '%s does not run it',
  (source) => {
    expect(runs(source)).not.toContain('rm x')
  },
)

test('every text has a list', () => {
  const pieces = fc.constantFrom(
    'sh -c ',
    '"',
    "'",
    '$(',
    ')',
    '`',
    '|',
    ';',
    '{a,b}',
    '$x',
    ' rm x ',
  )
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 14 }), (parts) => {
      expect(readRuns(parse(parts.join('')), '/home/ann').runs.length).toBeLessThan(3_000)
    }),
  )
})

test('texts within texts end', () => {
  let source = 'rm x'
  for (let level = 0; level < 6; level++) source = `eval ${JSON.stringify(source)}`
  expect(readRuns(parse(source), '/home/ann').tooDeep).toBe(true)
})
