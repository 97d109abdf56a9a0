import { type ProgramRule, readPrograms } from './options.ts'

const table = String.raw`
| program        | options                                      | operands    | examples                 |
|----------------+----------------------------------------------+-------------+--------------------------|
| cat tac        | -AbeEnstTuvr --show-all --number-nonblank    | path*       | cat a.org                |
|                | --show-ends --number --squeeze-blank         | harmless    | cat -n a b               |
|                | --show-tabs --show-nonprinting --before      |             | cat *                    |
|                | --separator:                                 |             | cat ./*.org              |
|                |                                              |             | ! cat ~/.ssh/id_rsa      |
|                |                                              |             | ! cat diary.org          |
|                |                                              |             | ! cat > x                |
|                |                                              |             | ! cat --unknown          |
|----------------+----------------------------------------------+-------------+--------------------------|
| head tail      | -c: -n: -s: -qvzfFr --bytes: --lines:        | path*       | head -20 a               |
|                | --quiet --silent --verbose --zero-terminated | harmless    | tail -n +5 a             |
|                | -# --follow? --retry --sleep-interval:       |             | tail -f log              |
|                | --pid:                                       |             | head -c 100 a b          |
|                |                                              |             | ! head /dev/sda          |
|                |                                              |             | ! head -z --unknown      |
|----------------+----------------------------------------------+-------------+--------------------------|
| wc             | -clLmw --bytes --lines --chars --words       | path*       | wc -l a.org              |
|                | --max-line-length --total:                   | harmless    | wc *.org                 |
|                |                                              |             | ! wc --files0-from=list  |
|----------------+----------------------------------------------+-------------+--------------------------|
| nl             | -b: -d: -f: -h: -i: -l: -n: -p -s: -v: -w:   | path*       | nl -ba a                 |
|                |                                              | harmless    | ! nl ~/.netrc            |
|----------------+----------------------------------------------+-------------+--------------------------|
| less more most | -FRXSNiIeEmMnqQswrfdlcup -#                  | path*       | less -R a                |
|                |                                              | like [^+].* | more a                   |
|                |                                              | like \+G    | less +G a                |
|                |                                              | like \+\d+  | ! less +!id a            |
|                |                                              |             | ! less -o log a          |
|                |                                              |             | ! less -k keys a         |
|                |                                              |             | ! less --lesskey-src=x a |

| program       | options                                     | operands                 | examples               |
|---------------+---------------------------------------------+--------------------------+------------------------|
| bat batcat    | -pnAfPS --plain --number --paging: --color: | path*                    | bat -p a.ts            |
|               | --style: -l: --language: -r: --line-range:  |                          | ! bat --pager=sh a     |
|               | --theme: --wrap:                            |                          | ! bat cache --build    |
|---------------+---------------------------------------------+--------------------------+------------------------|
| zcat          | -fqv                                        | path*                    | zcat log.gz            |
|               |                                             | also bzcat xzcat zstdcat | ! zcat ~/.ssh/x.gz     |
|               |                                             | also lzcat gzcat         |                        |
|               |                                             | harmless                 |                        |
|---------------+---------------------------------------------+--------------------------+------------------------|
| strings       | -af -n: -t: -e: -# --all --bytes: --radix:  | path*                    | strings -n 8 a.bin     |
|               | --encoding:                                 |                          | ! strings -T x a       |
|---------------+---------------------------------------------+--------------------------+------------------------|
| xxd           | -abcEipsud -c: -e -g: -l: -o: -ps           | path                     | xxd -l 64 a            |
|               |                                             |                          | xxd -p a               |
|               |                                             |                          | ! xxd -r a b           |
|               |                                             |                          | ! xxd a b              |
|               |                                             |                          | ! xxd -p -r a          |
|---------------+---------------------------------------------+--------------------------+------------------------|
| od hexdump hd | -abcCdfhHiIloOsvxX -A: -j: -N: -n: -t: -w:  | path*                    | od -c a                |
|               | -S: --address-radix: --format: --width?     | harmless                 | hexdump -C a           |
|               |                                             |                          | od -A x -t x1z a       |
|               |                                             |                          | ! od /dev/mem          |
|---------------+---------------------------------------------+--------------------------+------------------------|
| base64        | -dDi -w: --decode --wrap: --ignore-garbage  | path                     | base64 a               |
|               | --base64url --base16                        | also base32 basenc       | base64 -d a.b64        |
|               |                                             |                          | ! base64 -o x a        |
|               |                                             |                          | ! base64 ~/.ssh/id_rsa |

| program | options                                     | operands                     | examples                  |
|---------+---------------------------------------------+------------------------------+---------------------------|
| column  | -txenJL -s: -o: -c: -N: -H: -R: -O: --table | path*                        | column -t -s, a.csv       |
|         | --separator: --output-separator: --json     |                              | ! column --unknown        |
|         | --table-columns:                            |                              |                           |
|---------+---------------------------------------------+------------------------------+---------------------------|
| fold    | -bsczu -w: -d: -t: -i --width: --spaces     | path*                        | fold -s -w 80 a           |
|         | --delimiters: --serial --tabs: --initial -# | also fmt expand unexpand rev | paste -d, a b             |
|         |                                             | also paste                   | rev a                     |
|         |                                             | harmless                     | ! paste ~/.pgpass a       |
|---------+---------------------------------------------+------------------------------+---------------------------|
| cut     | -b: -c: -d: -f: -nsz --bytes: --characters: | path*                        | cut -d: -f1 a             |
|         | --delimiter: --fields: --complement         | harmless                     | cut -c1-10                |
|         | --only-delimited --output-delimiter:        |                              | ! cut -d: -f1 /etc/passwd |
|         | --zero-terminated                           |                              | ! cut -f1 /etc/shadow     |
|---------+---------------------------------------------+------------------------------+---------------------------|
| tr      | -cCdst --complement --delete                | text text                    | tr a-z A-Z                |
|         | --squeeze-repeats --truncate-set1           |                              | tr -d '\n'                |
|         |                                             |                              | ! tr a b c                |

| program   | options                                      | operands            | examples                       |
|-----------+----------------------------------------------+---------------------+--------------------------------|
| sort      | -bdfghiMnRrVcCmsuz -k: -t: -S: --key:        | path*               | sort -u a                      |
|           | --field-separator: --reverse --numeric-sort  |                     | sort -t, -k2,2n a              |
|           | --unique --stable --human-numeric-sort       |                     | sort -rn                       |
|           | --version-sort --general-numeric-sort        |                     | ! sort -o a a                  |
|           | --ignore-case --check? --random-sort --sort: |                     | ! sort -oa a                   |
|           | --parallel: --zero-terminated                |                     | ! sort --output=a              |
|           | --ignore-leading-blanks --dictionary-order   |                     | ! sort --compress-program=sh a |
|           | --month-sort --merge                         |                     | ! sort *                       |
|           |                                              |                     | ! sort --compress-prog=sh a    |
|           |                                              |                     | ! sort -T /x a                 |
|           |                                              |                     | ! sort --files0-from=x         |
|           |                                              |                     | ! sort -uo a a                 |
|-----------+----------------------------------------------+---------------------+--------------------------------|
| uniq      | -cdDiuz -f: -s: -w: --count --repeated       | path                | uniq -c                        |
|           | --unique --ignore-case --skip-fields:        |                     | uniq a                         |
|           | --skip-chars: --check-chars: --all-repeated? |                     | ! uniq a b                     |
|           | --group? --zero-terminated                   |                     | ! uniq a*                      |
|-----------+----------------------------------------------+---------------------+--------------------------------|
| comm join | -123iz -j: -t: -a: -v: -o: -e: --check-order | path path           | comm -12 a b                   |
|           | --nocheck-order --output-delimiter: --total  |                     | join -t, a b                   |
|           | --header                                     |                     | ! comm a /etc/shadow           |
|-----------+----------------------------------------------+---------------------+--------------------------------|
| cmp       | -bls -n: -i: --print-bytes --verbose         | path path text text | cmp a b                        |
|           | --silent --quiet --bytes: --ignore-initial:  |                     | cmp -s a b                     |
|           |                                              |                     | ! cmp a ~/.netrc               |

| program | options                                      | operands                    | examples                |
|---------+----------------------------------------------+-----------------------------+-------------------------|
| diff    | -abBcdeEfHiInNpqrstTuvwyZ -C: -D: -F: -I:    | path*                       | diff -u a b             |
|         | -L: -S: -U: -W: -x: --color? --unified?      | harmless                    | diff -r src lib         |
|         | --context? --brief --recursive               | walks -r --recursive        | diff --color=always a b |
|         | --side-by-side --ignore-all-space            |                             | ! diff -l a b           |
|         | --ignore-case --ignore-space-change          |                             | ! diff -r ~ /tmp        |
|         | --ignore-blank-lines --suppress-common-lines |                             | ! diff --to-file=x a    |
|         | --width: --exclude: --label: --new-file      |                             | ! diff a ~/.ssh/config  |
|         | --text --minimal --strip-trailing-cr         |                             |                         |
|         | --no-dereference --report-identical-files    |                             |                         |
|         | --expand-tabs -#                             |                             |                         |
|---------+----------------------------------------------+-----------------------------+-------------------------|
| sum     | -a: -bctwzUq --binary --text --zero --tag    | path*                       | md5sum a                |
|         | --check --quiet --status --strict --warn     | also md5sum sha1sum         | sha256sum -c sums.txt   |
|         | --ignore-missing --algorithm: --length: -l:  | also sha224sum sha256sum    | ! md5sum /etc/shadow    |
|         |                                              | also sha384sum sha512sum    |                         |
|         |                                              | also b2sum cksum shasum md5 |                         |
|         |                                              | also b3sum crc32            |                         |
|         |                                              | harmless                    |                         |

| program          | options                                      | operands                      | examples                            |
|------------------+----------------------------------------------+-------------------------------+-------------------------------------|
| grep egrep fgrep | -EFGPivwxcLlqsbHhnoTUZzaIrRyu -e: -f@ -m:    | pattern path*                 | grep -rn TODO src                   |
|                  | -A: -B: -C: -D: -d: --include: --exclude:    | harmless                      | grep x *                            |
|                  | --exclude-from@ --exclude-dir:               | instead -e -f --regexp        | grep -rn ".env" .                   |
|                  | --directories: --color? --colour? --regexp:  | instead --file                | grep -e a -e b f                    |
|                  | --file@ --max-count: --after-context:        | walks -r -R -d --recursive    | grep -A3 -B3 x f                    |
|                  | --before-context: --context: --binary-files: | walks --dereference-recursive | ! grep -r x ~                       |
|                  | --label: --line-buffered --recursive         | walks --directories           | ! grep x ~/.ssh/id_rsa              |
|                  | --dereference-recursive --ignore-case        |                               | ! grep -f ~/.netrc x                |
|                  | --no-ignore-case --invert-match              |                               | ! grep -r x /                       |
|                  | --word-regexp --line-regexp --count          |                               | ! grep root /etc/passwd             |
|                  | --files-with-matches --files-without-match   |                               | ! grep -r "BEGIN RSA PRIVATE KEY" . |
|                  | --only-matching --quiet --silent             |                               | ! grep --unknown x                  |
|                  | --no-messages --byte-offset --with-filename  |                               |                                     |
|                  | --no-filename --line-number --initial-tab    |                               |                                     |
|                  | --null --null-data --text --extended-regexp  |                               |                                     |
|                  | --fixed-strings --basic-regexp --perl-regexp |                               |                                     |
|                  | -#                                           |                               |                                     |

| program   | options                                      | operands               | examples                 |
|-----------+----------------------------------------------+------------------------+--------------------------|
| rg        | -abcFHhiIlLnNopPqsSuUvVwx0. -A: -B: -C: -d:  | pattern tree*          | rg TODO                  |
|           | -e: -E: -f@ -g: -j: -m: -M: -r: -t: -T:      | instead -e -f --regexp | rg -n -t ts "import" src |
|           | --after-context: --before-context: --color:  | instead --file --files | rg --files               |
|           | --colors: --column --context:                | instead --type-list    | rg -l foo -g "*.md"      |
|           | --context-separator: --count --count-matches |                        | ! rg --pre=sh x          |
|           | --crlf --encoding: --engine: --file@ --files |                        | ! rg --pre sh x          |
|           | --files-with-matches --files-without-match   |                        | ! rg -z x                |
|           | --fixed-strings --follow --glob:             |                        | ! rg --hostname-bin=x y  |
|           | --glob-case-insensitive --heading --hidden   |                        | ! rg x ~                 |
|           | --iglob: --ignore-case --include-zero        |                        | ! rg x *                 |
|           | --invert-match --json --line-buffered        |                        |                          |
|           | --line-number --line-regexp --max-columns:   |                        |                          |
|           | --max-count: --max-depth: --max-filesize:    |                        |                          |
|           | --multiline --multiline-dotall --no-config   |                        |                          |
|           | --no-filename --no-heading --no-ignore       |                        |                          |
|           | --no-ignore-vcs --no-line-number             |                        |                          |
|           | --no-messages --null --only-matching         |                        |                          |
|           | --passthru --pcre2 --pretty --quiet          |                        |                          |
|           | --regexp: --replace: --smart-case            |                        |                          |
|           | --case-sensitive --sort: --sortr: --stats    |                        |                          |
|           | --text --threads: --trim --type: --type-not: |                        |                          |
|           | --type-list --type-add: --unrestricted       |                        |                          |
|           | --vimgrep --with-filename --word-regexp      |                        |                          |
|-----------+----------------------------------------------+------------------------+--------------------------|
| ag        | -acgGilLnoQsSvwz0 -A: -B: -C: -m: --nocolor  | pattern tree*          | ag -l foo src            |
|           | --noheading --ignore: --hidden --column      |                        | ! ag --pager=sh foo      |
|           | --count                                      |                        | ! ag foo /               |
|-----------+----------------------------------------------+------------------------+--------------------------|
| fd fdfind | -HIsigLapuFq01l -t: -e: -d: -E: -c: -S:      | pattern name*          | fd -e ts                 |
|           | --type: --extension: --max-depth:            |                        | fd foo src               |
|           | --min-depth: --exact-depth: --exclude:       |                        | fd -H -t f config        |
|           | --hidden --no-ignore --no-ignore-vcs --glob  |                        | ! fd -x rm               |
|           | --full-path --absolute-path --follow         |                        | ! fd foo --exec rm       |
|           | --changed-within: --changed-before: --size:  |                        | ! fd -X vim              |
|           | --color: --max-results: --case-sensitive     |                        | ! fd --exec-batch x      |
|           | --ignore-case --fixed-strings --quiet        |                        | ! fd id_rsa /            |
|           | --print0 --unrestricted                      |                        |                          |
|-----------+----------------------------------------------+------------------------+--------------------------|
| locate    | -ibcewqr -l: -n: --limit: --ignore-case      | pattern*               | locate -i notes          |
|           | --basename --count                           | also mlocate plocate   | ! locate id_rsa          |
|           |                                              |                        | ! locate -d x y          |

| program | options                                      | operands                    | examples                    |
|---------+----------------------------------------------+-----------------------------+-----------------------------|
| ls      | -aAbBcCdDfFgGhHiklLmnNopqQrRsStuUvxXZ1 -I:   | name*                       | ls                          |
|         | -T: -w: --all --almost-all --author --escape | also ll la dir vdir exa eza | ls -la projects             |
|         | --block-size: --ignore-backups --color?      | also lsd                    | ls *                        |
|         | --directory --dired --classify? --file-type  | harmless                    | ls -d .*                    |
|         | --format: --full-time                        |                             | ls ../other                 |
|         | --group-directories-first --no-group         |                             | ls -lh /var/log             |
|         | --human-readable --si --dereference --hide:  |                             | ls $HOME/memex              |
|         | --hyperlink? --indicator-style: --inode      |                             | ! ls ~/.ssh                 |
|         | --ignore: --kibibytes --numeric-uid-gid      |                             | ! ls > list.txt             |
|         | --literal --quote-name --quoting-style:      |                             | ! ls $(cat list)            |
|         | --reverse --recursive --size --sort: --time: |                             | ! ls $x                     |
|         | --time-style: --tree --level: --long --git   |                             | ! ls /root/x                |
|         | --icons? --zero --width:                     |                             |                             |
|---------+----------------------------------------------+-----------------------------+-----------------------------|
| tree    | -adfilspughDFqNQrtvcUJXnCASx -L: -P: -I:     | name*                       | tree -L 2                   |
|         | --dirsfirst --prune --noreport --charset:    |                             | tree -a -I node_modules src |
|         | --filelimit: --du --si --gitignore           |                             | ! tree -o x                 |
|         | --matchdirs --sort? --inodes --device        |                             | ! tree -R -H x              |
|         | --ignore-case --filesfirst                   |                             | ! tree --fromfile x         |
|         |                                              |                             | ! tree *                    |

| program | options                                    | operands | examples                  |
|---------+--------------------------------------------+----------+---------------------------|
| stat    | -Lfntxs -c: --format: --printf:            | name*    | stat a                    |
|         | --dereference --file-system --terse        | harmless | stat -c %s a              |
|         | --cached:                                  |          | stat /etc/passwd          |
|         |                                            |          | ! stat ~/.ssh/id_rsa      |
|---------+--------------------------------------------+----------+---------------------------|
| file    | -bhikLNpr0I -e: -F: -P: --mime --mime-type | path*    | file a                    |
|         | --mime-encoding --brief --dereference      | harmless | file -b --mime-type a.png |
|         | --no-dereference --extension --separator:  |          | file *                    |
|         | --no-buffer --no-pad --keep-going --raw    |          | ! file -m magic a         |
|         |                                            |          | ! file -C -m x            |
|         |                                            |          | ! file -f list            |
|         |                                            |          | ! file --magic-file=x a   |
|         |                                            |          | ! file -z a               |
|         |                                            |          | ! file ~/.ssh/*           |
|---------+--------------------------------------------+----------+---------------------------|
| du      | -abcDhHklmPsSxL0 -d: -t: -B: --max-depth:  | name*    | du -sh *                  |
|         | --exclude: --threshold: --block-size:      | harmless | du -h -d 1 .              |
|         | --human-readable --summarize --total --all |          | du -sh ~                  |
|         | --apparent-size --si --time? --inodes      |          | ! du --files0-from=x      |
|         | --one-file-system --bytes                  |          | ! du -X list              |
|         |                                            |          | ! du ~/.gnupg             |
|---------+--------------------------------------------+----------+---------------------------|
| df      | -aBhHiklPTm -t: -x: -B: --human-readable   | name*    | df -h                     |
|         | --print-type --inodes --total --type:      | harmless | df -hT /                  |
|         | --output? --si --local                     |          | ! df --unknown            |

| program          | options                               | operands                  | examples                      |
|------------------+---------------------------------------+---------------------------+-------------------------------|
| realpath         | -efmnLPqszv --canonicalize            | name*                     | realpath a                    |
|                  | --canonicalize-existing               | also readlink             | readlink -f a                 |
|                  | --canonicalize-missing --relative-to: | harmless                  | ! readlink /proc/self/environ |
|                  | --relative-base: --no-newline --strip |                           |                               |
|                  | --no-symlinks --zero                  |                           |                               |
|------------------+---------------------------------------+---------------------------+-------------------------------|
| basename dirname | -az -s: --multiple --suffix: --zero   | text*                     | basename a.org .org           |
|                  |                                       | harmless                  | dirname /a/b                  |
|                  |                                       |                           | ! basename --unknown          |
|------------------+---------------------------------------+---------------------------+-------------------------------|
| pdfinfo          | --                                    | path*                     | pdfinfo a.pdf                 |
|                  |                                       | also mediainfo soxi tokei | cloc src                      |
|                  |                                       | also cloc scc             | ! cloc --diff a b             |
|                  |                                       |                           | ! pdfinfo -upw x a            |
|------------------+---------------------------------------+---------------------------+-------------------------------|
| nm               | -adhltsSWxCDT --demangle              | path*                     | readelf -h a.out              |
|                  |                                       | also size readelf objdump | objdump -d a.out              |
|                  |                                       | like [^@].*               | ! objdump --unknown a         |
|                  |                                       |                           | ! nm --plugin x a             |
`

/** Programs that read files and text, by name. */
export function filePrograms(): Record<string, ProgramRule> {
  return readPrograms('files', table)
}
