import { z } from 'zod'
import { executedFiles } from './executed-files.ts'
import {
  componentsOf,
  hasPattern,
  matcherOf,
  type PathPlaces,
  type PathReader,
  pathForms,
  perPlaces,
} from './paths.ts'
import { type RuleExamples, readRules } from './rule-table.ts'
import { indexRules } from './rules.ts'
import { judgeRead } from './secret.ts'

/** Inside: a file of the memex. Outside: another place. Guarded: ask in any case. Refused: never. */
type WriteLevel = 'inside' | 'outside' | 'guarded' | 'refused'

/** What writing to a path would be, by which rule, and why in a few words. */
export interface WriteJudgment {
  level: WriteLevel
  rule: string
  reason: string
}

interface WriteRule extends RuleExamples {
  level: 'guarded' | 'refused'
  reason: string
  names: string
}

const cells = z.strictObject({
  rule: z.string(),
  level: z.enum(['guarded', 'refused']),
  why: z.string(),
  names: z.string(),
})

const table = `
| rule     | level   | why                      | names                                          | examples                          |
|----------+---------+--------------------------+------------------------------------------------+-----------------------------------|
| history  | guarded | the past of the files is | .git/ .hg/ .svn/ .bzr/ .jj/                    | .git/HEAD                         |
|          |         | kept there               |                                                | sub/.git/refs/heads/main          |
|          |         |                          |                                                | .hg/dirstate                      |
|          |         |                          |                                                | ! git/x.org                       |
|          |         |                          |                                                | ! .git-blame-ignore-revs          |
|----------+---------+--------------------------+------------------------------------------------+-----------------------------------|
| trust    | guarded | it decides who may come  | .ssh/ .gnupg/ .netrc .aws/ .kube/              | ~/.ssh/authorized_keys            |
|          |         | in                       | .docker/config.json authorized_keys            | ~/.ssh/environment                |
|          |         |                          | known_hosts etc/ssh/ etc/hosts.allow proc/sys/ | /etc/hosts                        |
|          |         |                          | sys/ etc/fstab etc/group etc/pam.d/            | ! hosts.org                       |
|          |         |                          | etc/sudoers.d/ etc/ca-certificates/            |                                   |
|          |         |                          | usr/local/share/ca-certificates/ etc/hosts     |                                   |
|          |         |                          | etc/resolv.conf etc/nsswitch.conf              |                                   |
|          |         |                          | etc/apt/sources.list etc/apt/sources.list.d/   |                                   |
|          |         |                          | etc/apt/trusted.gpg.d/ usr/share/keyrings/     |                                   |
|          |         |                          | .pip/ .config/pip/ etc/pip.conf .condarc       |                                   |
|          |         |                          | .gemrc                                         |                                   |
|----------+---------+--------------------------+------------------------------------------------+-----------------------------------|
| programs | guarded | a program there would be | bin/ sbin/ .local/bin/ usr/local/lib/          | ~/bin/ls                          |
|          |         | run in the place of      | .local/lib/ .cargo/bin/ go/bin/ .npm-global/   | ~/.local/bin/git                  |
|          |         | another                  | .bun/bin/ .deno/bin/ .pyenv/ .nvm/ .rbenv/     | /usr/local/bin/x                  |
|          |         |                          | .asdf/ opt/homebrew/ node_modules/.bin/        | ! cabin/x.org                     |
|          |         |                          | usr/lib/ usr/share/                            | ! binary.org                      |
|----------+---------+--------------------------+------------------------------------------------+-----------------------------------|
| agent    | guarded | it decides what this     | .config/passepartout/ flight-plans.org         | ~/.config/passepartout/config.org |
|          |         | agent may do             | .local/share/passepartout/ .passepartout/      | flight-plans.org                  |
|          |         |                          |                                                | .passepartout/sessions/x.org      |
|          |         |                          |                                                | ! passepartout.org                |
|          |         |                          |                                                | ! config.org                      |
|----------+---------+--------------------------+------------------------------------------------+-----------------------------------|
| machine  | refused | the machine stands on it | etc/passwd etc/shadow etc/gshadow etc/sudoers  | /etc/passwd                       |
|          |         |                          | boot/ dev/sd* dev/hd* dev/vd* dev/xvd*         | /dev/sda                          |
|          |         |                          | dev/nvme* dev/mmcblk* dev/disk/ dev/mapper/    | /boot/vmlinuz                     |
|          |         |                          | dev/dm-* dev/mem dev/kmem dev/port             | /proc/sysrq-trigger               |
|          |         |                          | proc/sysrq-trigger proc/*/mem                  | ! passwd.org                      |
|          |         |                          | etc/ld.so.preload                              | ! /dev/null                       |
`

