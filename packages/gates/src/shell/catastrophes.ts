import { posix } from 'node:path'
import { expandPath, type PathPlaces } from '../paths/paths.ts'
import { judgeWrite } from '../paths/write.ts'
import type { Run, Runs } from './commands.ts'

const roots = new Set(
  (
    '/ /bin /boot /dev /etc /home /lib /lib32 /lib64 /opt /proc /root /run /sbin /sys /usr /var /mnt ' +
    '/media /srv /snap /users /system /library /applications /volumes /private /usr/bin /usr/lib ' +
    '/usr/local /usr/sbin /usr/share /var/lib /var/log /etc/ssl /c /c/windows /cygdrive/c'
  ).split(' '),
)

interface Circumstances {
  run: Run
  /** The words behind the name that are no options. */
  plain: string[]
  options: string[]
  places: PathPlaces
  /** Where the line may have gone with =cd= before. */
  folders: readonly string[]
}

function isRoot(word: string, { places, folders }: Circumstances, how = { own: true }): boolean {
  const known = word.replace(/\0.*$/s, '')
  if (known === '' && word !== '') return false
  const target = withoutStars(known)
  return folders.some((folder) => {
    const up = /^[~/]/.test(target) ? target : posix.join(folder, target)
    const path = expandPath(up, places)
    const lower = path.toLowerCase()
    if (roots.has(lower)) return how.own || !/^\/(usr\/local|opt|srv)$/.test(lower)
    const below = lower === '/' ? '/' : `${lower}/`
    return (
      how.own &&
      [places.home, places.cwd].some((place) => `${place}/`.toLowerCase().startsWith(below))
    )
  })
}

