import fc from 'fast-check'
import { parse } from 'unbash'
import { expect, test } from 'vitest'
import type { PathPlaces } from '../../src/paths/paths.ts'
import { findDoubt } from '../../src/shell/readonly.ts'

const places: PathPlaces = {
  home: '/home/ann',
  cwd: '/home/ann/memex',
  stateDir: '/home/ann/.local/state/passepartout',
  realPath: (path) => path,
  privateFiles: ['/home/ann/memex/diary.org'],
}

function isUnderstood(source: string): boolean {
  return findDoubt(parse(source), places) === null
}

test('yq has words before its script, and what stands behind them is the script', () => {
  expect(isUnderstood("yq '.a' f")).toBe(true)
  for (const word of ['e', 'ea', 'eval', 'eval-all']) {
    expect(isUnderstood(`yq ${word} '.a = env(SECRET)' f`)).toBe(false)
  }
})

test.each([
  'ls | wc -l',
  'cat a.org | grep x | sort | uniq -c | sort -rn | head',
  'ls && pwd; date',
  'cd projects && ls -la && cat plan.org',
  '(cd a; ls)',
  'for f in a.org b.org; do wc -l "$f"; done',
  'for f in *.org; do echo "$f"; done',
  'if [ -f a ]; then cat a; else echo none; fi',
  'while read -r line; do echo "$line"; done < a.org',
  'n=5; head -n "$n" a.org',
  'grep -c x a.org 2>/dev/null || true',
  'ls 2>&1 | head',
  'find . -name "*.org" | xargs wc -l',
  'rg -l foo | sort | xargs head -3',
  'git diff --name-only | xargs cat',
  '[ $# -eq 0 ] && ls',
  'command -v git &> /dev/null && echo yes',
  'find . -name "*.ts" -exec grep -l foo {} +',
  'git ls-files | grep -v x | xargs wc -l',
  'git log --oneline | head -5',
  'diff <(sort a) <(sort b)',
  'echo "today is $(date +%F)"',
  'cat <<< "hello"',
  'cat <<E\nhello $USER\nE',
  'LC_ALL=C sort a.org',
  'timeout 5 grep -r x .',
  '/usr/bin/git status',
  'node --version',
  'tsc --help',
  '[[ -f a && -d b ]]',
  'test -d a && ls a',
  'set -euo pipefail; ls',
  'echo --- "$USER" $(date) *',
  'echo "$((1 + 2))"',
  'case x in a) ls;; esac',
  'ls # a comment',
  'time ls',
  '! grep -q x a',
])('%s only looks', (source) => {
  expect(findDoubt(parse(source), places)).toBeNull()
})

test.each([
  'ls &',
  'f() { ls; }; f',
  'coproc ls',
  '((a[$(id)]))',
  'while true; do ls; done',
  'for f in a; do cd $f; ls; done',
  'cd $x && ls',
  'cd ~/.ssh && cat config',
  'cd /etc; cat shadow',
  'cd / && cat etc/shadow',
  'x=rm; $x y',
  'PATH=. ls',
  'CDPATH=1',
  'LD_PRELOAD=./x ls',
  'GIT_EXTERNAL_DIFF=sh git diff',
  'PAGER=sh git log',
  'ls > x',
  'ls >| x',
  'ls <> x',
  'ls >& x',
  'exec 3< a',
  'cat < ~/.ssh/id_rsa',
  'echo x | xargs cat',
  'ls -a | xargs cat',
  'find / -type f | xargs cat',
  'find ~ -exec cat {} +',
  'find . -exec sh -c x {} +',
  'find . -exec {} +',
  'find . -name id_rsa',
  'find . -printf "/etc/shadow\\n" | xargs cat',
  'grep -l x . | xargs sort -o y',
  'ls /etc | xargs -I{} cat /etc/{}',
  '[[ a > b ]]',
  '[[ a -eq b ]]',
  '[[ x || reboot ]]',
  '[[ a =~ b ]]',
])('%s is not understood', (source) => {
  expect(isUnderstood(source)).toBe(false)
})

test.each(
  (
    'pytest tox nox jest vitest mocha eslint prettier npx pnpm yarn bun tsx ts-node make ninja meson just task rake rails ' +
    'bundle jekyll cargo rustc rustup gradle mvn sbt lein mix elixir stack cabal dotnet swift nim pre-commit poetry ' +
    'mypy black ansible terraform valgrind ./x ../x x/y node_modules/.bin/tsc ~/bin/node /opt/x/node'
  ).split(' '),
)('%s says its version only when asked about', (program) => {
  const options = ['--version', '--help', '-V', '-v', '-version', 'version']
  expect(options.filter((option) => isUnderstood(`${program} ${option}`))).toEqual([])
})

test.each(['python3 -m pytest --help', 'node x.js --version', 'git -c alias.x=!sh x --help'])(
  '%s runs more than its name says',
  (source) => expect(isUnderstood(source)).toBe(false),
)

test.each([
  `echo \${x:=y}`,
  `echo \${!x}`,
  `echo \${x@P}`,
  'echo $((x))',
  'cat $(echo a)',
  'cat `echo a`',
  '$(echo ls)',
  'l?',
  '{ls,-la}',
  './ls',
  '/tmp/ls',
  'sudo ls',
  'eval ls',
  'command rm x',
  'exec ls',
  'nohup rm x',
  "ls $'a\\'b'",
  'cat *.org',
  'cat < <(rm x)',
  'cat < /dev/tcp/a/1',
  'echo $SECRET',
  'ls &> /dev/null reboot',
  'find . -exec sort + -mmin -ox -inum \\; -print',
  'git diff --no-index ~ /dev/null',
  'cat /???/??????',
  'grep -d recurse x ~',
  'cd ~; rg x',
  'cd ..; grep -r x',
  'git log --format=%s | xargs cat',
  'rg x | xargs cat',
  'grep x list | xargs cat',
  'git cat-file -p HEAD:.env',
  'cat ~/.kaggle/kaggle.json',
  'x=a; for i in 1 2; do cat $x; x=/etc/shadow; done',
  'if true; then x=/etc/shadow; fi; cat $x',
  'for f in p \'w x\'; do sed -n "$f" a; done',
  'for c in ls rm; do $c; done',
  'python --version x',
  'bash -v',
  'history',
  'env',
  'read x',
  'mapfile -C rm x < a',
  'printf -v x y',
  'declare x=1',
  'trap ls EXIT',
  'alias ls=rm',
  'test -v "a[$(id)]"',
  '',
])('%s is not understood', (source) => {
  expect(isUnderstood(source)).toBe(false)
})

test('nothing unknown may follow an understood command', () => {
  const joint = fc.constantFrom(';', '|', '&&', '||', '&', '\n', '|&')
  fc.assert(
    fc.property(joint, fc.string({ minLength: 1 }), (between, rest) => {
      expect(isUnderstood(`ls ${between} ./x${rest}`)).toBe(false)
    }),
  )
})
