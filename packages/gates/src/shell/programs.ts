import { machinePrograms } from './machine.ts'
import { byEachName, type ProgramRule, readPrograms } from './options.ts'

/** Programs that answer `--version` and `--help` without a look at the folder, besides those of the table. */
export const versioned: ReadonlySet<string> = new Set(
  (
    'node npm deno python python2 python3 pip pip3 ruby gem perl php go java javac gcc g++ cc clang clang++ ld ' +
    'cmake git docker podman kubectl helm aws gcloud az gh emacs vim nvim nano tsc bash zsh fish sh dash curl wget ' +
    'ssh psql mysql sqlite3 redis-cli ffmpeg ffprobe convert magick pandoc latex pdflatex xelatex jq yq sed awk gawk ' +
    'find tmux screen systemctl tar gzip bzip2 xz zip unzip openssl gpg rsync ghc lua luajit R Rscript julia conda uv ' +
    'ruff shellcheck shfmt hugo brew apt dpkg snap flatpak tree rg fd fzf bat xxd file strace ltrace gdb lldb sbcl ' +
    'guile racket zig crystal ocaml opam bwrap socat nc ncat nmap hyperfine'
  ).split(' '),
)

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

| program      | options                                   | operands               | examples                 |
|--------------+-------------------------------------------+------------------------+--------------------------|
| true false : | --                                        | text*                  | true                     |
|              |                                           | harmless               | ! true > x               |
|--------------+-------------------------------------------+------------------------+--------------------------|
| pwd          | -LP                                       |                        | pwd                      |
|              |                                           |                        | pwd -P                   |
|              |                                           |                        | ! pwd x                  |
|--------------+-------------------------------------------+------------------------+--------------------------|
| exit         | --                                        | text                   | exit 0                   |
|              |                                           | like \d+               | ! exit x                 |
|--------------+-------------------------------------------+------------------------+--------------------------|
| sleep        | --                                        | text                   | sleep 1                  |
|              |                                           | like \d{1,2}(\.\d+)?s? | ! sleep 1d               |
|--------------+-------------------------------------------+------------------------+--------------------------|
| seq          | -w -s: --equal-width --separator:         | text text text         | seq 1 10                 |
|              |                                           | like -?\d{1,7}(\.\d+)? | seq -w 3                 |
|              |                                           |                        | ! seq 99999999999        |
|--------------+-------------------------------------------+------------------------+--------------------------|
| date         | -uR -I? -d: -r@ --date: --utc --universal | text                   | date                     |
|              | --iso-8601? --rfc-3339: --rfc-email       | like \+.*              | date +%F                 |
|              | --reference@ --debug                      |                        | date -u                  |
|              |                                           |                        | date -d '3 days ago' +%s |
|              |                                           |                        | date -r a.org            |
|              |                                           |                        | date -Iseconds           |
|              |                                           |                        | ! date -s tomorrow       |
|              |                                           |                        | ! date 11211200          |
|              |                                           |                        | ! date -f list           |
|              |                                           |                        | ! date --set=x           |
|              |                                           |                        | ! date --file=x          |
|--------------+-------------------------------------------+------------------------+--------------------------|
| cal ncal     | -13yjmsShwMbn -A: -B: -d:                 | text*                  | cal                      |
|              |                                           | like [\w]+             | cal 11 2026              |
|              |                                           |                        | cal -3                   |
|              |                                           |                        | ! cal --unknown          |
|--------------+-------------------------------------------+------------------------+--------------------------|
| expr factor  | --                                        | text*                  | expr 1 + 2               |
|              |                                           |                        | factor 42                |
|              |                                           |                        | ! expr $x                |
|--------------+-------------------------------------------+------------------------+--------------------------|
| bc           | -lqs                                      |                        | bc -l                    |
|              |                                           |                        | ! bc file                |
|              |                                           |                        | ! dc                     |

