import type { LanguageReader } from './languages.ts'
import { type ProgramRule, readOptions } from './options.ts'
import { readPython } from './python.ts'
import { readSqlite } from './sqlite.ts'
import type { Field } from './words.ts'

type Commands = Record<string, ProgramRule>

const lists = '-aqs -f: -n: --all --filter: --format: --no-trunc --quiet --size --last:'

const containers: Commands = {
  ps: {
    also: 'images|container ls|container list|container ps|image ls|image list|volume ls|network ls|context ls|plugin ls',
    options: `${lists} --digests`,
    operands: 'text',
    match: ['docker ps -a', 'docker images', 'docker volume ls', 'podman ps -q'],
    not: ['docker -H tcp://x ps', 'docker --host=x ps', 'docker run x', 'docker rm x', 'docker'],
  },
  logs: {
    also: 'container logs|compose logs',
    options:
      '-ft -n: --tail: --since: --until: --timestamps --follow --details --no-color --no-log-prefix',
    operands: 'text*',
    match: ['docker logs web --tail 50', 'docker compose logs --since 1h web'],
    not: ['docker exec web sh', 'docker attach web', 'docker compose -f x logs'],
  },
  top: {
    also: 'port|diff|container top|container port|container diff',
    options: '',
    operands: 'text',
    match: ['docker top web', 'docker port web', 'docker diff web'],
    not: ['docker kill web', 'docker cp web:/x .', 'docker commit web'],
  },
  stats: {
    also: 'container stats',
    options: '-a --all --no-stream --no-trunc --format:',
    operands: 'text*',
    needs: '--no-stream',
    match: ['docker stats --no-stream'],
    not: ['docker stop web', 'docker update web'],
  },
  history: {
    also: 'image history',
    options: '-qH --human --no-trunc --quiet --format:',
    operands: 'text',
    match: ['docker history app:1'],
    not: ['docker image rm x', 'docker image prune', 'docker save x'],
  },
  info: {
    also: 'version|system df|system info',
    options: '-v -f: --verbose --format:',
    operands: '',
    match: ['docker info', 'docker version', 'docker system df -v'],
    not: ['docker system prune', 'docker login', 'docker context use x'],
  },
  'volume inspect': {
    also: 'network inspect',
    options: '-v -f: --format:',
    operands: 'text*',
    match: ['docker network inspect bridge'],
    not: ['docker volume rm x', 'docker network create x'],
  },
  'compose ps': {
    also: 'compose ls|compose top|compose images|compose version',
    options: `${lists} --services --status:`,
    operands: 'text*',
    match: ['docker compose ps', 'docker compose ls -a'],
    not: [
      'docker compose up',
      'docker compose down',
      'docker compose config',
      'docker compose run x',
    ],
  },
}

const plainTemplate =
  /^(\{\{ ?(json )?\.(State(\.\w+)*|Name|Id|Created|Image|RestartCount|Platform|NetworkSettings(\.\w+)*|Mounts|HostConfig\.(RestartPolicy(\.\w+)?|NetworkMode|Memory|PortBindings))( ?\}\}))+$/

const inspecting: Commands = {
  inspect: {
    also: 'container inspect',
    options: '-s -f: --format: --size --type:',
    operands: 'text*',
    needs: '-f --format',
    match: [
      "docker inspect -f '{{.State.Status}}' web",
      "docker inspect --format '{{ .NetworkSettings.IPAddress }}' web",
    ],
    not: [
      'docker inspect web',
      "docker inspect -f '{{.Config.Env}}' web",
      "docker inspect -f '{{json .}}' web",
      "docker inspect -f '{{json .Config}}' web",
      "docker inspect -f '{{range .Config.Env}}{{.}}{{end}}' web",
    ],
  },
}

