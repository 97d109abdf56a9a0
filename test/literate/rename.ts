import { execFileSync, spawnSync } from 'node:child_process'
import {
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'

const root = join(import.meta.dirname, '../..')

function copyProject(): string {
  const copy = mkdtempSync(join(tmpdir(), 'renamed-'))
  const options = { cwd: root, encoding: 'utf8' } as const
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], options)
  for (const path of listed.trim().split('\n')) {
    mkdirSync(dirname(join(copy, path)), { recursive: true })
    cpSync(join(root, path), join(copy, path))
  }
  copyModules('node_modules', copy)
  return copy
}

function copyModules(folder: string, copy: string): void {
  mkdirSync(join(copy, folder))
  for (const name of readdirSync(join(root, folder))) {
    const path = join(folder, name)
    if (lstatSync(join(root, path)).isSymbolicLink() || name === '.bin') {
      cpSync(join(root, path), join(copy, path), { recursive: true, verbatimSymlinks: true })
    } else if (name.startsWith('@')) copyModules(path, copy)
    else symlinkSync(join(root, path), join(copy, path))
  }
}

const pairs = [
  ['readPlist', 'parsePlist'],
  ['OrgSourceError', 'DocumentError'],
  ['ObjectStore.ingestFile', 'takeIn'],
]

function step(copy: string, command: string, ...args: string[]): void {
  console.log(`$ ${command} ${args.join(' ')}`)
  const PATH = `${join(copy, 'node_modules/.bin')}${delimiter}${process.env.PATH}`
  const options = { cwd: copy, stdio: 'inherit', env: { ...process.env, PATH } } as const
  const { status } = spawnSync(command, args, options)
  if (status === 0) return
  console.error(`failed, in ${copy}`)
  process.exit(status ?? 1)
}

const [oldName, newName] = process.argv.slice(2)
const wanted = oldName !== undefined && newName !== undefined ? [[oldName, newName]] : pairs
const copy = copyProject()
for (const pair of wanted) step(copy, 'org-tangle', 'rename', ...pair, '--prose')
step(copy, 'org-tangle', '--check')
step(copy, 'tsc', '--noEmit')
step(copy, 'vitest', 'run', 'packages', 'tools')
rmSync(copy, { recursive: true })
