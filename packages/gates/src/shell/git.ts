import { type Argument, type OptionRule, type ProgramRule, readOptions } from './options.ts'
import type { Field } from './words.ts'

const diffOptions =
  '-pusRabwWBMCDzc -U: -S: -G: -l: -M? -C? -B? -X? --patch --no-patch --unified: --raw --minimal --patience ' +
  '--histogram --diff-algorithm: --stat? --numstat --shortstat --dirstat? --summary --name-only ' +
  '--name-status --submodule? --color? --no-color --color-words? --word-diff? --word-diff-regex: ' +
  '--no-renames --check --full-index --binary --abbrev? --find-renames? --find-copies? --diff-filter: ' +
  '--pickaxe-all --pickaxe-regex --text --ignore-space-at-eol --ignore-space-change --ignore-all-space ' +
  '--ignore-blank-lines --inter-hunk-context: --function-context --exit-code --quiet --no-ext-diff ' +
  '--no-textconv --ignore-submodules? --src-prefix: --dst-prefix: --no-prefix --relative? --cached ' +
  '--staged --merge-base --no-commit-id --patch-with-stat --compact-summary --ignore-cr-at-eol --color-moved?'

const logOptions =
  `${diffOptions} -n: -i -E -F -P -L: -g -m -r -t -# --max-count: --skip: --since: --after: --until: --before: ` +
  '--author: --committer: --grep: --all-match --invert-grep --regexp-ignore-case --basic-regexp ' +
  '--extended-regexp --fixed-strings --perl-regexp --merges --no-merges --first-parent --all --branches? ' +
  '--tags? --remotes? --glob: --exclude: --boundary --simplify-by-decoration --full-history --reverse ' +
  '--graph --no-graph --decorate? --no-decorate --source --oneline --pretty? --format: --abbrev-commit ' +
  '--no-abbrev-commit --date: --relative-date --parents --children --left-right --cherry-pick --cherry ' +
  '--walk-reflogs --follow --topo-order --date-order --author-date-order --notes? ' +
  '--no-notes --cc --combined-all-paths --no-walk --stdin-none --show-pulls --left-only --right-only'

const everyday: Record<string, ProgramRule> = {
  status: {
    options:
      '-sbvz -u? --short --branch --porcelain? --long --ignored? --untracked-files? --show-stash --ahead-behind --no-ahead-behind --no-renames --renames --verbose --column? --no-column --ignore-submodules?',
    operands: 'name*',
    match: [
      'git status',
      'git status -sb',
      'git status --porcelain=v2',
      'git --no-pager status',
      'git -C sub status',
    ],
    not: [
      'git -c core.fsmonitor=x status',
      'git --exec-path=/tmp status',
      'git --git-dir=x status',
      'git --work-tree=/ status',
      'git -c core.pager=sh -p status',
    ],
  },
  log: {
    also: 'show whatchanged',
    options: `${logOptions} --summary`,
    operands: 'revision*',
    match: [
      'git log --oneline -20',
      'git log -p -- a.org',
      'git show HEAD~1:a.org',
      'git show --stat',
      'git log --author=ann --since=2.days',
    ],
    not: [
      'git log --output=x',
      'git log --ext-diff',
      'git log --show-signature',
      'git show --textconv HEAD',
      'git log --outp=x',
      'git show HEAD --output x',
      'git log -O x',
    ],
  },
  diff: {
    also: 'diff-tree diff-index diff-files range-diff',
    options: `${diffOptions} -r -t -m -1 -2 -3 -0 --no-index --root --stdin-none --base --ours --theirs`,
    operands: 'revision*',
    match: [
      'git diff',
      'git diff --stat HEAD~3',
      'git diff main..dev -- a b',
      'git diff --cached',
      'git diff --no-index a b',
    ],
    not: ['git diff --ext-diff', 'git diff --output=x', 'git diff -Ox', 'git diff --orderfile=x'],
  },
}