| program       | options       | operands                     | examples            |
|---------------+---------------+------------------------------+---------------------|
| tput          |               | text                         | tput cols           |
|               |               | only cols lines colors       | ! tput init         |
|---------------+---------------+------------------------------+---------------------|
| type          | -aptfP        | text*                        | type ls             |
|               |               |                              | type -a git         |
|               |               |                              | ! type $x           |
|---------------+---------------+------------------------------+---------------------|
| which whereis | -abmsSB --all | text*                        | which node          |
|               |               |                              | whereis git         |
|               |               |                              | ! which --unknown x |
|---------------+---------------+------------------------------+---------------------|
| help          | -dms          | text*                        | help cd             |
|               |               |                              | help -d test        |
|               |               |                              | ! help --pager=x    |
|---------------+---------------+------------------------------+---------------------|
| hash          | -lt           | text*                        | hash -t ls          |
|               |               | lists -t                     | ! hash -p /tmp/x ls |
|               |               |                              | ! hash x            |
|---------------+---------------+------------------------------+---------------------|
| umask         | -Sp           |                              | umask               |
|               |               |                              | ! umask 000         |
|---------------+---------------+------------------------------+---------------------|
| ulimit        | -aHSn         |                              | ulimit -a           |
|               |               |                              | ! ulimit -n 1       |
|---------------+---------------+------------------------------+---------------------|
| jobs          | -alprs --all  | also times locale arch nproc | jobs                |
|               |               | also tty logname             | nproc               |
|               |               |                              | locale              |
|               |               |                              | ! jobs -x rm        |

| program  | options                           | operands                    | examples                 |
|----------+-----------------------------------+-----------------------------+--------------------------|
| tee      | -aip --append --ignore-interrupts | text*                       | tee /dev/stderr          |
|          |                                   | like /dev/null              | tee                      |
|          |                                   | like /dev/stdout            | ! tee x                  |
|          |                                   | like /dev/stderr            | ! tee -a x               |
|          |                                   |                             | ! tee /dev/sda           |
|          |                                   |                             | ! tee /dev/null x        |
|----------+-----------------------------------+-----------------------------+--------------------------|
| getconf  | -a                                | text                        | getconf PAGE_SIZE        |
|          |                                   | like [A-Z_]+                | ! getconf -v x y         |
|----------+-----------------------------------+-----------------------------+--------------------------|
| screen   | =-ls =-list                       | needs -ls -list             | screen -ls               |
|          |                                   |                             | ! screen                 |
|          |                                   |                             | ! screen -r              |
|          |                                   |                             | ! screen -S x -X stuff y |
|----------+-----------------------------------+-----------------------------+--------------------------|
| printenv |                                   | text*                       | printenv PATH            |
|          |                                   | least 1                     | ! printenv               |
|          |                                   | only HOME PATH USER LOGNAME | ! printenv KEY           |
|          |                                   | only LANG SHELL PWD TERM    |                          |
|          |                                   | only COLORTERM EDITOR PAGER |                          |
|          |                                   | only TZ HOSTNAME TMPDIR     |                          |
|          |                                   | only DISPLAY CI NODE_ENV    |                          |
|          |                                   | only VIRTUAL_ENV            |                          |
|          |                                   | only CONDA_PREFIX GOPATH    |                          |
|          |                                   | only GOROOT JAVA_HOME       |                          |
|          |                                   | only PYTHONPATH MANPATH     |                          |
|          |                                   | only LD_LIBRARY_PATH        |                          |
|          |                                   | only XDG_SESSION_TYPE       |                          |
|          |                                   | only XDG_CURRENT_DESKTOP    |                          |
|          |                                   | like LC_\w+                 |                          |
|          |                                   | like XDG_\w+_HOME           |                          |