function withoutStars(word: string): string {
  const stars = /(^|\/)(\.?[*?][*.?]*|\.\.\?\*|\.\[[^/]*)\/*$/
  let target = word
  while (stars.test(target)) target = target.replace(stars, '$1')
  return target === '' ? '.' : target
}

function foldersAt(index: number, runs: readonly Run[], places: PathPlaces): string[] {
  let folder = places.cwd
  for (const { program, argv } of runs.slice(0, index)) {
    if (program !== 'cd' && program !== 'pushd') continue
    const target = argv[1]?.value ?? '~'
    if (target.includes('\0')) return []
    folder = expandPath(/^[~/]/.test(target) ? target : posix.join(folder, target), places)
  }
  return [folder]
}

interface CatastropheRule {
  programs: RegExp
  reason: string
  holds(circumstances: Circumstances): boolean
  match: string[]
  not: string[]
}

const isRecursive = ({ options }: Circumstances) =>
  options.some((option) =>
    /^(-[rRfivdIchHLP]*[rR][rRfivdIchHLP]*$|--r[ecursiv]*$|--no-preserve-root)/.test(option),
  )

const isDisk = (word: string) =>
  /^(of=)?\/dev\/(sd|hd|vd|xvd|nvme|mmcblk|mem|disk|mapper|dm-|loop\d|md\d|r?disk\d)/i.test(word)

const trees: Record<string, CatastropheRule> = {
  tree: {
    programs: /^(rm|srm|rimraf|del|trash|unlink|gio)$/,
    reason: 'it removes a whole tree that must stay',
    holds: (all) => isRecursive(all) && all.plain.some((word) => isRoot(word, all)),
    match: [
      ...[
        'rm -rf /',
        'rm -fr /*',
        'rm -r -f ~',
        'rm --recur /',
        'rm -rf $HOME/',
        'rm -rf /$prefix',
      ],
      ...['rm -rf *', 'rm -rf .', 'rm -rf ./*', 'rm -rf ..', 'rm -rf /usr', 'cd / && rm -rf .'],
      ...[
        'rm -rf ~/',
        'rm -rf ~/*',
        'rm -rf ~/.*',
        'rm -rf /home/ann',
        'rm -Rf -- /etc',
        'rm / -rf',
      ],
      ...['rm -rf //', 'rm -rf /./', 'rm -rf /../', 'rm -rf ///*', 'rm -rf ~ann', 'rm -rf {/,x}'],
      ...['cd; rm -rf *', 'cd ..; rm -rf *', 'x=/; rm -rf $x', 'rm -rf "$HOME"', 'rm -rf .*'],
    ],
    not: [
      ...[
        'rm -rf node_modules',
        'rm -rf /tmp/build',
        'rm -rf ./dist',
        'rm notes.txt',
        'rm -rf "$x"',
      ],
      ...['cd build && rm -rf *', 'rm -rf dist/*', 'rm -rf ~/old', 'rm -f *.o', 'rm -rf $x/*'],
      ...['rm -rf .cache', 'rm -rf ../build', 'rm -rf {dist,build}', 'rm -rf *.tmp'],
    ],
  },
  permissions: {
    programs: /^(chmod|chown|chgrp|chattr|setfacl|icacls)$/,
    reason: 'it changes who may use a whole system tree',
    holds: (all) =>
      isRecursive(all) && all.plain.slice(1).some((word) => isRoot(word, all, { own: false })),
    match: ['chmod -R 777 /', 'chown -R me /etc', 'chmod -R 000 /*', 'chgrp --recursive x /usr'],
    not: ['chmod +x run.sh', 'chmod -R 755 .', 'chown -R www-data /var/www/site', 'chown -R me ~'],
  },
}

const sweeps: Record<string, CatastropheRule> = {
  sweep: {
    programs: /^(find|fd|fdfind)$/,
    reason: 'it deletes whatever it finds under a root',
    holds: (all) =>
      all.run.argv.some(({ value }) => /^(-delete|(.*\/)?(rm|shred|unlink))$/.test(value)) &&
      !all.run.argv.some(({ value }) =>
        /^-(i?name|i?path|i?wholename|i?regex|i?lname|empty|[acm]min|[acm]time|size|inum|used|user|group|uid|gid|nouser|nogroup|samefile|[ac]?newer\w*|links|perm|xtype)$/.test(
          value,
        ),
      ) &&
      all.plain.some((word) => isRoot(word, all)),
    match: ['find / -delete', 'find ~ -type f -exec rm {} +', 'find . -exec shred {} ;'],
    not: [
      'find . -name "*.o" -delete',
      'find build -delete',
      'find / -name x',
      'find . -empty -delete',
    ],
  },
  move: {
    programs: /^mv$/,
    reason: 'it moves a root directory away',
    holds: (all) => {
      const isLost = all.plain.at(-1) === '/dev/null'
      const sources = all.plain.slice(0, -1).filter((word) => isLost || /^[~/]/.test(word))
      return sources.some((word) => isRoot(word, all))
    },
    match: ['mv / /tmp', 'mv ~ /dev/null', 'mv /usr x', 'mv ~/* /dev/null', 'mv * /dev/null'],
    not: ['mv a b', 'mv *.org archive', 'mv ~/a ~/b', 'mv * ../archive'],
  },
  mirror: {
    programs: /^(rsync|rclone|robocopy)$/,
    reason: 'it empties a root by making it equal to something else',
    holds: (all) =>
      all.run.argv.some(({ value }) => /^--del|^--remove-source|^(sync|\/mir)$/i.test(value)) &&
      isRoot(all.plain.at(-1) ?? '', all, { own: false }),
    match: ['rsync -a --delete /tmp/empty/ /', 'rsync --del x/ /etc/'],
    not: [
      'rsync -a --delete src/ backup/',
      'rsync -a --delete backup/ .',
      'rsync -a ~/ /mnt/backup/ann',
    ],
  },
}

const machines: Record<string, CatastropheRule> = {
  format: {
    programs:
      /^(mkfs(\..+)?|mke2fs|mkswap|mkntfs|mkdosfs|newfs|format|wipefs|blkdiscard|sfdisk|fdisk|cfdisk|gdisk|sgdisk|parted|cryptsetup|zpool|pvremove|vgremove|lvremove|hdparm|nvme|diskutil|badblocks)$/,
    reason: 'it overwrites a file system',
    holds: ({ run, options, plain }) => {
      const words = run.argv.slice(1).map(({ value }) => value)
      if (/^(mk|newfs|blkdiscard|format)/.test(run.program)) {
        return plain.length > 0 && !plain.every((word) => /\.(img|iso|qcow2|raw)$/.test(word))
      }
      if (/^(cryptsetup|zpool|nvme|diskutil)$/.test(run.program)) {
        return words.some((word) =>
          /^(luksformat|erase\w*|luksErase|destroy|format|zerodisk|secure-?erase|sanitize)$/i.test(
            word,
          ),
        )
      }
      if (run.program === 'hdparm')
        return options.some((option) => /^--(security-erase|trim|format)/.test(option))
      if (run.program === 'badblocks') return options.some((option) => /^-[a-z]*w/.test(option))
      if (
        words.some((word) =>
          /^(-l|--list|-n|--no-act|-p|print|--help|-h|-V|--version|-d|--dump|-J)$/.test(word),
        )
      )
        return false
      return words.length > 0 && plain.length > 0
    },
    match: [
      'mkfs.ext4 /dev/sda1',
      'wipefs -a /dev/sda',
      'sgdisk -Z /dev/sda',
      'zpool destroy tank',
    ],
    not: ['fdisk -l', 'fdisk -l /dev/sda', 'parted -l', 'mkfs.ext4 disk.img', 'mkfs.ext4 --help'],
  },
}

const disks: Record<string, CatastropheRule> = {
  disk: {
    programs:
      /^(dd|shred|tee|cp|mv|cat|truncate|ddrescue|pv|gunzip|zcat|xzcat|install|wipe|scrub|nwipe)$/,
    reason: 'it writes to a disk directly',
    holds: ({ run, plain }) => {
      const words = run.argv.slice(1).map(({ value }) => value)
      if (run.program === 'dd') return words.some((word) => word.startsWith('of=') && isDisk(word))
      if (/^(cp|mv|install)$/.test(run.program)) return isDisk(plain.at(-1) ?? '')
      if (/^(cat|pv|gunzip|zcat|xzcat)$/.test(run.program)) return false
      return plain.some(isDisk)
    },
    match: [
      'dd if=/dev/zero of=/dev/sda',
      'shred /dev/nvme0n1',
      'x | tee /dev/sdb',
      'cp a.iso /dev/sdb',
    ],
    not: ['dd if=/dev/sda of=disk.img', 'dd if=a of=b', 'shred old.txt', 'tee log.txt'],
  },
}

const endings: Record<string, CatastropheRule> = {
  power: {
    programs:
      /^(shutdown|reboot|halt|poweroff|init|telinit|systemctl|loginctl|kill|killall5|pm-\w+|rtcwake)$/,
    reason: 'it stops the machine',
    holds: ({ run, plain, options }) => {
      if (options.some((option) => /^(--help|--version|-c|-l|-L|--list)$/.test(option)))
        return false
      if (run.program === 'kill')
        return (
          (plain.some((word) => word === '1') &&
            !options.some((option) => /hup|usr|-[01]$/i.test(option))) ||
          run.argv.slice(2).some(({ value }) => value === '-1')
        )
      if (/^(tel)?init$/.test(run.program)) return plain.some((word) => /^[06]$/.test(word))
      if (run.program.endsWith('ctl'))
        return plain.some((word) => /^(reboot|poweroff|halt|kexec|emergency|rescue)$/.test(word))
      return true
    },
    match: ['shutdown now', 'reboot', 'systemctl poweroff', 'init 0', 'kill -9 -1', 'kill -9 1'],
    not: ['shutdown -c', 'systemctl status x', 'kill 4711', 'kill -l', 'init project'],
  },
  code: {
    programs: /^(python[\d.]*|node|deno|bun|perl|ruby|php|pwsh|powershell)$/,
    reason: 'its program removes a whole tree that must stay',
    holds: ({ run, places }) =>
      run.argv.some(({ value }) => {
        const call =
          /(rmtree|rmSync|rmdirSync|rm_rf|removeSync|remove_tree|Remove-Item|rimraf|FileUtils\.rm_r\w*)[\s(]+(?:-\w+\s+)*["'`]?([^"'`,)\s]*)/i.exec(
            value,
          )
        return (
          call?.[2] !== undefined &&
          call[2] !== '' &&
          isRoot(call[2], { run, plain: [], options: [], places, folders: [places.cwd] })
        )
      }),
    match: [
      `python -c "import shutil; shutil.rmtree('/')"`,
      `node -e "fs.rmSync('/home', {recursive: true})"`,
    ],
    not: [`python -c "shutil.rmtree('build')"`, 'python manage.py'],
  },
}

/** The rules about programs, each with examples that it is held to. */
export const catastropheRules: Record<string, CatastropheRule> = {
  ...trees,
  ...sweeps,
  ...machines,
  ...disks,
  ...endings,
}

/** Why a command line is refused outright. */
interface Catastrophe {
  rule: string
  reason: string
}

type NamedRule = [name: string, rule: CatastropheRule]

const allRules: readonly NamedRule[] = Object.entries(catastropheRules)
const byProgram = new Map<string, readonly NamedRule[]>()

function rulesAbout(program: string): readonly NamedRule[] {
  const known = byProgram.get(program)
  if (known !== undefined) return known
  const rules = allRules.filter(([, rule]) => rule.programs.test(program))
  if (byProgram.size < 2_000 && program.length < 100) byProgram.set(program, rules)
  return rules
}

/** The first catastrophe in what a command line would run, or null. */
export function findCatastrophe(found: Runs, places: PathPlaces): Catastrophe | null {
  if (found.forkBomb) return { rule: 'shell.fork-bomb', reason: 'it is a fork bomb' }
  if (found.tooDeep) {
    return { rule: 'shell.nested', reason: 'it hides commands inside commands more than four deep' }
  }
  for (const [index, run] of found.runs.entries()) {
    const rules = rulesAbout(run.program)
    if (rules.length > 0) {
      const words = run.argv.slice(1).map(({ value }) => value)
      const circumstances = {
        run,
        plain: words.filter((word) => !word.startsWith('-')),
        options: words.filter((word) => word.startsWith('-')),
        places,
        folders: foldersAt(index, found.runs, places),
      }
      const held = rules.find(([, rule]) => rule.holds(circumstances))
      if (held !== undefined) return { rule: `shell.${held[0]}`, reason: held[1].reason }
    }
    const broken = brokenMachine(run, places)
    if (broken !== null) return broken
  }
  return null
}

function brokenMachine(run: Run, places: PathPlaces): Catastrophe | null {
  const last = run.argv.at(-1)?.value ?? ''
  const targets = [...run.writes]
  if (/^(tee|sponge|truncate|shred|ed|ex)$/.test(run.program)) {
    targets.push(...run.argv.slice(1).map(({ value }) => value))
  }
  if (/^(cp|mv|install|ln|rsync|scp)$/.test(run.program)) targets.push(last)
  if (run.program === 'dd') {
    const output = run.argv.find(({ value }) => value.startsWith('of='))
    if (output !== undefined) targets.push(output.value.slice(3))
  }
  for (const target of targets) {
    if (target.startsWith('-') || !target.includes('/')) continue
    const judgment = judgeWrite(target, places)
    if (judgment.level !== 'refused') continue
    const rule = judgment.rule.replace('paths.', 'shell.')
    return { rule, reason: `it writes to ${target.replaceAll('\0', '…')}: ${judgment.reason}` }
  }
  return null
}