const names: Record<string, ProgramRule> = {
  branch: {
    options:
      '-arvl --list --all --remotes --show-current --verbose --sort: --format: --column? --color? --no-color --abbrev? --contains? --no-contains? --merged? --no-merged? --points-at: --ignore-case',
    operands: 'text*',
    lists: '-l --list --contains --no-contains --merged --no-merged',
    match: [
      'git branch',
      'git branch -a',
      'git branch -vv',
      'git branch --merged main',
      'git branch --show-current',
    ],
    not: [
      'git branch new',
      'git branch -D old',
      'git branch -m a b',
      'git branch --edit-description',
      'git branch -u origin/x',
      'git branch -f a b',
    ],
  },
  tag: {
    options:
      '-li -n? --list --sort: --format: --contains? --no-contains? --merged? --no-merged? --points-at: --column? --color? --ignore-case',
    operands: 'text*',
    lists: '-l --list -n --contains --merged --no-merged --points-at',
    match: ['git tag', 'git tag -l v1*', 'git tag --sort=-creatordate'],
    not: ['git tag v1', 'git tag -d v1', 'git tag -a v1', 'git tag -s v1'],
  },
  remote: {
    options: '-v --verbose',
    operands: 'text text',
    shape: /^(get-url|origin|upstream|[\w-]+)$/,
    match: ['git remote', 'git remote -v', 'git remote get-url origin'],
    not: [
      'git remote add x y',
      'git remote set-url origin x',
      'git remote rm x',
      'git remote update',
      'git remote show origin',
      'git remote prune origin',
    ],
  },
  stash: {
    options: `${logOptions} --include-untracked`,
    operands: 'text text',
    match: ['git stash list', 'git stash show -p'],
    not: [
      'git stash',
      'git stash pop',
      'git stash drop',
      'git stash push',
      'git stash clear',
      'git stash show --ext-diff',
    ],
  },
}

const settings: Record<string, ProgramRule> = {
  config: {
    options:
      '-lz --get --get-all --get-regexp --list --show-origin --show-scope --global --local --system --worktree --name-only --type: --bool --int --path --null',
    operands: 'text text',
    lists: '--get --get-all --get-regexp',
    match: [
      'git config --get user.name',
      'git config --list',
      'git config --global --get user.email',
      'git config user.email',
    ],
    not: [
      'git config user.name x',
      'git config core.pager sh',
      'git config edit',
      'git config credential.helper',
      'git config --unset x',
      'git config -e',
      'git config --add a b',
      'git config -f x --list',
      'git config --file x -l',
      'git config --get credential.helper',
      'git config --get-regexp token',
    ],
  },
  reflog: {
    options: logOptions,
    operands: 'text revision',
    match: ['git reflog', 'git reflog show HEAD', 'git reflog -10'],
    not: ['git reflog expire --all', 'git reflog delete HEAD@{1}', 'git reflog drop x'],
  },
  worktree: {
    options: '-vz --porcelain',
    operands: 'text',
    shape: /^list$/,
    least: 1,
    match: ['git worktree list'],
    not: ['git worktree add x', 'git worktree', 'git worktree prune'],
  },
  submodule: {
    options: '--cached --recursive',
    operands: 'text',
    shape: /^(status|summary)$/,
    match: ['git submodule', 'git submodule status'],
    not: [
      'git submodule update',
      'git submodule foreach x',
      'git submodule init',
      'git submodule add x',
    ],
  },
  notes: {
    options: '',
    operands: 'text text',
    match: ['git notes list', 'git notes show HEAD'],
    not: ['git notes add', 'git notes', 'git notes remove HEAD'],
  },
  bisect: {
    options: '',
    operands: 'text',
    shape: /^(log|view)$/,
    least: 1,
    match: ['git bisect log'],
    not: ['git bisect run make', 'git bisect start', 'git bisect reset'],
  },
}

const plumbing: Record<string, ProgramRule> = {
  'rev-parse': {
    options:
      '-q --short? --verify --quiet --abbrev-ref? --symbolic --symbolic-full-name --all --branches? --tags? --remotes? --show-toplevel --show-prefix --show-cdup --git-dir --absolute-git-dir --git-common-dir --is-inside-work-tree --is-inside-git-dir --is-bare-repository --is-shallow-repository --show-superproject-working-tree --path-format: --git-path: --revs-only --no-revs --show-object-format',
    operands: 'revision*',
    match: [
      'git rev-parse HEAD',
      'git rev-parse --show-toplevel',
      'git rev-parse --abbrev-ref HEAD',
    ],
    not: [
      'git rev-parse --parseopt',
      'git rev-parse --sq-quote x',
      'git rev-parse --resolve-git-dir x',
    ],
  },
  describe: {
    options:
      '--tags --always --dirty? --abbrev? --long --exact-match --all --contains --match: --exclude: --first-parent --candidates:',
    operands: 'revision*',
    match: ['git describe --tags --always'],
    not: ['git describe --unknown'],
  },
  blame: {
    also: 'annotate',
    options:
      '-wesltfnpcb -L: -M? -C? -S: --porcelain --line-porcelain --date: --since: --reverse --ignore-rev: --first-parent --show-stats --abbrev: --color-lines --color-by-age --show-email --root --incremental',
    operands: 'revision*',
    match: ['git blame -L 1,5 a.org', 'git blame a'],
    not: ['git blame --contents x a', 'git blame --ignore-revs-file=x a'],
  },
}

