import type { ProgramRule } from './programs.ts'

const packages: Record<string, ProgramRule> = {
  'dpkg-query': {
    options: '-WlsLS -f: --show --list --status --listfiles --search --showformat:',
    operands: 'text*',
    needs: '-W -l -s -L -S --show --list --status --listfiles --search',
    match: ['dpkg-query -W', 'dpkg-query -L bash', 'dpkg-query -S /bin/ls'],
    not: ['dpkg-query --admindir=/x -l', 'dpkg-query --load-avail -l', 'dpkg-query'],
  },
  'apt-mark': {
    options: '',
    operands: 'text',
    shape: /^show(manual|auto|hold)$/,
    least: 1,
    match: ['apt-mark showmanual', 'apt-mark showhold'],
    not: ['apt-mark hold x', 'apt-mark auto x', 'apt-mark showmanual -o x=y'],
  },
  pacman: {
    options: '-Qieltmokdg --query --info --list --explicit --deps --foreign --native',
    operands: 'text*',
    needs: '-Q --query',
    match: ['pacman -Q', 'pacman -Qi bash', 'pacman -Qe'],
    not: ['pacman -S x', 'pacman -R x', 'pacman -Sy', 'pacman -Qp x', 'pacman -Q --root /x'],
  },
  apk: {
    options: '-vI --installed',
    operands: 'text text*',
    shape: /^[\w.+-]+$/,
    match: ['apk info', 'apk info -v bash', 'apk list --installed'],
    not: ['apk add x', 'apk del x', 'apk fetch x', 'apk update', 'apk --root /x info'],
  },
  'update-alternatives': {
    options: '--list: --display: --query: --get-selections',
    operands: '',
    needs: '--list --display --query --get-selections',
    match: ['update-alternatives --list editor', 'update-alternatives --display java'],
    not: ['update-alternatives --set x y', 'update-alternatives --config x'],
  },
  ldconfig: {
    options: '-p --print-cache',
    operands: '',
    needs: '-p --print-cache',
    match: ['ldconfig -p'],
    not: ['ldconfig', 'ldconfig -n x', 'ldconfig -C x -p', 'ldconfig -r /x -p'],
  },
}

const hardware: Record<string, ProgramRule> = {
  sysctl: {
    options: '-aneN --all --names --values --ignore',
    operands: 'text*',
    shape: /^[\w./-]+$/,
    match: ['sysctl -a', 'sysctl vm.swappiness', 'sysctl -n kernel.hostname'],
    not: ['sysctl -w a=1', 'sysctl a=1', 'sysctl -p', 'sysctl --system', 'sysctl -f x'],
  },
  sensors: {
    also: 'acpi lslocks lsipc',
    options: '-jAuabV --json',
    operands: '',
    match: ['sensors', 'acpi -V', 'lslocks -u'],
    not: ['sensors -s', 'sensors -c x', 'lslocks -p 1'],
  },
  lshw: {
    options: '-short -C:',
    operands: '',
    match: ['lshw -short', 'lshw -C network'],
    not: ['lshw -dump x', 'lshw -X'],
  },
  stty: {
    options: '-a --all',
    operands: 'text',
    shape: /^size$/,
    match: ['stty -a', 'stty size'],
    not: ['stty -echo', 'stty raw', 'stty -F /dev/ttyS0 -a'],
  },
  mountpoint: {
    also: 'namei getfacl lsattr',
    options: '-aqdlmovxR --quiet --long --modes --owners --vertical',
    operands: 'name*',
    match: ['mountpoint -q /mnt', 'namei -l /usr/bin', 'getfacl notes'],
    not: ['getfacl --restore=x', 'mountpoint ~/.ssh'],
  },
  pvs: {
    also: 'vgs lvs',
    options: '-av -o: --all --options: --units: --noheadings',
    operands: 'text*',
    match: ['pvs', 'lvs -a', 'vgs --units g'],
    not: ['pvs --config x', 'lvs --devicesfile x'],
  },
  zpool: {
    also: 'zfs',
    options: '-Hprvx -o: -t: -d:',
    operands: 'text text*',
    shape: /^[\w./:@-]+$/,
    match: ['zpool status', 'zfs list', 'zfs list -t snapshot'],
    not: ['zpool destroy x', 'zfs destroy x', 'zpool scrub x', 'zfs set a=b c'],
  },
}

