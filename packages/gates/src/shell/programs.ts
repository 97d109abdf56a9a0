import { machinePrograms, machineWords } from './machine.ts'
import type { OptionRule } from './options.ts'

/** A program with the options that are understood, and examples. */
export interface ProgramRule extends OptionRule {
  /** Further names of the program, with the same options. */
  also?: string
  /** Command lines that pass, and command lines that ask. */
  match: string[]
  not: string[]
}

const contents: Record<string, ProgramRule> = {
  cat: {
    also: 'tac',
    options:
      '-AbeEnstTuvr --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs ' +
      '--show-nonprinting --before --separator:',
    operands: 'path*',
    harmless: true,
    match: ['cat a.org', 'cat -n a b', 'cat *', 'cat ./*.org'],
    not: ['cat ~/.ssh/id_rsa', 'cat diary.org', 'cat > x', 'cat --unknown'],
  },
  head: {
    also: 'tail',
    options:
      '-c: -n: -s: -qvzfFr --bytes: --lines: --quiet --silent --verbose --zero-terminated -# --follow? ' +
      '--retry --sleep-interval: --pid:',
    operands: 'path*',
    harmless: true,
    match: ['head -20 a', 'tail -n +5 a', 'tail -f log', 'head -c 100 a b'],
    not: ['head /dev/sda', 'head -z --unknown'],
  },
  wc: {
    options: '-clLmw --bytes --lines --chars --words --max-line-length --total:',
    operands: 'path*',
    harmless: true,
    match: ['wc -l a.org', 'wc *.org'],
    not: ['wc --files0-from=list'],
  },
  nl: {
    options: '-b: -d: -f: -h: -i: -l: -n: -p -s: -v: -w:',
    operands: 'path*',
    harmless: true,
    match: ['nl -ba a'],
    not: ['nl ~/.netrc'],
  },
  less: {
    also: 'more most',
    options: '-FRXSNiIeEmMnqQswrfdlcup -#',
    operands: 'path*',
    shape: /^([^+]|\+(G|\d+)$)/,
    match: ['less -R a', 'more a', 'less +G a'],
    not: ['less +!id a', 'less -o log a', 'less -k keys a', 'less --lesskey-src=x a'],
  },
}

const pages: Record<string, ProgramRule> = {
  bat: {
    also: 'batcat',
    options:
      '-pnAfPS --plain --number --paging: --color: --style: -l: --language: -r: --line-range: --theme: --wrap:',
    operands: 'path*',
    match: ['bat -p a.ts'],
    not: ['bat --pager=sh a', 'bat cache --build'],
  },
  zcat: {
    also: 'bzcat xzcat zstdcat lzcat gzcat',
    options: '-fqv',
    operands: 'path*',
    harmless: true,
    match: ['zcat log.gz'],
    not: ['zcat ~/.ssh/x.gz'],
  },
  strings: {
    options: '-af -n: -t: -e: -# --all --bytes: --radix: --encoding:',
    operands: 'path*',
    match: ['strings -n 8 a.bin'],
    not: ['strings -T x a'],
  },
  xxd: {
    options: '-abcEipsud -c: -e -g: -l: -o: -ps',
    operands: 'path',
    match: ['xxd -l 64 a', 'xxd -p a'],
    not: ['xxd -r a b', 'xxd a b', 'xxd -p -r a'],
  },
  od: {
    also: 'hexdump hd',
    options: '-abcCdfhHiIloOsvxX -A: -j: -N: -n: -t: -w: -S: --address-radix: --format: --width?',
    operands: 'path*',
    harmless: true,
    match: ['od -c a', 'hexdump -C a', 'od -A x -t x1z a'],
    not: ['od /dev/mem'],
  },
  base64: {
    also: 'base32 basenc',
    options: '-dDi -w: --decode --wrap: --ignore-garbage --base64url --base16',
    operands: 'path',
    match: ['base64 a', 'base64 -d a.b64'],
    not: ['base64 -o x a', 'base64 ~/.ssh/id_rsa'],
  },
}

const shapes: Record<string, ProgramRule> = {
  column: {
    options:
      '-txenJL -s: -o: -c: -N: -H: -R: -O: --table --separator: --output-separator: --json --table-columns:',
    operands: 'path*',
    match: ['column -t -s, a.csv'],
    not: ['column --unknown'],
  },
  fold: {
    also: 'fmt expand unexpand rev paste',
    options: '-bsczu -w: -d: -t: -i --width: --spaces --delimiters: --serial --tabs: --initial -#',
    operands: 'path*',
    harmless: true,
    match: ['fold -s -w 80 a', 'paste -d, a b', 'rev a'],
    not: ['paste ~/.pgpass a'],
  },
  cut: {
    options:
      '-b: -c: -d: -f: -nsz --bytes: --characters: --delimiter: --fields: --complement --only-delimited ' +
      '--output-delimiter: --zero-terminated',
    operands: 'path*',
    harmless: true,
    match: ['cut -d: -f1 a', 'cut -c1-10'],
    not: ['cut -d: -f1 /etc/passwd', 'cut -f1 /etc/shadow'],
  },
  tr: {
    options: '-cCdst --complement --delete --squeeze-repeats --truncate-set1',
    operands: 'text text',
    match: ['tr a-z A-Z', "tr -d '\\n'"],
    not: ['tr a b c'],
  },
}