| program      | options                                  | operands           | examples        |
|--------------+------------------------------------------+--------------------+-----------------|
| whoami users |                                          |                    | whoami          |
|              |                                          |                    | ! whoami x      |
|--------------+------------------------------------------+--------------------+-----------------|
| id groups    | -agGnruz --user --group --name --groups  | text               | id -un          |
|              |                                          |                    | groups          |
|              |                                          |                    | ! id --unknown  |
|--------------+------------------------------------------+--------------------+-----------------|
| hostname     | -fsiIdAy --fqdn --short --long --domain  |                    | hostname        |
|              |                                          |                    | hostname -I     |
|              |                                          |                    | ! hostname evil |
|              |                                          |                    | ! hostname -F x |
|              |                                          |                    | ! hostname -b x |
|--------------+------------------------------------------+--------------------+-----------------|
| uname        | -amnrsvpio --all --kernel-name --machine |                    | uname -a        |
|              |                                          |                    | ! uname x       |
|--------------+------------------------------------------+--------------------+-----------------|
| uptime       | -ps --pretty --since                     |                    | uptime -p       |
|              |                                          |                    | ! uptime x      |
|--------------+------------------------------------------+--------------------+-----------------|
| who w last   | -abdHlmpqrsuhfi -n: -# --heading         |                    | who             |
|              |                                          |                    | w -h            |
|              |                                          |                    | ! last -f x     |
|--------------+------------------------------------------+--------------------+-----------------|
| free         | -bkmghtwl -s: -c: --human --mega --giga  |                    | free -h         |
|              | --total                                  |                    | ! free x        |
|--------------+------------------------------------------+--------------------+-----------------|
| vmstat       | -asdxkmhtw                               | text text          | vmstat 1 3      |
|              |                                          | also iostat mpstat | ! vmstat x      |
|              |                                          | like \d{1,2}       |                 |

| program       | options                                     | operands                     | examples             |
|---------------+---------------------------------------------+------------------------------+----------------------|
| ps            | -AaCdeFfgGHjlLMmNnOoPsTtUuVwxyZ -o: -C: -p: | text                         | ps aux               |
|               | -u: -U: -t: -s: --sort: --forest --pid:     | like -?[AaxufjlrswTmhcHLX]+  | ps -ef               |
|               | --ppid: --user: --no-headers --headers      | like \d+                     | ps -p 1 -o comm=     |
|               | --format: --deselect --width: --cols:       |                              | ps axf               |
|               |                                             |                              | ! ps auxe            |
|               |                                             |                              | ! ps e               |
|               |                                             |                              | ! ps eww             |
|               |                                             |                              | ! ps -E              |
|---------------+---------------------------------------------+------------------------------+----------------------|
| top           | -b -n: -o: -p: -u: -Hi -c -w: -d:           |                              | top -bn1             |
|               |                                             |                              | ! top --unknown      |
|---------------+---------------------------------------------+------------------------------+----------------------|
| pgrep pidof   | -aflnoxcivs -u: -d: -U: -P: --full          | pattern*                     | pgrep -fl node       |
|               | --list-name --list-full                     |                              | ! pgrep --signal 9 x |
|               |                                             |                              | ! pkill x            |
|---------------+---------------------------------------------+------------------------------+----------------------|
| pstree        | -aAchlnpgstTuZ                              | text                         | pstree -p            |
|               |                                             |                              | ! pstree --unknown   |
|---------------+---------------------------------------------+------------------------------+----------------------|
| lscpu         | -abdefhiJklmnoOpPrstTvx --json --all --fs   | also lsusb lspci lsmod lsmem | lsusb -t             |
|               | --bytes --tree                              | also lsns blkid              | lscpu                |
|               |                                             |                              | ! lsusb x            |
|               |                                             |                              | ! blkid -o udev x    |
|               |                                             |                              | ! lspci -i x         |
|---------------+---------------------------------------------+------------------------------+----------------------|
| lsblk findmnt | -abdefhiJlmnpPrstTvD -o: --json --all --fs  |                              | lsblk -f             |
|               | --bytes --tree --output:                    |                              | lsblk -o NAME,SIZE   |
|               |                                             |                              | findmnt -l           |
|               |                                             |                              | ! lsblk x            |
|               |                                             |                              | ! findmnt --poll     |
|               |                                             |                              | ! findmnt -F x       |
|---------------+---------------------------------------------+------------------------------+----------------------|
| dmesg         | -Thkwxtue -l: -f: --human --level: --ctime  |                              | dmesg -T             |
|               | --since: --follow                           |                              | ! dmesg -C           |
|               |                                             |                              | ! dmesg -c           |
|               |                                             |                              | ! dmesg -n 1         |