const sessions: Record<string, ProgramRule> = {
  loginctl: {
    options: '--no-pager --no-legend -l --full',
    operands: 'text text*',
    shape: /^(list-sessions|list-users|list-seats|session-status|user-status|[\w-]*\d[\w-]*)$/,
    match: ['loginctl', 'loginctl list-sessions', 'loginctl session-status 3'],
    not: ['loginctl kill-session 3', 'loginctl terminate-user ann', 'loginctl lock-sessions'],
  },
  'systemd-analyze': {
    options: '--no-pager --user',
    operands: 'text text*',
    shape: /^(time|blame|critical-chain|[\w@-]+\.(service|target|timer|socket|mount))$/,
    match: ['systemd-analyze', 'systemd-analyze blame', 'systemd-analyze critical-chain'],
    not: [
      'systemd-analyze set-log-level debug',
      'systemd-analyze verify x',
      'systemd-analyze -H x',
    ],
  },
  networkctl: {
    also: 'resolvectl',
    options: '-al --all --no-pager --no-legend',
    operands: 'text text',
    shape: /^(list|status|statistics|[a-z]{2,4}\d+[\w.]*|lo)$/,
    match: ['networkctl', 'networkctl status eth0', 'resolvectl status'],
    not: ['networkctl down eth0', 'resolvectl query example.org', 'resolvectl flush-caches'],
  },
  nmcli: {
    options: '-tp -c: -f: --terse --pretty --fields:',
    operands: 'text text',
    shape: /^(d|dev|device|c|con|connection|g|general|status|show|permissions|hostname)$/,
    match: ['nmcli', 'nmcli device status', 'nmcli connection show'],
    not: [
      'nmcli -s connection show x',
      'nmcli con up x',
      'nmcli device wifi list',
      'nmcli g hostname x',
    ],
  },
  rfkill: {
    also: 'lpstat',
    options: '-aoprtd --all --output:',
    operands: 'text',
    shape: /^list$/,
    match: ['rfkill list', 'lpstat -p'],
    not: ['rfkill block wifi', 'rfkill event', 'lpstat -h host'],
  },
  iptables: {
    also: 'ip6tables',
    options: '-LSnvx -t: --list --list-rules --numeric --verbose --line-numbers --table:',
    operands: 'text',
    needs: '-L -S --list --list-rules',
    match: ['iptables -L -n', 'iptables -S'],
    not: ['iptables -F', 'iptables -A INPUT -j DROP', 'iptables -L -Z', 'iptables -P INPUT DROP'],
  },
}

const archives: Record<string, ProgramRule> = {
  zgrep: {
    also: 'zegrep zfgrep bzgrep xzgrep zstdgrep',
    options:
      '-EFGPivwxclLnohHsq -e: -m: -A: -B: -C: --ignore-case --count --line-number --no-filename ' +
      '--with-filename --only-matching --invert-match --color? --max-count: --extended-regexp -#',
    operands: 'pattern path*',
    instead: '-e',
    harmless: true,
    match: ['zgrep error app.log.gz', 'zgrep -c ERR *.gz', 'zgrep -e a b.gz'],
    not: ['zgrep -f ~/.netrc x', 'zgrep x ~/.ssh/id_rsa.gz', 'zgrep "BEGIN RSA PRIVATE KEY" x'],
  },
  zdiff: {
    also: 'zcmp bzdiff xzdiff',
    options: '-abBiquwy --brief --unified?',
    operands: 'path path',
    match: ['zdiff -u a.gz b.gz'],
    not: ['zdiff --to-file=x a', 'zdiff a ~/.netrc'],
  },
  zless: {
    also: 'zmore',
    options: '-FRXSN',
    operands: 'path*',
    shape: /^[^+]/,
    match: ['zless a.gz'],
    not: ['zless +!id a.gz', 'zless -o x a'],
  },
  ar: {
    options: '',
    operands: 'text path text*',
    shape: /^(t|tv|[^-].*\.(a|deb|ar)|[\w.-]+\.o)$/,
    match: ['ar t lib.a', 'ar tv lib.a'],
    not: ['ar x lib.a', 'ar rcs lib.a x.o', 'ar d lib.a x.o', 'ar -M'],
  },
  numfmt: {
    also: 'tsort',
    options:
      '--to: --from: --suffix: --padding: --field: --header? --grouping --round: -d: --delimiter:',
    operands: 'text*',
    shape: /^\d+[\w.]*$/,
    match: ['numfmt --to=iec 1024', 'numfmt --to=si'],
    not: ['tsort /etc/shadow', 'numfmt x'],
  },
}

const ciphers: Record<string, ProgramRule> = {
  'ssh-keygen': {
    options: '-lv -f@ -E:',
    operands: '',
    needs: '-l',
    match: ['ssh-keygen -lf host.pub', 'ssh-keygen -l -E md5 -f host.pub'],
    not: [
      'ssh-keygen',
      'ssh-keygen -t rsa',
      'ssh-keygen -R host',
      'ssh-keygen -y -f x',
      'ssh-keygen -p -f x',
    ],
  },
  'ssh-add': {
    options: '-l',
    operands: '',
    needs: '-l',
    match: ['ssh-add -l'],
    not: ['ssh-add', 'ssh-add -L', 'ssh-add -D', 'ssh-add x'],
  },
}

const media: Record<string, ProgramRule> = {
  exiftool: {
    options: '-jsGaun =-json',
    operands: 'path*',
    shape: /^[^-@=]*$/,
    match: ['exiftool photo.jpg', 'exiftool -j photo.jpg'],
    not: [
      'exiftool -Artist=x a.jpg',
      'exiftool -config x a',
      'exiftool -if x a',
      'exiftool -@ x',
      'exiftool -w txt a',
    ],
  },
  ffprobe: {
    options:
      '=-hide_banner =-show_format =-show_streams =-of: =-print_format: =-show_entries: =-select_streams: =-loglevel: -v:',
    operands: 'path',
    shape: /^[^:]+$/,
    match: ['ffprobe -v error -show_format a.mp4', 'ffprobe a.mp4'],
    not: [
      'ffprobe http://x/y',
      'ffprobe concat:a',
      'ffprobe -o x a',
      'ffprobe -f lavfi a',
      'ffprobe -i a',
    ],
  },
}

/** Programs that tell about packages, hardware, sessions and archives, by name. */
export const machinePrograms: readonly Record<string, ProgramRule>[] = [
  packages,
  hardware,
  sessions,
  archives,
  ciphers,
  media,
]

/** The words that may come first, for programs that have words instead of options. */
export const machineWords: Record<string, string> = {
  apk: 'info list search policy version stats',
  zpool: 'status list get history iostat',
}
