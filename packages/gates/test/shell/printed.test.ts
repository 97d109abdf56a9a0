import { parse } from 'unbash'
import { expect, test } from 'vitest'
import { findDoubt } from '../../src/shell/readonly.ts'

const places = {
  home: '/home/ann',
  cwd: '/home/ann/memex',
  stateDir: '/home/ann/.local/state/passepartout',
  realPath: (path: string) => path,
  privateFiles: ['/home/ann/memex/diary.org'],
}

function isUnderstood(source: string): boolean {
  return findDoubt(parse(source), places) === null
}

test.each([
  'wc -l $(git ls-files "*.ts")',
  'cat $(ls src/*.ts)',
  'head -1 "$(ls -t src/*.org | head -1)"',
  'cat journal/$(date +%F).org',
  'D=$(date +%F); grep "$D" journal.org',
  'TODAY="$(date +%Y-%m-%d)"; head "journal/$TODAY.org"',
  'n=$(wc -l < a.org); echo "$n"',
  'tail -n "$(nproc)" a.org',
  'ls -la $(pwd)',
  'cat "$(git rev-parse --show-toplevel)/package.json"',
  'cd "$(git rev-parse --show-toplevel)" && ls',
  'git diff $(git merge-base main HEAD)',
  'git show $(git rev-parse HEAD)',
  'git show $(git log -1 --format=%H) --stat',
  'git log $(git describe --tags)..HEAD --oneline',
  'file $(which node)',
  'ls -l "$(command -v git)"',
  "find . -name '*.ts' -not -path '*/node_modules/*' | xargs wc -l | tail -1",
  "find . -path ./node_modules -prune -o -name '*.ts' -print | xargs wc -l",
  'for f in $(git ls-files); do wc -l "$f"; done',
  'for f in $(find src -name "*.ts"); do head -1 "$f"; done',
  'find . -name "*.ts" | while read -r f; do wc -l "$f"; done',
  'while read -r f; do wc -l "$f"; done < <(git ls-files)',
  'rg -l x | xargs grep -l y | xargs wc -l',
  'ls | xargs wc -l',
  'for f in $(find src -name "*.css"); do wc -l < "$f"; done',
  'ls | xargs -I{} echo {}',
  'ls | xargs basename -a',
  'cat list | xargs echo',
  'cat list | xargs',
  'xargs -n1 echo < list',
  'cat list | xargs -n1 basename',
  'git log --format=%an | sort | uniq -c | sort -rn | xargs -n2 echo',
  'git ls-files | grep -v test | xargs wc -l | tail -1',
  'git ls-files | grep "\\.ts$" | xargs cat',
  'find . -name "*.org" | sort | head -3 | xargs head -1',
  'find . -type f | xargs -I{} stat {}',
  '[ "$(ls | wc -l)" -gt 5 ] && echo many',
  'grep -rnE "(foo|bar)\\(" --include=*.{ts,js} .',
  'ls src/{a,b}/*.ts',
  'for i in $(seq 1 5); do echo "$i"; done',
  'echo "$(git branch --show-current) at $(git rev-parse --short HEAD)"',
  'git diff --stat $(git merge-base HEAD main)..HEAD',
])('%s only looks', (source) => {
  expect(findDoubt(parse(source), places)).toBeNull()
})