| program    | options                                      | operands                     | examples                     |
|------------+----------------------------------------------+------------------------------+------------------------------|
| ss netstat | -atunlpsxoemi46Hrgwc --tcp --udp --listening |                              | ss -tlnp                     |
|            | --numeric --processes --all                  |                              | netstat -tuln                |
|            |                                              |                              | ! ss -K                      |
|            |                                              |                              | ! ss -D x                    |
|            |                                              |                              | ! ss -F x                    |
|------------+----------------------------------------------+------------------------------+------------------------------|
| ip         | -46cdhjos =-br =-brief =-color =-json        | text text text text          | ip a                         |
|            | =-details =-stats =-oneline --brief --color  | first a addr address l link  | ip -br addr                  |
|            | --json                                       | first r route n neigh rule   | ip addr show                 |
|            |                                              | only a addr address l link r | ip -4 route                  |
|            |                                              | only route n neigh rule show | ip link show dev eth0        |
|            |                                              | only list ls dev lo          | ! ip netns exec x sh         |
|            |                                              | like [a-z]{2,4}\d+           | ! ip link set eth0 down      |
|            |                                              |                              | ! ip -b file                 |
|            |                                              |                              | ! ip -b a                    |
|            |                                              |                              | ! ip -batch a                |
|            |                                              |                              | ! ip -force -b a             |
|            |                                              |                              | ! ip addr add 1.2.3.4 dev lo |
|------------+----------------------------------------------+------------------------------+------------------------------|
| ifconfig   | -a                                           | also iwconfig                | ifconfig                     |
|            |                                              |                              | ! ifconfig eth0 down         |
|------------+----------------------------------------------+------------------------------+------------------------------|
| nvidiasmi  | -Lq                                          | also nvidia-smi              | nvidia-smi                   |
|            |                                              |                              | ! nvidia-smi -r              |
|            |                                              |                              | ! nvidia-smi --gpu-reset     |

| program      | options                                      | operands                   | examples                          |
|--------------+----------------------------------------------+----------------------------+-----------------------------------|
| mount swapon | -l --show                                    |                            | mount                             |
|              |                                              |                            | swapon --show                     |
|              |                                              |                            | ! mount /dev/sda1 /mnt            |
|              |                                              |                            | ! mount -a                        |
|              |                                              |                            | ! swapon -a                       |
|              |                                              |                            | ! swapon /swapfile                |
|--------------+----------------------------------------------+----------------------------+-----------------------------------|
| timedatectl  | --no-pager                                   | text                       | timedatectl                       |
|              |                                              | also hostnamectl localectl | hostnamectl status                |
|              |                                              | only status show           | ! timedatectl set-time 0          |
|              |                                              | only list-timezones        | ! hostnamectl set-hostname x      |
|              |                                              | only list-locales          |                                   |
|--------------+----------------------------------------------+----------------------------+-----------------------------------|
| systemctl    | -alq -n: -t: -p: --all --no-pager --failed   | text text*                 | systemctl status nginx            |
|              | --full --lines: --type: --state: --property: | first status is-active     | systemctl status 'nginx*'         |
|              | --user --plain --no-legend --value           | first is-enabled is-failed | systemctl list-timers --all       |
|              |                                              | first list-units           | systemctl --user status x.service |
|              |                                              | first list-unit-files      | systemctl --failed                |
|              |                                              | first list-timers          | ! systemctl stop nginx            |
|              |                                              | first list-sockets         | ! systemctl -H host status        |
|              |                                              | first list-dependencies    | ! systemctl enable x.service      |
|              |                                              | first list-jobs cat        | ! systemctl edit x.service        |
|              |                                              | first is-system-running    |                                   |
|              |                                              | like [\w@:.*-]+            |                                   |
|--------------+----------------------------------------------+----------------------------+-----------------------------------|
| journalctl   | -abefklmqrx -n: -o: -p: -t: -u: -S: -U: -g:  |                            | journalctl -u nginx --since today |
|              | --since: --until: --no-pager --unit:         |                            | journalctl -n 50 --no-pager       |
|              | --lines: --priority: --output: --boot?       |                            | journalctl -b -p err              |
|              | --follow --reverse --user --user-unit:       |                            | ! journalctl --vacuum-time=1s     |
|              | --dmesg --grep: --disk-usage --list-boots    |                            | ! journalctl --rotate             |
|              |                                              |                            | ! journalctl -D x                 |
|              |                                              |                            | ! journalctl --file=x             |
|--------------+----------------------------------------------+----------------------------+-----------------------------------|
| crontab      | -l                                           | needs -l                   | crontab -l                        |
|              |                                              |                            | ! crontab                         |
|              |                                              |                            | ! crontab -r                      |
|              |                                              |                            | ! crontab -e                      |
|              |                                              |                            | ! crontab file                    |
|              |                                              |                            | ! crontab -u root -l              |