const orders: Record<string, ProgramRule> = {
  sort: {
    options:
      '-bdfghiMnRrVcCmsuz -k: -t: -S: --key: --field-separator: --reverse --numeric-sort --unique --stable ' +
      '--human-numeric-sort --version-sort --general-numeric-sort --ignore-case --check? --random-sort ' +
      '--sort: --parallel: --zero-terminated --ignore-leading-blanks --dictionary-order --month-sort --merge',
    operands: 'path*',
    match: ['sort -u a', 'sort -t, -k2,2n a', 'sort -rn'],
    not: [
      ...['sort -o a a', 'sort -oa a', 'sort --output=a', 'sort --compress-program=sh a', 'sort *'],
      ...['sort --compress-prog=sh a', 'sort -T /x a', 'sort --files0-from=x', 'sort -uo a a'],
    ],
  },
  uniq: {
    options:
      '-cdDiuz -f: -s: -w: --count --repeated --unique --ignore-case --skip-fields: --skip-chars: ' +
      '--check-chars: --all-repeated? --group? --zero-terminated',
    operands: 'path',
    match: ['uniq -c', 'uniq a'],
    not: ['uniq a b', 'uniq a*'],
  },
  comm: {
    also: 'join',
    options:
      '-123iz -j: -t: -a: -v: -o: -e: --check-order --nocheck-order --output-delimiter: --total --header',
    operands: 'path path',
    match: ['comm -12 a b', 'join -t, a b'],
    not: ['comm a /etc/shadow'],
  },
  cmp: {
    options: '-bls -n: -i: --print-bytes --verbose --silent --quiet --bytes: --ignore-initial:',
    operands: 'path path text text',
    match: ['cmp a b', 'cmp -s a b'],
    not: ['cmp a ~/.netrc'],
  },
}

const comparisons: Record<string, ProgramRule> = {
  diff: {
    options:
      '-abBcdeEfHiInNpqrstTuvwyZ -C: -D: -F: -I: -L: -S: -U: -W: -x: --color? --unified? --context? ' +
      '--brief --recursive --side-by-side --ignore-all-space --ignore-case --ignore-space-change ' +
      '--ignore-blank-lines --suppress-common-lines --width: --exclude: --label: --new-file --text ' +
      '--minimal --strip-trailing-cr --no-dereference --report-identical-files --expand-tabs -#',
    operands: 'path*',
    walking: '-r --recursive',
    harmless: true,
    match: ['diff -u a b', 'diff -r src lib', 'diff --color=always a b'],
    not: ['diff -l a b', 'diff -r ~ /tmp', 'diff --to-file=x a', 'diff a ~/.ssh/config'],
  },
  sum: {
    also: 'md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum shasum md5 b3sum crc32',
    options:
      '-a: -bctwzUq --binary --text --zero --tag --check --quiet --status --strict --warn --ignore-missing ' +
      '--algorithm: --length: -l:',
    operands: 'path*',
    harmless: true,
    match: ['md5sum a', 'sha256sum -c sums.txt'],
    not: ['md5sum /etc/shadow'],
  },
}

const searches: Record<string, ProgramRule> = {
  grep: {
    also: 'egrep fgrep',
    options:
      '-EFGPivwxcLlqsbHhnoTUZzaIrRyu -e: -f@ -m: -A: -B: -C: -D: -d: --include: --exclude: --exclude-from@ ' +
      '--exclude-dir: --directories: --color? --colour? --regexp: --file@ --max-count: --after-context: ' +
      '--before-context: --context: --binary-files: --label: --line-buffered --recursive ' +
      '--dereference-recursive --ignore-case --no-ignore-case --invert-match --word-regexp --line-regexp ' +
      '--count --files-with-matches --files-without-match --only-matching --quiet --silent ' +
      '--no-messages --byte-offset --with-filename --no-filename --line-number --initial-tab --null ' +
      '--null-data --text --extended-regexp --fixed-strings --basic-regexp --perl-regexp -#',
    operands: 'pattern path*',
    instead: '-e -f --regexp --file',
    walking: '-r -R -d --recursive --dereference-recursive --directories',
    harmless: true,
    match: [
      'grep -rn TODO src',
      'grep x *',
      'grep -rn ".env" .',
      'grep -e a -e b f',
      'grep -A3 -B3 x f',
    ],
    not: [
      ...[
        'grep -r x ~',
        'grep x ~/.ssh/id_rsa',
        'grep -f ~/.netrc x',
        'grep -r x /',
        'grep root /etc/passwd',
      ],
      ...['grep -r "BEGIN RSA PRIVATE KEY" .', 'grep --unknown x'],
    ],
  },
}