const go: Commands = {
  list: {
    options: '-f: -e -m --json? --deps --test --find',
    operands: 'text*',
    shape: /^[\w./@~-]+$/,
    match: ['go list ./...', "go list -f '{{.Dir}}' std", 'go list -m all', 'go list -json .'],
    not: [
      'go list -toolexec=sh .',
      'go list -export .',
      'go list -mod=mod .',
      'go list -C x .',
      'go list -u -m all',
    ],
  },
  env: {
    options: '',
    operands: 'text*',
    shape:
      /^(GO(PATH|ROOT|OS|ARCH|BIN|CACHE|MOD|MODCACHE|VERSION|WORK|TMPDIR|HOSTOS|HOSTARCH|EXE|TOOLDIR|TOOLCHAIN)|CGO_ENABLED|CC|CXX)$/,
    least: 1,
    match: ['go env GOPATH', 'go env GOOS GOARCH'],
    not: ['go env', 'go env -w GOFLAGS=x', 'go env -u GOPATH', 'go env GOPROXY', 'go env -json'],
  },
  doc: {
    options: '-c -u --all --cmd --short --src',
    operands: 'text text',
    shape: /^[\w./@-]+$/,
    match: ['go doc fmt.Println', 'go doc -all strings'],
    not: ['go doc -http', 'go doc -C x fmt'],
  },
  version: {
    options: '-m -v',
    operands: 'path*',
    match: ['go version', 'go version -m bin/app'],
    not: [
      'go build',
      'go test ./...',
      'go vet',
      'go run x.go',
      'go generate',
      'go mod tidy',
      'go tool x',
    ],
  },
  'mod graph': {
    also: 'mod why',
    options: '-m',
    operands: 'text*',
    shape: /^[\w./@-]+$/,
    match: ['go mod graph', 'go mod why golang.org/x/text'],
    not: ['go mod download', 'go mod edit -json', 'go mod vendor', 'go install x'],
  },
}

const uv: Commands = {
  'cache dir': {
    also: 'python dir|tool dir',
    options: '',
    operands: '',
    match: ['uv cache dir', 'uv tool dir'],
    not: [
      'uv pip install x',
      'uv run x',
      'uv sync',
      'uv tool run x',
      'uv pip list',
      'uv python list',
    ],
  },
}

const conda: Commands = {
  list: {
    also: 'env list|info',
    options: '-e -n: --name: --envs --export --json',
    operands: 'text',
    match: ['conda list', 'conda env list', 'conda info --envs'],
    not: ['conda install x', 'conda run x', 'conda env create', 'conda list --prefix x'],
  },
}

const opam: Commands = {
  list: {
    also: 'switch list',
    options: '-a --installed --all --short',
    operands: 'text',
    match: ['opam list', 'opam switch list'],
    not: ['opam install x', 'opam exec x', 'opam switch create x'],
  },
}

const rpm: Commands = {
  '-q': {
    also: '-qa|-qi|-ql|-qc|-qd|-qR|-qai|-qil|-qv|--query',
    options:
      '-ailcdsRv --all --info --list --configfiles --docfiles --state --requires --provides --changelog ' +
      '--last --queryformat: --qf: --whatprovides: --whatrequires:',
    operands: 'text*',
    match: ['rpm -qa', 'rpm -qi bash', 'rpm -q --changelog bash', 'rpm -qa --last'],
    not: [
      ...['rpm -e x', 'rpm -i x.rpm', 'rpm -Uvh x.rpm', "rpm --eval '%(id)'", "rpm -E '%(id)'"],
      ...['rpm -qp x.rpm', 'rpm -q --pipe sh x', "rpm -q --define '_x %(id)' y", 'rpm -i -q x'],
    ],
  },
  '-qf': {
    also: '-qif|-qlf',
    options: '-il',
    operands: 'name*',
    match: ['rpm -qf /usr/bin/env'],
    not: ['rpm -qf --dbpath /x y', 'rpm -V bash', 'rpm --import k'],
  },
}

function commandReader(commands: Commands, oneDash: boolean): LanguageReader {
  const rules = new Map(
    Object.entries(commands).flatMap(([name, rule]) =>
      [name, ...(rule.also?.split('|') ?? [])].map((each) => [each, rule] as const),
    ),
  )
  return (fields) => {
    const [first, second] = fields.map(plainWord)
    if (first === undefined || first === null) return fields[0]?.value ?? 'nothing behind it'
    const longer = typeof second === 'string' ? rules.get(`${first} ${second}`) : undefined
    const rule = longer ?? rules.get(first)
    if (rule === undefined) return longer === undefined && second ? `${first} ${second}` : first
    const words = fields.slice(longer === undefined ? 1 : 2)
    const found = readOptions(rule, oneDash ? words.map(withTwoDashes) : words)
    if (typeof found === 'string') return found
    const template = found.find(({ option }) => option === '-f' || option === '--format')
    if (rule === inspecting.inspect && !plainTemplate.test(template?.field.value ?? ''))
      return template?.field.value ?? first
    return { found }
  }
}