const files: Record<string, ProgramRule> = {
  'ls-files': {
    options:
      '-cdomiksvtuzf --cached --deleted --others --modified --ignored --stage --exclude-standard --full-name --error-unmatch --unmerged --killed --directory --no-empty-directory --eol --deduplicate --abbrev? --exclude: -x:',
    operands: 'name*',
    match: ['git ls-files', 'git ls-files -o --exclude-standard'],
    not: [
      'git ls-files -X x',
      'git ls-files --exclude-from=x',
      'git ls-files --recurse-submodules=x',
    ],
  },
  'ls-tree': {
    options:
      '-drtlz --name-only --name-status --full-name --full-tree --abbrev? --long --object-only --format:',
    operands: 'revision*',
    match: ['git ls-tree -r HEAD --name-only'],
    not: ['git ls-tree --unknown'],
  },
  shortlog: {
    options:
      '-nsec -w? --numbered --summary --email --group: --committer --format: --since: --until: --after: --before: --author: --all --no-merges --grep:',
    operands: 'revision*',
    match: ['git shortlog -sn', 'git shortlog -s HEAD~5..'],
    not: ['git shortlog --output=x'],
  },
  'cat-file': {
    options: '-ptse --batch-check',
    operands: 'revision revision',
    match: ['git cat-file -p HEAD:a', 'git cat-file -t HEAD'],
    not: [
      'git cat-file --filters HEAD:a',
      'git cat-file --textconv HEAD:a',
      'git cat-file --batch',
    ],
  },
  'show-ref': {
    options:
      '-dsqh --head --heads --tags --branches --dereference --hash? --verify --abbrev? --quiet',
    operands: 'text*',
    match: ['git show-ref --heads'],
    not: ['git show-ref --exclude-existing'],
  },
}

const references: Record<string, ProgramRule> = {
  'for-each-ref': {
    options:
      '--format: --sort: --count: --contains? --merged? --no-merged? --points-at: --ignore-case --color? --exclude:',
    operands: 'text*',
    match: ['git for-each-ref --sort=-committerdate refs/heads'],
    not: ['git for-each-ref --stdin', 'git for-each-ref --shell'],
  },
  'rev-list': {
    options: `${logOptions} --count --objects --max-age: --min-age: --timestamp --header`,
    operands: 'revision*',
    match: ['git rev-list --count HEAD'],
    not: ['git rev-list --stdin', 'git rev-list --disk-usage=x'],
  },
  'symbolic-ref': {
    options: '-q --short --quiet',
    operands: 'text',
    match: ['git symbolic-ref HEAD', 'git symbolic-ref --short HEAD'],
    not: [
      'git symbolic-ref HEAD refs/heads/x',
      'git symbolic-ref -d HEAD',
      'git symbolic-ref -m x HEAD',
    ],
  },
  'show-branch': {
    options: '-ar --all --remotes --current --topo-order --list --color? --no-color',
    operands: 'revision*',
    match: ['git show-branch', 'git show-branch main dev'],
    not: ['git show-branch --reflog=x'],
  },
  'merge-base': {
    also: 'name-rev cherry count-objects var-none',
    options:
      '-avHh --all --octopus --is-ancestor --fork-point --independent --name-only --tags --human-readable --verbose',
    operands: 'revision*',
    match: ['git merge-base main dev', 'git count-objects -vH', 'git cherry -v main'],
    not: ['git name-rev --stdin'],
  },
  grep: {
    options:
      '-aiIhHEGFPnlLzcopqwWvr -e: -A: -B: -C: -m: --and --or --not --cached --untracked --text --ignore-case --word-regexp --invert-match --full-name --extended-regexp --fixed-strings --perl-regexp --line-number --column --files-with-matches --name-only --count --color? --no-color --break --heading --show-function --context: --all-match --quiet --max-depth: --recursive --no-recursive --threads: --max-count: --only-matching -#',
    operands: 'pattern revision*',
    instead: '-e',
    match: ['git grep -n TODO', 'git grep -e a --and -e b', 'git grep x HEAD -- src'],
    not: [
      'git grep -O x',
      'git grep -Osh x',
      'git grep --open-files-in-pager=sh x',
      'git grep --open=sh x',
      'git grep -f x',
      'git grep --no-index x /',
      'git grep --textconv x',
    ],
  },
}

const checks: Record<string, ProgramRule> = {
  'check-ignore': {
    also: 'check-attr check-mailmap',
    options: '-vnqaz --verbose --non-matching --quiet --all --no-index',
    operands: 'text*',
    match: ['git check-ignore -v a'],
    not: ['git check-ignore --stdin'],
  },
  fsck: {
    options:
      '--full --strict --no-dangling --connectivity-only --verbose --unreachable --no-progress',
    operands: '',
    match: ['git fsck'],
    not: ['git fsck --lost-found'],
  },
  version: {
    options: '--build-options',
    operands: '',
    match: ['git version'],
    not: ['git version x'],
  },
  'verify-commit': {
    also: 'verify-tag',
    options: '-v --raw --verbose',
    operands: 'text*',
    match: [],
    not: ['git verify-commit --unknown'],
  },
}