const searchers: Record<string, ProgramRule> = {
  rg: {
    options:
      '-abcFHhiIlLnNopPqsSuUvVwx0. -A: -B: -C: -d: -e: -E: -f@ -g: -j: -m: -M: -r: -t: -T: --after-context: ' +
      '--before-context: --color: --colors: --column --context: --context-separator: --count ' +
      '--count-matches --crlf --encoding: --engine: --file@ --files --files-with-matches ' +
      '--files-without-match --fixed-strings --follow --glob: --glob-case-insensitive --heading --hidden ' +
      '--iglob: --ignore-case --include-zero --invert-match --json --line-buffered --line-number ' +
      '--line-regexp --max-columns: --max-count: --max-depth: --max-filesize: --multiline ' +
      '--multiline-dotall --no-config --no-filename --no-heading --no-ignore --no-ignore-vcs ' +
      '--no-line-number --no-messages --null --only-matching --passthru --pcre2 --pretty --quiet ' +
      '--regexp: --replace: --smart-case --case-sensitive --sort: --sortr: --stats --text --threads: ' +
      '--trim --type: --type-not: --type-list --type-add: --unrestricted --vimgrep --with-filename --word-regexp',
    operands: 'pattern tree*',
    instead: '-e -f --regexp --file --files --type-list',
    match: ['rg TODO', 'rg -n -t ts "import" src', 'rg --files', 'rg -l foo -g "*.md"'],
    not: ['rg --pre=sh x', 'rg --pre sh x', 'rg -z x', 'rg --hostname-bin=x y', 'rg x ~', 'rg x *'],
  },
  ag: {
    options:
      '-acgGilLnoQsSvwz0 -A: -B: -C: -m: --nocolor --noheading --ignore: --hidden --column --count',
    operands: 'pattern tree*',
    match: ['ag -l foo src'],
    not: ['ag --pager=sh foo', 'ag foo /'],
  },
  fd: {
    also: 'fdfind',
    options:
      '-HIsigLapuFq01l -t: -e: -d: -E: -c: -S: --type: --extension: --max-depth: --min-depth: --exact-depth: ' +
      '--exclude: --hidden --no-ignore --no-ignore-vcs --glob --full-path --absolute-path --follow ' +
      '--changed-within: --changed-before: --size: --color: --max-results: --case-sensitive --ignore-case ' +
      '--fixed-strings --quiet --print0 --unrestricted',
    operands: 'pattern name*',
    match: ['fd -e ts', 'fd foo src', 'fd -H -t f config'],
    not: ['fd -x rm', 'fd foo --exec rm', 'fd -X vim', 'fd --exec-batch x', 'fd id_rsa /'],
  },
  locate: {
    also: 'mlocate plocate',
    options: '-ibcewqr -l: -n: --limit: --ignore-case --basename --count',
    operands: 'pattern*',
    match: ['locate -i notes'],
    not: ['locate id_rsa', 'locate -d x y'],
  },
}

const names: Record<string, ProgramRule> = {
  ls: {
    also: 'll la dir vdir exa eza lsd',
    options:
      '-aAbBcCdDfFgGhHiklLmnNopqQrRsStuUvxXZ1 -I: -T: -w: --all --almost-all --author --escape --block-size: ' +
      '--ignore-backups --color? --directory --dired --classify? --file-type --format: --full-time ' +
      '--group-directories-first --no-group --human-readable --si --dereference --hide: --hyperlink? ' +
      '--indicator-style: --inode --ignore: --kibibytes --numeric-uid-gid --literal --quote-name ' +
      '--quoting-style: --reverse --recursive --size --sort: --time: --time-style: --tree --level: --long ' +
      '--git --icons? --zero --width:',
    operands: 'name*',
    harmless: true,
    match: [
      'ls',
      'ls -la projects',
      'ls *',
      'ls -d .*',
      'ls ../other',
      'ls -lh /var/log',
      'ls $HOME/memex',
    ],
    not: ['ls ~/.ssh', 'ls > list.txt', 'ls $(cat list)', 'ls $x', 'ls /root/x'],
  },
  tree: {
    options:
      '-adfilspughDFqNQrtvcUJXnCASx -L: -P: -I: --dirsfirst --prune --noreport --charset: --filelimit: --du ' +
      '--si --gitignore --matchdirs --sort? --inodes --device --ignore-case --filesfirst',
    operands: 'name*',
    match: ['tree -L 2', 'tree -a -I node_modules src'],
    not: ['tree -o x', 'tree -R -H x', 'tree --fromfile x', 'tree *'],
  },
}