function withTwoDashes(field: Field): Field {
  return /^-[a-z]{2}/.test(field.value) ? { ...field, value: `-${field.value}` } : field
}

function plainWord({ value, known, varying }: Field): string | null {
  return known && !varying ? value : null
}

const allContainers: Commands = { ...containers, ...inspecting }

const openssl: Commands = {
  x509: {
    options:
      '=-noout =-text =-subject =-issuer =-dates =-enddate =-startdate =-fingerprint =-serial =-sha256 =-in@ =-purpose',
    operands: '',
    needs: '-noout -text',
    match: ['openssl x509 -in server.crt -noout -enddate'],
    not: [
      ...[
        'openssl x509 -in a.crt -out b.crt',
        'openssl x509 -in a -noout -signkey k',
        'openssl s_client',
      ],
      ...[
        'openssl x509 -in ~/.ssh/id_rsa -noout',
        'openssl enc -d -in x',
        'openssl genrsa',
        'openssl req -new',
      ],
    ],
  },
  dgst: {
    options: '=-sha256 =-sha512 =-sha1 =-md5 -r',
    operands: 'path*',
    match: ['openssl dgst -sha256 a.iso'],
    not: ['openssl dgst -sign k a', 'openssl dgst -out x a', 'openssl dgst -engine x a'],
  },
  version: {
    options: '-adv',
    operands: '',
    match: ['openssl version -a'],
    not: ['openssl engine -t', 'openssl rand -writerand x', 'openssl speed'],
  },
}

const tmux: Commands = {
  ls: {
    also: 'list-sessions|list-windows|list-panes',
    options: '-a -t:',
    operands: '',
    match: ['tmux ls', 'tmux list-windows -a'],
    not: ["tmux ls -F '#(id)'", 'tmux new -d x', 'tmux send-keys x', 'tmux -f x ls', 'tmux'],
  },
}

/** The commands of each tool that only look, each with examples. */
export const toolCommands: Record<string, Commands> = {
  docker: allContainers,
  podman: allContainers,
  go,
  uv,
  conda,
  opam,
  rpm,
  openssl,
  tmux,
}

/** The tools that are read by a function, by name. */
export const tools: ReadonlyMap<string, LanguageReader> = new Map<string, LanguageReader>([
  ...Object.entries(toolCommands).map(
    ([name, each]) => [name, commandReader(each, name === 'go')] as const,
  ),
  ['sqlite3', readSqlite],
  ...['python', 'python2', 'python3'].map((name) => [name, readPython] as const),
])

const reasons: [program: RegExp, words: RegExp, reason: string][] = [
  [
    /^g?make$/,
    /(^| )(-[a-z]*n[a-z]*|--dry-run|--just-print|--recon)( |$)/,
    'make runs $(shell …) and the lines that begin with + even when it only shows what it would do',
  ],
  [
    /^(cargo|rustc|rustup)$/,
    /^(--?(help|version)|-[hvV]|version|tree|metadata|locate-project|show)\b/,
    'it is whichever toolchain the project names',
  ],
  [/^(ldd)$/, /^/, 'ldd may start the program that it looks at'],
  [/^(history|fc)$/, /^/, 'it shows what has been typed, and passwords are typed'],
  [/^(env|printenv)$/, /^$/, 'it shows the environment, where keys are kept'],
  [
    /^(docker|podman)$/,
    /^(container )?inspect\b/,
    'it shows the environment that the container was given',
  ],
  [
    /^(pytest|tox|nox|jest|vitest|mocha|eslint|prettier|mypy|poetry|jekyll|rails|ansible|terraform)$/,
    /^(--?(help|version)|-[hvV]|version)$/,
    'it loads the settings and plug-ins of the project before it answers',
  ],
  [
    /^(yarn|bundle|composer|gradle|mvn|rake)$/,
    /^/,
    'it runs what the project names before it answers',
  ],
]

/** Why a command that looks harmless asks, or null when there is nothing to add. */
export function whyAsked(program: string, words: readonly string[]): string | null {
  const text = words.join(' ')
  const known = reasons.find(([name, shape]) => name.test(program) && shape.test(text))
  return known?.[2] ?? null
}