const own = readRules(
  'write',
  table,
  cells,
  ({ rule, level, why, names }, { match, not }): [string, WriteRule] => [
    rule,
    { level, reason: why, names, match, not },
  ],
)

const running = Object.entries(executedFiles).map(([name, { reason, names, match, not }]) => {
  const rule: WriteRule = { level: 'guarded', reason, names, match, not }
  return [name, rule] as const
})

/** The rules about writing, each with examples that it is held to. */
export const writeRules: Record<string, WriteRule> = Object.fromEntries([...own, ...running])

const index = indexRules(
  Object.entries(writeRules).map(([name, { level, names, reason }]): [string, WriteJudgment] => [
    names,
    { level, rule: `paths.${name}`, reason },
  ]),
)

const order: Record<WriteLevel, number> = { inside: 0, outside: 1, guarded: 2, refused: 3 }

function judgeComponents(components: readonly string[]): WriteJudgment | null {
  const judgments = components.some((part) => hasPattern(part))
    ? possibleRules(components)
    : index.find(components).map(({ value }) => value)
  return judgments.reduce<WriteJudgment | null>(
    (worst, each) => (worst === null || order[each.level] >= order[worst.level] ? each : worst),
    null,
  )
}

function possibleRules(components: readonly string[]): WriteJudgment[] {
  const spelled = components.map((component) =>
    hasPattern(component) && /[^*?\0{}[\]]/.test(component) ? matcherOf(component) : null,
  )
  return index.rules.flatMap(({ parts, below, value }) => {
    const last = components.length - parts.length
    for (let from = below ? 0 : last; from >= 0 && from <= last; from++) {
      const fits = parts.every(({ text, could }, at) => {
        const component = components[from + at] ?? ''
        if (text === component || could?.(component) === true) return true
        return spelled[from + at]?.(text) === true
      })
      if (fits) return [value]
    }
    return []
  })
}

/** What writing to this path, or to what a pattern could become, would be. */
export const judgeWrite: PathReader<WriteJudgment> = perPlaces((path, places) => {
  let worst: WriteJudgment = { level: 'inside', rule: 'paths.inside', reason: 'it is a note' }
  for (const form of pathForms(path, places)) {
    const judgment = judgeForm(form, places)
    if (order[judgment.level] > order[worst.level]) worst = judgment
  }
  return worst
})

function judgeForm(form: string, places: PathPlaces): WriteJudgment {
  if (isBelow(form, places.stateDir)) {
    return { level: 'refused', rule: 'paths.state', reason: 'the approvals are kept there' }
  }
  if ((places.ownFolders ?? []).some((folder) => isBelow(form, folder))) {
    return { level: 'guarded', rule: 'paths.self', reason: 'it is a part of this agent' }
  }
  const judged = judgeComponents(componentsOf(form))
  if (judged !== null) return judged
  if (judgeRead(form, places).level === 'secret') {
    return { level: 'guarded', rule: 'paths.secret', reason: 'it is the place of a secret' }
  }
  if (isBelow(form, places.cwd) || isHarmlessDevice(form)) {
    return { level: 'inside', rule: 'paths.inside', reason: 'it is a note' }
  }
  return { level: 'outside', rule: 'paths.outside', reason: 'it is outside of the memex' }
}

/** Whether a path is this folder or lies in it; case is ignored, as some disks do. */
function isBelow(path: string, folder: string): boolean {
  const [lower, root] = [path.toLowerCase(), folder.toLowerCase()]
  return lower === root || lower.startsWith(root.endsWith('/') ? root : `${root}/`)
}

function isHarmlessDevice(form: string): boolean {
  return /^\/dev\/(null|stdout|stderr|fd\/[12])$/.test(form)
}