const sizes: Record<string, ProgramRule> = {
  stat: {
    options: '-Lfntxs -c: --format: --printf: --dereference --file-system --terse --cached:',
    operands: 'name*',
    harmless: true,
    match: ['stat a', 'stat -c %s a', 'stat /etc/passwd'],
    not: ['stat ~/.ssh/id_rsa'],
  },
  file: {
    options:
      '-bhikLNpr0I -e: -F: -P: --mime --mime-type --mime-encoding --brief --dereference --no-dereference ' +
      '--extension --separator: --no-buffer --no-pad --keep-going --raw',
    operands: 'path*',
    harmless: true,
    match: ['file a', 'file -b --mime-type a.png', 'file *'],
    not: [
      'file -m magic a',
      'file -C -m x',
      'file -f list',
      'file --magic-file=x a',
      'file -z a',
      'file ~/.ssh/*',
    ],
  },
  du: {
    options:
      '-abcDhHklmPsSxL0 -d: -t: -B: --max-depth: --exclude: --threshold: --block-size: --human-readable ' +
      '--summarize --total --all --apparent-size --si --time? --inodes --one-file-system --bytes',
    operands: 'name*',
    harmless: true,
    match: ['du -sh *', 'du -h -d 1 .', 'du -sh ~'],
    not: ['du --files0-from=x', 'du -X list', 'du ~/.gnupg'],
  },
  df: {
    options:
      '-aBhHiklPTm -t: -x: -B: --human-readable --print-type --inodes --total --type: --output? --si --local',
    operands: 'name*',
    harmless: true,
    match: ['df -h', 'df -hT /'],
    not: ['df --unknown'],
  },
}

const spellings: Record<string, ProgramRule> = {
  realpath: {
    also: 'readlink',
    options:
      '-efmnLPqszv --canonicalize --canonicalize-existing --canonicalize-missing --relative-to: --relative-base: --no-newline --strip --no-symlinks --zero',
    operands: 'name*',
    harmless: true,
    match: ['realpath a', 'readlink -f a'],
    not: ['readlink /proc/self/environ'],
  },
  basename: {
    also: 'dirname',
    options: '-az -s: --multiple --suffix: --zero',
    operands: 'text*',
    harmless: true,
    match: ['basename a.org .org', 'dirname /a/b'],
    not: ['basename --unknown'],
  },
  pdfinfo: {
    also: 'mediainfo soxi tokei cloc scc',
    options: '--',
    operands: 'path*',
    match: ['pdfinfo a.pdf', 'cloc src'],
    not: ['cloc --diff a b', 'pdfinfo -upw x a'],
  },
  nm: {
    also: 'size readelf objdump',
    options: '-adhltsSWxCDT --demangle',
    operands: 'path*',
    shape: /^[^@]/,
    match: ['readelf -h a.out', 'objdump -d a.out'],
    not: ['objdump --unknown a', 'nm --plugin x a'],
  },
}

const prints: Record<string, ProgramRule> = {
  true: {
    also: 'false :',
    options: '--',
    operands: 'text*',
    harmless: true,
    match: ['true'],
    not: ['true > x'],
  },
  pwd: { options: '-LP', operands: '', match: ['pwd', 'pwd -P'], not: ['pwd x'] },
  exit: { options: '--', operands: 'text', shape: /^\d+$/, match: ['exit 0'], not: ['exit x'] },
  sleep: {
    options: '--',
    operands: 'text',
    shape: /^\d{1,2}(\.\d+)?s?$/,
    match: ['sleep 1'],
    not: ['sleep 1d'],
  },
  seq: {
    options: '-w -s: --equal-width --separator:',
    operands: 'text text text',
    shape: /^-?\d{1,7}(\.\d+)?$/,
    match: ['seq 1 10', 'seq -w 3'],
    not: ['seq 99999999999'],
  },
  date: {
    options:
      '-uR -I? -d: -r@ --date: --utc --universal --iso-8601? --rfc-3339: --rfc-email --reference@ --debug',
    operands: 'text',
    shape: /^\+/,
    match: [
      'date',
      'date +%F',
      'date -u',
      "date -d '3 days ago' +%s",
      'date -r a.org',
      'date -Iseconds',
    ],
    not: ['date -s tomorrow', 'date 11211200', 'date -f list', 'date --set=x', 'date --file=x'],
  },
  cal: {
    also: 'ncal',
    options: '-13yjmsShwMbn -A: -B: -d:',
    operands: 'text*',
    shape: /^[\w]+$/,
    match: ['cal', 'cal 11 2026', 'cal -3'],
    not: ['cal --unknown'],
  },
  expr: {
    also: 'factor',
    options: '--',
    operands: 'text*',
    match: ['expr 1 + 2', 'factor 42'],
    not: ['expr $x'],
  },
  bc: { options: '-lqs', operands: '', match: ['bc -l'], not: ['bc file', 'dc'] },
}

