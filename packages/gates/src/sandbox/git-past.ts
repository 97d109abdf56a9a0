import { statSync } from 'node:fs'
import { join } from 'node:path'
import { levelOfName } from '../paths/secret.ts'
import { askContained, type RunLimits } from './run.ts'
import type { SandboxFound, SandboxView } from './sandbox.ts'

const listing = `names=$(git --git-dir="$1" rev-list --objects --all --reflog --indexed-objects \\
  --filter=object:type=blob) || exit
printf %s "$names" | cut -d ' ' -f 2- | sort -u`
const moving = [
  'logs/HEAD',
  'HEAD',
  'index',
  'packed-refs',
  'FETCH_HEAD',
  'refs/stash',
  'refs/heads',
]

const known = new Map<string, { stamp: string; hasKey: boolean }>()
const knownMax = 200

/** Whether a file that the gates call secret is in the past of this `.git` folder. Never throws. */
export async function hasKeyInPast(
  gitDir: string,
  view: SandboxView,
  sandbox: Extract<SandboxFound, { available: true }>,
  limits: RunLimits,
): Promise<boolean> {
  const stamp = moving.map((name) => stampOf(join(gitDir, name))).join(' ')
  const before = known.get(gitDir)
  if (before?.stamp === stamp) return before.hasKey
  const argv = ['/bin/sh', '-c', listing, 'sh', gitDir]
  const { code, out } = await askContained(argv, { ...view, writable: [] }, sandbox, limits)
  const hasKey = code !== 0 || out.split('\n').some((path) => levelOfName(path) === 'secret')
  if (known.size >= knownMax) known.clear()
  if (code === 0) known.set(gitDir, { stamp, hasKey })
  return hasKey
}

function stampOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat === undefined ? '-' : `${stat.mtimeMs}:${stat.size}:${stat.ino}`
}
