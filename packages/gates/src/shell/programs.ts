import { once } from '@passepartout/core'
import { filePrograms } from './file-programs.ts'
import { machinePrograms } from './machine.ts'
import { byEachName, type ProgramRule, readPrograms } from './options.ts'
import type { Field } from './words.ts'

/** Programs that answer `--version` and `--help` without a look at the folder, besides those of the table. */
const versioned: ReadonlySet<string> = new Set(
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
export const programs: () => ReadonlyMap<string, ProgramRule> = once(() =>
  byEachName({
    ...filePrograms(),
    ...readPrograms('programs', table),
    ...machinePrograms(),
  }),
)

/** The words that may come first, by each of the program's names. */
export const firstWords: () => ReadonlyMap<string, ReadonlySet<string>> = once(
  () =>
    new Map(
      [...programs()].flatMap(([name, { first }]) =>
        first === undefined ? [] : [[name, new Set(first.split(' '))] as const],
      ),
    ),
)

/** Whether the program is only asked for its version or its help, and answers without a look at the folder. */
export function isAboutVersion(program: string, args: readonly Field[]): boolean {
  const [only, ...more] = args
  if (only === undefined || more.length > 0 || !only.known || only.varying) return false
  const isKnown = versioned.has(program) || programs().has(program)
  if (/^--(version|help)$/.test(only.value)) return isKnown || program === 'git'
  if (only.value === '-V') return /^(python\d?|ssh|pip\d?|gpg|tar|cmake|vim|tmux)$/.test(program)
  if (only.value === '-v') return /^(node|npm|ruby|perl|php|docker|lua|nginx)$/.test(program)
  if (only.value === '-version') return /^(java|javac|ffmpeg|ffprobe|convert|magick)$/.test(program)
  return only.value === 'version' && /^(go|docker|npm|helm|hugo|openssl|zig|opam)$/.test(program)
}