| program       | options                                    | operands                     | examples               |
|---------------+--------------------------------------------+------------------------------+------------------------|
| dpkg          | -lLsS --list --listfiles --status --search | text*                        | dpkg -l                |
|               | --print-architecture                       | lists -l -L -s -S --list     | dpkg -L bash           |
|               |                                            | lists --listfiles --status   | ! dpkg -i x.deb        |
|               |                                            | lists --search               | ! dpkg --configure -a  |
|               |                                            |                              | ! dpkg -P x            |
|               |                                            |                              | ! dpkg x               |
|---------------+--------------------------------------------+------------------------------+------------------------|
| apt apt-cache | -a --installed --upgradable --names-only   | text text*                   | apt list --installed   |
|               | --all-versions                             | first list show search       | apt-cache policy git   |
|               |                                            | first policy depends         | apt show nodejs        |
|               |                                            | first rdepends madison       | ! apt install x        |
|               |                                            | first showpkg                | ! apt-get update       |
|               |                                            | like [a-z\d][a-z\d.+*:-]*    | ! apt remove git       |
|               |                                            |                              | ! apt -o x=y list      |
|               |                                            |                              | ! apt upgrade          |
|               |                                            |                              | ! apt full-upgrade     |
|               |                                            |                              | ! apt dist-upgrade     |
|---------------+--------------------------------------------+------------------------------+------------------------|
| pip pip3      | -vlf --outdated --format: --user --local   | text text*                   | pip list               |
|               | --verbose --files                          | first list show freeze check | pip show requests      |
|               |                                            | like [\w.-]+                 | pip3 freeze            |
|               |                                            |                              | ! pip install x        |
|               |                                            |                              | ! pip uninstall x      |
|               |                                            |                              | ! pip download x       |
|               |                                            |                              | ! pip config set a b   |
|               |                                            |                              | ! pip wheel x          |
|               |                                            |                              | ! pip index versions x |

| program      | options                             | operands                     | examples           |
|--------------+-------------------------------------+------------------------------+--------------------|
| npm          | -gal --depth: --all --global --long | text text*                   | npm ls --depth=0   |
|              | --parseable --json --prod --omit:   | first ls list ll root prefix | npm root -g        |
|              |                                     | first why explain            | npm why zod        |
|              |                                     | like @?[\w./-]+              | ! npm install      |
|              |                                     |                              | ! npm test         |
|              |                                     |                              | ! npm run x        |
|              |                                     |                              | ! npm i x          |
|              |                                     |                              | ! npm publish      |
|              |                                     |                              | ! npm exec x       |
|              |                                     |                              | ! npx x            |
|              |                                     |                              | ! npm config get x |
|              |                                     |                              | ! npm outdated     |
|--------------+-------------------------------------+------------------------------+--------------------|
| gem          | -l --local                          | text                         | gem list           |
|              |                                     | only list environment        | ! gem install x    |
|              |                                     |                              | ! gem push x       |
|--------------+-------------------------------------+------------------------------+--------------------|
| brew         | --versions --cask --formula         | text                         | brew list          |
|              |                                     | only list leaves config      | ! brew install x   |
|              |                                     |                              | ! brew update      |
|--------------+-------------------------------------+------------------------------+--------------------|
| snap flatpak | --all --app                         | text                         | snap list          |
|              |                                     | only list                    | ! snap install x   |
|              |                                     |                              | ! flatpak run x    |