const shell: Record<string, ProgramRule> = {
  tput: {
    options: '',
    operands: 'text',
    shape: /^(cols|lines|colors)$/,
    match: ['tput cols'],
    not: ['tput init'],
  },
  type: {
    options: '-aptfP',
    operands: 'text*',
    match: ['type ls', 'type -a git'],
    not: ['type $x'],
  },
  which: {
    also: 'whereis',
    options: '-abmsSB --all',
    operands: 'text*',
    match: ['which node', 'whereis git'],
    not: ['which --unknown x'],
  },
  help: {
    options: '-dms',
    operands: 'text*',
    match: ['help cd', 'help -d test'],
    not: ['help --pager=x'],
  },
  hash: {
    options: '-lt',
    operands: 'text*',
    listing: '-t',
    match: ['hash -t ls'],
    not: ['hash -p /tmp/x ls', 'hash x'],
  },
  umask: { options: '-Sp', operands: '', match: ['umask'], not: ['umask 000'] },
  ulimit: { options: '-aHSn', operands: '', match: ['ulimit -a'], not: ['ulimit -n 1'] },
  jobs: {
    also: 'times locale arch nproc tty logname',
    options: '-alprs --all',
    operands: '',
    match: ['jobs', 'nproc', 'locale'],
    not: ['jobs -x rm'],
  },
}

const streams: Record<string, ProgramRule> = {
  tee: {
    options: '-aip --append --ignore-interrupts',
    operands: 'text*',
    shape: /^\/dev\/(null|stdout|stderr)$/,
    match: ['tee /dev/stderr', 'tee'],
    not: ['tee x', 'tee -a x', 'tee /dev/sda', 'tee /dev/null x'],
  },
  getconf: {
    options: '-a',
    operands: 'text',
    shape: /^[A-Z_]+$/,
    match: ['getconf PAGE_SIZE'],
    not: ['getconf -v x y'],
  },
  screen: {
    options: '=-ls =-list',
    operands: '',
    needs: '-ls -list',
    match: ['screen -ls'],
    not: ['screen', 'screen -r', 'screen -S x -X stuff y'],
  },
  printenv: {
    options: '',
    operands: 'text*',
    shape:
      /^(HOME|PATH|USER|LOGNAME|LANG|SHELL|PWD|TERM|COLORTERM|EDITOR|PAGER|TZ|HOSTNAME|TMPDIR|DISPLAY|CI|NODE_ENV|VIRTUAL_ENV|CONDA_PREFIX|GOPATH|GOROOT|JAVA_HOME|PYTHONPATH|MANPATH|LD_LIBRARY_PATH|LC_\w+|XDG_\w+_HOME|XDG_SESSION_TYPE|XDG_CURRENT_DESKTOP)$/,
    least: 1,
    match: ['printenv PATH'],
    not: ['printenv', 'printenv KEY'],
  },
}

const machine: Record<string, ProgramRule> = {
  whoami: { also: 'users', options: '', operands: '', match: ['whoami'], not: ['whoami x'] },
  id: {
    also: 'groups',
    options: '-agGnruz --user --group --name --groups',
    operands: 'text',
    match: ['id -un', 'groups'],
    not: ['id --unknown'],
  },
  hostname: {
    options: '-fsiIdAy --fqdn --short --long --domain',
    operands: '',
    match: ['hostname', 'hostname -I'],
    not: ['hostname evil', 'hostname -F x', 'hostname -b x'],
  },
  uname: {
    options: '-amnrsvpio --all --kernel-name --machine',
    operands: '',
    match: ['uname -a'],
    not: ['uname x'],
  },
  uptime: {
    options: '-ps --pretty --since',
    operands: '',
    match: ['uptime -p'],
    not: ['uptime x'],
  },
  who: {
    also: 'w last',
    options: '-abdHlmpqrsuhfi -n: -# --heading',
    operands: '',
    match: ['who', 'w -h'],
    not: ['last -f x'],
  },
  free: {
    options: '-bkmghtwl -s: -c: --human --mega --giga --total',
    operands: '',
    match: ['free -h'],
    not: ['free x'],
  },
  vmstat: {
    also: 'iostat mpstat',
    options: '-asdxkmhtw',
    operands: 'text text',
    shape: /^\d{1,2}$/,
    match: ['vmstat 1 3'],
    not: ['vmstat x'],
  },
}