/** The commands of git that only look, each with examples. */
export const gitCommands: Record<string, ProgramRule> = {
  ...everyday,
  ...names,
  ...settings,
  ...plumbing,
  ...files,
  ...references,
  ...checks,
}

const commands: ReadonlyMap<string, ProgramRule> = new Map(
  Object.entries(gitCommands)
    .filter(([, rule]) => rule.match.length > 0)
    .flatMap(([name, rule]) =>
      [name, ...(rule.also?.split(' ') ?? [])].map((each) => [each, rule] as const),
    ),
)

/** The commands of git whose first operand says what to do, with the words that only look. */
const firstWords: Record<string, RegExp> = {
  stash: /^(list|show)$/,
  reflog: /^(show|list|exists|HEAD.*|[\w/.-]*@\{.*)$/,
  remote: /^get-url$/,
  notes: /^(list|show)$/,
}

const beforeRule: OptionRule = {
  options: '--no-pager -P --no-optional-locks --literal-pathspecs --no-replace-objects',
  operands: '',
}

/** The rule of a command of git, or null when it is not understood. */
export function gitRuleOf(command: string): OptionRule | null {
  return commands.get(command) ?? null
}

const harmlessSettings =
  /^(color\.\w+|core\.quotepath|log\.\w+|diff\.(noprefix|renames|context)|column\.\w+|advice\.\w+)=[\w-]+$|^core\.pager=(cat)?$/i

/** Commands of git that have a page in the manual, besides those that look. */
const documented = new Set(
  (
    'add am apply archive bisect branch checkout cherry-pick clean clone commit config fetch format-patch gc init merge ' +
    'mv notes pull push rebase remote reset restore revert rm stash submodule switch tag worktree everyday glossary'
  ).split(' '),
)

function isHelp(words: readonly Field[]): boolean {
  const [first, second, ...more] = words.map(({ value, known }) => (known ? value : ''))
  if (more.length > 0) return false
  const has = (name: string | undefined) => commands.has(name ?? '') || documented.has(name ?? '')
  if (first === 'help') return second === undefined || /^-[ag]$/.test(second) || has(second)
  return second === '--help' && has(first)
}

/** The arguments with their roles, or the word that is not understood. */
export function readGit(fields: readonly Field[]): { found: Argument[] } | string {
  let index = 0
  const found: Argument[] = []
  for (; fields[index]?.value.startsWith('-') === true; index++) {
    const field = fields[index] as Field
    if (field.value === '-C') {
      const folder = fields[++index]
      if (folder === undefined || folder.splits || !folder.known) return field.value
      found.push({ role: 'name', field: folder, option: '-C' })
    } else if (field.value === '-c') {
      const setting = fields[++index]
      if (setting?.known !== true || !harmlessSettings.test(setting.value)) return field.value
    } else if (field.value === '--version') return { found }
    else if (typeof readOptions(beforeRule, [field]) === 'string') return field.value
  }
  const command = fields[index]
  if (command === undefined || !command.known || command.varying) return command?.value ?? 'git'
  if (isHelp(fields.slice(index))) return { found }
  const rule = commands.get(command.value)
  if (rule === undefined) return command.value
  if (command.value === 'config' && isSetting(fields.slice(index + 1))) return { found }
  const roles = readOptions(rule, fields.slice(index + 1))
  if (typeof roles === 'string') return roles
  const objection = objectionTo(command.value, roles)
  return objection ?? { found: [...found, ...roles] }
}

/** One name and no more shows the setting of that name. */
function isSetting([name, ...more]: readonly Field[]): boolean {
  if (name === undefined || more.length > 0 || !name.known || name.varying || name.glob)
    return false
  return /^[a-z]+\.[a-z]+$/i.test(name.value) && !secretNames.test(name.value)
}

const secretNames = /token|password|secret|header|credential|\*/i

function objectionTo(command: string, roles: readonly Argument[]): string | null {
  const operands = roles.filter(({ option }) => option === null)
  const first = operands[0]?.field
  const words = firstWords[command]
  if (words !== undefined) {
    if (first === undefined && /^(stash|notes)$/.test(command)) return command
    if (first !== undefined && (!first.known || !words.test(first.value))) return first.value
  }
  if (command === 'remote' && operands.length === 1) return first?.value ?? command
  if (command !== 'config') return null
  const secret = operands.find(({ field }) => !field.known || secretNames.test(field.value))
  return secret?.field.value ?? null
}