| program        | options                              | operands       | examples                  |
|----------------+--------------------------------------+----------------+---------------------------|
| man            | -fkw                                 | text text*     | man ls                    |
|                |                                      | like [\w.+:-]+ | man 5 crontab             |
|                |                                      |                | man -k copy               |
|                |                                      |                | ! man -P sh ls            |
|                |                                      |                | ! man --pager=sh ls       |
|                |                                      |                | ! man -H ls               |
|                |                                      |                | ! man ./x                 |
|                |                                      |                | ! man -l x                |
|                |                                      |                | ! man -C conf ls          |
|----------------+--------------------------------------+----------------+---------------------------|
| apropos whatis | -aels                                | text*          | apropos copy              |
|                |                                      |                | whatis ls                 |
|                |                                      |                | ! apropos -C x y          |
|----------------+--------------------------------------+----------------+---------------------------|
| shellcheck     | -s: -S: -e: -f: --shell: --severity: | path*          | shellcheck -s sh run.sh   |
|                | --exclude: --format: --color?        |                | ! shellcheck --rcfile x y |
|                |                                      |                | ! shellcheck -x a         |

| program  | options                                     | operands                        | examples                          |
|----------+---------------------------------------------+---------------------------------+-----------------------------------|
| identify | =-verbose =-ping                            | path*                           | identify photo.jpg                |
|          |                                             | like (?i:[\w./\x20()-]+\.png)   | identify -verbose a.png           |
|          |                                             | like (?i:[\w./\x20()-]+\.jpe?g) | ! identify msl:x                  |
|          |                                             | like (?i:[\w./\x20()-]+\.gif)   | ! identify @list                  |
|          |                                             | like (?i:[\w./\x20()-]+\.webp)  | ! identify -format x a.png        |
|          |                                             | like (?i:[\w./\x20()-]+\.tiff?) | ! identify a.svg                  |
|          |                                             | like (?i:[\w./\x20()-]+\.bmp)   |                                   |
|          |                                             | like (?i:[\w./\x20()-]+\.heic)  |                                   |
|          |                                             | like (?i:[\w./\x20()-]+\.avif)  |                                   |
|----------+---------------------------------------------+---------------------------------+-----------------------------------|
| xmllint  | --format --noout --nonet --xpath: --pretty: | path*                           | xmllint --format a.xml            |
|          | --html --valid                              |                                 | xmllint --noout --xpath //a a.xml |
|          |                                             |                                 | ! xmllint --output b a.xml        |
|          |                                             |                                 | ! xmllint --noent a.xml           |
|          |                                             |                                 | ! xmllint --shell a.xml           |
|----------+---------------------------------------------+---------------------------------+-----------------------------------|
| aspell   | -l: -d: --lang: --mode: --ignore-case       | text                            | aspell list                       |
|          |                                             | least 1                         | aspell --lang=de list             |
|          |                                             | only list                       | ! aspell check a.org              |
|          |                                             |                                 | ! aspell --conf=x list            |
|          |                                             |                                 | ! aspell list --add-filter-path=x |
|----------+---------------------------------------------+---------------------------------+-----------------------------------|
| hunspell | -l -d: -i: -G -L                            | path*                           | hunspell -l a.txt                 |
|          |                                             | needs -l -L -G                  | hunspell -d de_DE -l a.txt        |
|          |                                             |                                 | ! hunspell a.txt                  |
|          |                                             |                                 | ! hunspell -l -p words a.txt      |
|----------+---------------------------------------------+---------------------------------+-----------------------------------|
| csvcut   | -nlHStri -c: -C: -d: -e: -m: --columns:     | path                            | csvcut -c 1,2 a.csv               |
|          | --names --delimiter: --encoding: --match:   | also csvlook csvstat csvsort    | csvlook a.csv                     |
|          | --regex: --mean --sum --count --reverse     | also csvgrep csvjson in2csv     | csvgrep -c name -m ann a.csv      |
|          | --no-inference                              |                                 | ! csvgrep -f list a.csv           |
|          |                                             |                                 | ! csvsort a.csv b.csv             |
|          |                                             |                                 | ! csvcut ~/.netrc                 |
|          |                                             |                                 | ! in2csv --write-sheets x a       |
|----------+---------------------------------------------+---------------------------------+-----------------------------------|
| tldr     | -l --list                                   | text*                           | tldr tar                          |
|          |                                             | like [a-z][\w.+-]*              | tldr git log                      |
|          |                                             |                                 | ! tldr -u                         |
|          |                                             |                                 | ! tldr --update                   |
|          |                                             |                                 | ! tldr -f x                       |
|          |                                             |                                 | ! tldr ./x                        |