const processes: Record<string, ProgramRule> = {
  ps: {
    options:
      '-AaCdeFfgGHjlLMmNnOoPsTtUuVwxyZ -o: -C: -p: -u: -U: -t: -s: --sort: --forest --pid: --ppid: --user: ' +
      '--no-headers --headers --format: --deselect --width: --cols:',
    operands: 'text',
    shape: /^(-?[AaxufjlrswTmhcHLX]+|\d+)$/,
    match: ['ps aux', 'ps -ef', 'ps -p 1 -o comm=', 'ps axf'],
    not: ['ps auxe', 'ps e', 'ps eww', 'ps -E'],
  },
  top: {
    options: '-b -n: -o: -p: -u: -Hi -c -w: -d:',
    operands: '',
    match: ['top -bn1'],
    not: ['top --unknown'],
  },
  pgrep: {
    also: 'pidof',
    options: '-aflnoxcivs -u: -d: -U: -P: --full --list-name --list-full',
    operands: 'pattern*',
    match: ['pgrep -fl node'],
    not: ['pgrep --signal 9 x', 'pkill x'],
  },
  pstree: {
    options: '-aAchlnpgstTuZ',
    operands: 'text',
    match: ['pstree -p'],
    not: ['pstree --unknown'],
  },
  lscpu: {
    also: 'lsusb lspci lsmod lsmem lsns blkid',
    options: '-abdefhiJklmnoOpPrstTvx --json --all --fs --bytes --tree',
    operands: '',
    match: ['lsusb -t', 'lscpu'],
    not: ['lsusb x', 'blkid -o udev x', 'lspci -i x'],
  },
  lsblk: {
    also: 'findmnt',
    options: '-abdefhiJlmnpPrstTvD -o: --json --all --fs --bytes --tree --output:',
    operands: '',
    match: ['lsblk -f', 'lsblk -o NAME,SIZE', 'findmnt -l'],
    not: ['lsblk x', 'findmnt --poll', 'findmnt -F x'],
  },
  dmesg: {
    options: '-Thkwxtue -l: -f: --human --level: --ctime --since: --follow',
    operands: '',
    match: ['dmesg -T'],
    not: ['dmesg -C', 'dmesg -c', 'dmesg -n 1'],
  },
}

const network: Record<string, ProgramRule> = {
  ss: {
    also: 'netstat',
    options: '-atunlpsxoemi46Hrgwc --tcp --udp --listening --numeric --processes --all',
    operands: '',
    match: ['ss -tlnp', 'netstat -tuln'],
    not: ['ss -K', 'ss -D x', 'ss -F x'],
  },
  ip: {
    options:
      '-46cdhjos =-br =-brief =-color =-json =-details =-stats =-oneline --brief --color --json',
    operands: 'text text text text',
    shape: /^(a|addr|address|l|link|r|route|n|neigh|rule|show|list|ls|dev|[a-z]{2,4}\d+|lo)$/,
    match: ['ip a', 'ip -br addr', 'ip addr show', 'ip -4 route', 'ip link show dev eth0'],
    not: [
      'ip netns exec x sh',
      'ip link set eth0 down',
      'ip -b file',
      'ip -b a',
      'ip -batch a',
      'ip -force -b a',
      'ip addr add 1.2.3.4 dev lo',
    ],
  },
  ifconfig: {
    also: 'iwconfig',
    options: '-a',
    operands: '',
    match: ['ifconfig'],
    not: ['ifconfig eth0 down'],
  },
  nvidiasmi: {
    also: 'nvidia-smi',
    options: '-Lq',
    operands: '',
    match: ['nvidia-smi'],
    not: ['nvidia-smi -r', 'nvidia-smi --gpu-reset'],
  },
}

const services: Record<string, ProgramRule> = {
  mount: {
    also: 'swapon',
    options: '-l --show',
    operands: '',
    match: ['mount', 'swapon --show'],
    not: ['mount /dev/sda1 /mnt', 'mount -a', 'swapon -a', 'swapon /swapfile'],
  },
  timedatectl: {
    also: 'hostnamectl localectl',
    options: '--no-pager',
    operands: 'text',
    shape: /^(status|show|list-timezones|list-locales)$/,
    match: ['timedatectl', 'hostnamectl status'],
    not: ['timedatectl set-time 0', 'hostnamectl set-hostname x'],
  },
  systemctl: {
    options:
      '-alq -n: -t: -p: --all --no-pager --failed --full --lines: --type: --state: --property: --user --plain --no-legend --value',
    operands: 'text text*',
    shape: /^[\w@:.*-]+$/,
    match: [
      'systemctl status nginx',
      "systemctl status 'nginx*'",
      'systemctl list-timers --all',
      'systemctl --user status x.service',
      'systemctl --failed',
    ],
    not: [
      'systemctl stop nginx',
      'systemctl -H host status',
      'systemctl enable x.service',
      'systemctl edit x.service',
    ],
  },
  journalctl: {
    options:
      '-abefklmqrx -n: -o: -p: -t: -u: -S: -U: -g: --since: --until: --no-pager --unit: --lines: --priority: --output: --boot? --follow --reverse --user --user-unit: --dmesg --grep: --disk-usage --list-boots',
    operands: '',
    match: [
      'journalctl -u nginx --since today',
      'journalctl -n 50 --no-pager',
      'journalctl -b -p err',
    ],
    not: [
      'journalctl --vacuum-time=1s',
      'journalctl --rotate',
      'journalctl -D x',
      'journalctl --file=x',
    ],
  },
  crontab: {
    options: '-l',
    operands: '',
    needs: '-l',
    match: ['crontab -l'],
    not: ['crontab', 'crontab -r', 'crontab -e', 'crontab file', 'crontab -u root -l'],
  },
}