test.each(
  String.raw`
    cat $(cat list)
    cat $(echo .env)
    cat $(ls .env)
    cat $(ls -a | grep env)
    cat $(ls *.org)
    cat "$(head -1 list)"
    cd ~; cat $(ls)
    cat ~/$(ls)
    cat ~/.ssh/$(ls)
    cat $(date +/etc/shadow)
    cat /etc/$(date +shadow)
    cat $(date "+x /etc/shadow")
    cat $(git rev-parse /etc/shadow)
    cat $(git rev-parse --show-toplevel)/.env
    cat $(ls; cat list)
    cat $(ls && cat list)
    cat $(ls > x)
    $(ls)
    $(pwd)/x
    sort $(ls)
    uniq $(ls x y)
    git log $(ls)
    sed "$(date +%F)" a
    xargs cat < list
    rg -el list | xargs cat
    rg -e -l list | xargs cat
    grep -el list | xargs cat
    rg -gl "" | xargs cat
    git grep -el | xargs cat
    git diff -p --name-only | xargs cat
    git diff --no-index --name-only /etc x | xargs cat
    git ls-files .. | xargs cat
    git ls-files | grep env | xargs cat
    git ls-files | grep "^\.e" | xargs cat
    find . | grep -o "/etc/shadow" | xargs cat
    find . | tail -c 12 | xargs cat
    find . | tac -s / | xargs cat
    find . -name '.e*' | xargs cat
    find . -name '[.]env' | xargs cat
    find . -printf x | xargs cat
    find . -name zzz | head -3 < list | xargs cat
    find . -name zzz | xargs cat < list
    find . -name zzz | sort < <(cat list) | xargs cat
    cat < $(cat list)
    find . | sort list | xargs cat
    { echo /etc/shadow; find . -name zzz; } | xargs cat
    (cat list; find .) | sort | xargs cat
    echo /etc/shadow | { find . -name zzz; xargs cat; }
    cat list | { find . && xargs cat; }
    cat list | if true; then find . -name zzz; xargs cat; fi
    find . | x=1 | xargs cat
    find . -exec cat list \; -exec grep -l x {} + | xargs cat
    find . -exec echo x \; | xargs cat
    find . -name "*.org" | xargs uniq
    find . -name "*.org" -exec uniq {} +
    ls | xargs xxd
    find . -name x | xargs -I{} cat ../../../etc/{}
    find . -name x | xargs -I{} cat ~/{}
    find . -name x | xargs -I{} find {}/../../../etc -name x
    ls | xargs -I{} cat /etc/{}
  `
    .trim()
    .split(/\n\s*/),
)('%s is not understood', (source) => {
  expect(isUnderstood(source)).toBe(false)
})

test.each(
  `
    ls -a | xargs cat
    ls -l | xargs cat
    ls -m | xargs cat
    cd ~; ls | xargs cat
    cat list | xargs cat
    cat list | xargs ls
    cat list | xargs -I{} head {}
    cat list | xargs grep x
    cat list | xargs sort
    cat list | xargs git log
    cat list | xargs env
    cat list | xargs printf
    cat list | xargs find
    cat list | xargs sh
    cat list | xargs -I{} {}
    cat list | xargs test -f
    while read -r f; do cat "$f"; done < list
    cat list | while read -r f; do cat "$f"; done
    while read -r a b; do [ "$a" "$b" ]; done < list
    ls | while read -r a; do cat "/etc/$a"; done
    for f in $(cat list); do cat "$f"; done
    if true; then f=$(ls); fi; cat "$f" list$f
    PATH=$(pwd)
    IFS=$(date)
    LD_PRELOAD=$(ls)
    HOME=$(pwd) ls
    GIT_DIR=$(pwd)
    TMP=$(pwd)
    cat $(find / -name x)
    cat $(find ~ -name x)
    cat $(ls -d /etc/*)
    cat $(rg -l x /etc)
    readlink -f x | xargs cat
    cat list | while read -r f; do wc -l < "$f"; done
    wc -l < $(ls .env)
    for f in $(cat list); do wc -l < $f; done
    find . -type f -name '.*' -exec head {} +
    find . -regex '.*/\\.env' -exec cat {} +
    find . -name '?env' | xargs cat
    find . -name '*env' -exec cat {} +
    fd -H env | xargs cat
    find . -path '*/.ss?/id_*' | xargs cat
    find . -name '*.org' -o -name '.e*' | xargs cat
    cat $(which -a x)/../../etc/shadow
    cat $(readlink -f ~/.ssh/id_rsa)
    cat $(basename ~/.ssh/id_rsa)
  `
    .trim()
    .split(/\n\s*/),
)('%s is not understood', (source) => {
  expect(isUnderstood(source)).toBe(false)
})