| program     | options                                     | operands                 | examples                   |
|-------------+---------------------------------------------+--------------------------+----------------------------|
| gzip        | -cdfklqtv --stdout --to-stdout --decompress | path*                    | gunzip -c a.gz             |
|             | --list --test --keep --quiet --verbose      | also gunzip xz unxz      | gzip -dc a.gz              |
|             |                                             | needs -c -l -t --stdout  | gzip -l a.gz               |
|             |                                             | needs --to-stdout --list | xz --list a.xz             |
|             |                                             | needs --test             | ! gzip a                   |
|             |                                             |                          | ! gunzip a.gz              |
|             |                                             |                          | ! xz -d a.xz               |
|             |                                             |                          | ! gzip -c ~/.ssh/id_rsa    |
|             |                                             |                          | ! gzip -S x -l a           |
|-------------+---------------------------------------------+--------------------------+----------------------------|
| shuf        | -rz -n: -i: --repeat --zero-terminated      | path                     | shuf -n 3 a                |
|             | --head-count: --input-range:                |                          | shuf -i 1-9                |
|             |                                             |                          | ! shuf -o a b              |
|             |                                             |                          | ! shuf --output=a b        |
|             |                                             |                          | ! shuf --random-source=x a |
|             |                                             |                          | ! shuf ~/.netrc            |
|-------------+---------------------------------------------+--------------------------+----------------------------|
| lsof        | -nPtlaU -i? -s? -p: -u: -c:                 | text                     | lsof -iTCP -sTCP:LISTEN    |
|             |                                             | like [\w:,.@/-]+         | lsof -i :3000              |
|             |                                             |                          | lsof -nP -i tcp:80         |
|             |                                             |                          | ! lsof -D x                |
|             |                                             |                          | ! lsof -r 1                |
|             |                                             |                          | ! lsof -m x                |
|-------------+---------------------------------------------+--------------------------+----------------------------|
| look        | -bdf -t:                                    | text path                | look rye                   |
|             |                                             |                          | ! look x ~/.netrc          |
|-------------+---------------------------------------------+--------------------------+----------------------------|
| lsb_release | -aidrcsv --all --id --description --release |                          | lsb_release -a             |
|             | --codename --short                          |                          | ! lsb_release x            |
|-------------+---------------------------------------------+--------------------------+----------------------------|
| units       | -vt --verbose --terse                       | text text                | units '3 feet' m           |
|             |                                             | least 2                  | ! units                    |
|             |                                             |                          | ! units -f x               |
|             |                                             |                          | ! units -l x               |
`

/** Every program that is understood, by each of its names. */
export const programs: ReadonlyMap<string, ProgramRule> = byEachName({
  ...readPrograms('programs', table),
  ...machinePrograms,
})

/** The words that may come first, by each of the program's names. */
export const firstWordsOf: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  [...programs].flatMap(([name, { first }]) =>
    first === undefined ? [] : [[name, new Set(first.split(' '))] as const],
  ),
)