const packages: Record<string, ProgramRule> = {
  dpkg: {
    options: '-lLsS --list --listfiles --status --search --print-architecture',
    operands: 'text*',
    listing: '-l -L -s -S --list --listfiles --status --search',
    match: ['dpkg -l', 'dpkg -L bash'],
    not: ['dpkg -i x.deb', 'dpkg --configure -a', 'dpkg -P x', 'dpkg x'],
  },
  apt: {
    also: 'apt-cache',
    options: '-a --installed --upgradable --names-only --all-versions',
    operands: 'text text*',
    shape: /^[a-z\d][a-z\d.+*:-]*$/,
    match: ['apt list --installed', 'apt-cache policy git', 'apt show nodejs'],
    not: [
      'apt install x',
      'apt-get update',
      'apt remove git',
      'apt -o x=y list',
      'apt upgrade',
      'apt full-upgrade',
      'apt dist-upgrade',
    ],
  },
  pip: {
    also: 'pip3',
    options: '-vlf --outdated --format: --user --local --verbose --files',
    operands: 'text text*',
    shape: /^[\w.-]+$/,
    match: ['pip list', 'pip show requests', 'pip3 freeze'],
    not: [
      'pip install x',
      'pip uninstall x',
      'pip download x',
      'pip config set a b',
      'pip wheel x',
      'pip index versions x',
    ],
  },
}

const managers: Record<string, ProgramRule> = {
  npm: {
    options: '-gal --depth: --all --global --long --parseable --json --prod --omit:',
    operands: 'text text*',
    shape: /^@?[\w./-]+$/,
    match: ['npm ls --depth=0', 'npm root -g', 'npm why zod'],
    not: [
      'npm install',
      'npm test',
      'npm run x',
      'npm i x',
      'npm publish',
      'npm exec x',
      'npx x',
      'npm config get x',
      'npm outdated',
    ],
  },
  gem: {
    options: '-l --local',
    operands: 'text',
    shape: /^(list|environment)$/,
    match: ['gem list'],
    not: ['gem install x', 'gem push x'],
  },
  brew: {
    options: '--versions --cask --formula',
    operands: 'text',
    shape: /^(list|leaves|config)$/,
    match: ['brew list'],
    not: ['brew install x', 'brew update'],
  },
  snap: {
    also: 'flatpak',
    options: '--all --app',
    operands: 'text',
    shape: /^list$/,
    match: ['snap list'],
    not: ['snap install x', 'flatpak run x'],
  },
}

const manuals: Record<string, ProgramRule> = {
  man: {
    options: '-fkw',
    operands: 'text text*',
    shape: /^[\w.+:-]+$/,
    match: ['man ls', 'man 5 crontab', 'man -k copy'],
    not: [
      'man -P sh ls',
      'man --pager=sh ls',
      'man -H ls',
      'man ./x',
      'man -l x',
      'man -C conf ls',
    ],
  },
  apropos: {
    also: 'whatis',
    options: '-aels',
    operands: 'text*',
    match: ['apropos copy', 'whatis ls'],
    not: ['apropos -C x y'],
  },
  shellcheck: {
    options: '-s: -S: -e: -f: --shell: --severity: --exclude: --format: --color?',
    operands: 'path*',
    match: ['shellcheck -s sh run.sh'],
    not: ['shellcheck --rcfile x y', 'shellcheck -x a'],
  },
}

const documents: Record<string, ProgramRule> = {
  identify: {
    options: '=-verbose =-ping',
    operands: 'path*',
    shape: /^[\w./ ()-]+\.(?:png|jpe?g|gif|webp|tiff?|bmp|heic|avif)$/i,
    match: ['identify photo.jpg', 'identify -verbose a.png'],
    not: ['identify msl:x', 'identify @list', 'identify -format x a.png', 'identify a.svg'],
  },
  xmllint: {
    options: '--format --noout --nonet --xpath: --pretty: --html --valid',
    operands: 'path*',
    match: ['xmllint --format a.xml', 'xmllint --noout --xpath //a a.xml'],
    not: ['xmllint --output b a.xml', 'xmllint --noent a.xml', 'xmllint --shell a.xml'],
  },
  aspell: {
    options: '-l: -d: --lang: --mode: --ignore-case',
    operands: 'text',
    shape: /^list$/,
    least: 1,
    match: ['aspell list', 'aspell --lang=de list'],
    not: ['aspell check a.org', 'aspell --conf=x list', 'aspell list --add-filter-path=x'],
  },
  hunspell: {
    options: '-l -d: -i: -G -L',
    operands: 'path*',
    needs: '-l -L -G',
    match: ['hunspell -l a.txt', 'hunspell -d de_DE -l a.txt'],
    not: ['hunspell a.txt', 'hunspell -l -p words a.txt'],
  },
  csvcut: {
    also: 'csvlook csvstat csvsort csvgrep csvjson in2csv',
    options:
      '-nlHStri -c: -C: -d: -e: -m: --columns: --names --delimiter: --encoding: --match: --regex: --mean --sum --count --reverse --no-inference',
    operands: 'path',
    match: ['csvcut -c 1,2 a.csv', 'csvlook a.csv', 'csvgrep -c name -m ann a.csv'],
    not: [
      'csvgrep -f list a.csv',
      'csvsort a.csv b.csv',
      'csvcut ~/.netrc',
      'in2csv --write-sheets x a',
    ],
  },
  tldr: {
    options: '-l --list',
    operands: 'text*',
    shape: /^[a-z][\w.+-]*$/,
    match: ['tldr tar', 'tldr git log'],
    not: ['tldr -u', 'tldr --update', 'tldr -f x', 'tldr ./x'],
  },
}

/** Programs whose first operand says what to do, with the words that only look. */
export const firstWords: Record<string, string> = {
  ...machineWords,
  dpkg: '',
  apt: 'list show search policy depends rdepends madison showpkg',
  pip: 'list show freeze check',
  npm: 'ls list ll root prefix why explain',
  systemctl:
    'status is-active is-enabled is-failed list-units list-unit-files list-timers list-sockets list-dependencies list-jobs cat is-system-running',
  ip: 'a addr address l link r route n neigh rule',
}

const odds: Record<string, ProgramRule> = {
  gzip: {
    also: 'gunzip xz unxz',
    options: '-cdfklqtv --stdout --to-stdout --decompress --list --test --keep --quiet --verbose',
    operands: 'path*',
    needs: '-c -l -t --stdout --to-stdout --list --test',
    match: ['gunzip -c a.gz', 'gzip -dc a.gz', 'gzip -l a.gz', 'xz --list a.xz'],
    not: ['gzip a', 'gunzip a.gz', 'xz -d a.xz', 'gzip -c ~/.ssh/id_rsa', 'gzip -S x -l a'],
  },
  shuf: {
    options: '-rz -n: -i: --repeat --zero-terminated --head-count: --input-range:',
    operands: 'path',
    match: ['shuf -n 3 a', 'shuf -i 1-9'],
    not: ['shuf -o a b', 'shuf --output=a b', 'shuf --random-source=x a', 'shuf ~/.netrc'],
  },
  lsof: {
    options: '-nPtlaU -i? -s? -p: -u: -c:',
    operands: 'text',
    shape: /^[\w:,.@/-]+$/,
    match: ['lsof -iTCP -sTCP:LISTEN', 'lsof -i :3000', 'lsof -nP -i tcp:80'],
    not: ['lsof -D x', 'lsof -r 1', 'lsof -m x'],
  },
  look: {
    options: '-bdf -t:',
    operands: 'text path',
    match: ['look rye'],
    not: ['look x ~/.netrc'],
  },
  lsb_release: {
    options: '-aidrcsv --all --id --description --release --codename --short',
    operands: '',
    match: ['lsb_release -a'],
    not: ['lsb_release x'],
  },
  units: {
    options: '-vt --verbose --terse',
    operands: 'text text',
    least: 2,
    match: ["units '3 feet' m"],
    not: ['units', 'units -f x', 'units -l x'],
  },
}

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

/** Every program that is understood, by each of its names. */
export const programs: ReadonlyMap<string, ProgramRule> = new Map(
  [
    ...[contents, pages, shapes, orders, comparisons, searches, searchers, names, sizes, spellings],
    ...[
      prints,
      shell,
      streams,
      machine,
      processes,
      network,
      services,
      packages,
      managers,
      manuals,
      documents,
      odds,
    ],
    ...machinePrograms,
  ].flatMap((table) =>
    Object.entries(table).flatMap(([name, rule]) =>
      [name, ...(rule.also?.split(' ') ?? [])].map((each) => [each, rule] as const),
    ),
  ),
)

/** The words that may come first, by each of the program's names. */
export const firstWordsOf: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  [...programs].flatMap(([name, rule]) => {
    const base = Object.keys(firstWords).find((each) => programs.get(each) === rule)
    const words = base === undefined ? '' : (firstWords[base] ?? '')
    return words === '' ? [] : [[name, new Set(words.split(' '))] as const]
  }),
)
