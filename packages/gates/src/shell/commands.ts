import {
  type Command,
  forEachChild,
  type ParsedScript,
  parse,
  type SyntaxNode,
  type Word,
} from 'unbash'
import { type Field, fieldsOf } from './words.ts'

/** One program that the command line would start, as far as that can be told. */
export interface Run {
  /** The name and the arguments; the name is the first field. */
  argv: Field[]
  /** The last part of the name's path in small letters; empty when it is not known. */
  program: string
  /** The targets of redirections that write, and of those that read. */
  writes: string[]
  reads: string[]
  /** Texts of here-documents and here-strings. */
  inputs: string[]
  /** Pipelines that it is a stage of: their number and its place. */
  stages: readonly { pipeline: number; place: number }[]
  /** Runs whose words it is a substitution in. */
  inside: readonly Run[]
  /** How many texts were unwrapped to find it. */
  depth: number
}

/** What was found in a command line. */
export interface Runs {
  runs: Run[]
  /** A function that calls itself in the background. */
  forkBomb: boolean
  /** Texts within texts went deeper than is looked at. */
  tooDeep: boolean
}

const wrappers = new Set(
  (
    'sudo doas run0 pkexec env nice ionice chrt taskset nohup time timeout xargs parallel command exec ' +
    'builtin stdbuf unbuffer setsid setarch linux32 linux64 busybox toybox chroot unshare nsenter ' +
    'su runuser sg ssh mosh rsh autossh watch find fd fdfind strace ltrace gdb valgrind perf script flock systemd-run eval ' +
    'torify torsocks proxychains proxychains4 firejail bwrap fakeroot fakechroot catchsegv numactl ' +
    'prlimit cgexec ip entr at batch crontab tmux screen dtach abduco docker podman kubectl lxc ' +
    'nix-shell direnv mise asdf npx bunx pnpx uvx pipx rlwrap socat expect dbus-run-session sshpass ' +
    'coproc then do else setpriv capsh faketime hyperfine git make start-stop-daemon daemonize'
  ).split(' '),
)

const shells = new Set(
  (
    'sh bash dash zsh ksh mksh fish ash rbash yash csh tcsh eval source . su sudo doas script watch ' +
    'xargs parallel env ssh mosh rsh autossh trap alias at batch timeout nohup flock busybox screen ' +
    'tmux docker podman kubectl nix-shell expect entr find fd git make ed vim vi ex emacs bwrap chroot'
  ).split(' '),
)

const languages = new Set(
  (
    'python python2 python3 pypy perl ruby node nodejs deno bun lua luajit php awk gawk mawk nawk sed ' +
    'tclsh pwsh powershell osascript rscript julia guile groovy jshell irb ghci'
  ).split(' '),
)

/** Whether a program runs a text that it is given: a shell, or a language. */
export function isInterpreter(program: string): boolean {
  const plain = program.replace(/[\d.]+$/, '')
  return shells.has(program) || languages.has(program) || languages.has(plain)
}

/** Whether a program is a shell in the narrow sense, which runs what it reads from its input. */
export function runsItsInput(program: string): boolean {
  return /^(r?bash|[akdz]?sh|m?ksh|fish|yash|t?csh|source|\.|(python|pypy|perl|ruby|node|php|lua)[\d.]*|at|batch|xargs|parallel|pwsh)$/.test(
    program,
  )
}

const commandVariables =
  /^(PROMPT_COMMAND|PS[0-4]|BASH_ENV|ENV|EDITOR|VISUAL|PAGER|BROWSER|SHELL|LESSOPEN|LESSCLOSE|MANPAGER|RIPGREP_CONFIG_PATH|GIT_\w+|LD_\w+|DYLD_\w+|NODE_OPTIONS|PERL5OPT|PYTHONSTARTUP|RUBYOPT)$/

const depthMax = 4
const runsMax = 2_000

interface Walk extends Runs {
  variables: Map<string, string[]>
  home: string
  pipelines: number
}

interface Place {
  node: SyntaxNode
  stages: Run['stages']
  inside: Run['inside']
}

/** Lists the programs that a parsed command line would start. Total. */
export function readRuns(script: ParsedScript, home: string): Runs {
  const walk: Walk = {
    runs: [],
    forkBomb: false,
    tooDeep: false,
    variables: new Map(),
    home,
    pipelines: 0,
  }
  walkScript(walk, script, { stages: [], inside: [] }, 0)
  return walk
}

function walkScript(
  walk: Walk,
  script: SyntaxNode,
  start: Omit<Place, 'node'>,
  depth: number,
): void {
  const stack: Place[] = [{ ...start, node: script }]
  for (let place = stack.pop(); place !== undefined; place = stack.pop()) {
    const { node, stages } = place
    let inside = place.inside
    if (node.type === 'Function') walk.forkBomb ||= isForkBomb(node.name.value, node.body)
    if (node.type === 'For') remember(walk, node.name.value, node.wordlist ?? [])
    if (node.type === 'Command') {
      const run = addCommand(walk, node, place, depth)
      if (run !== null) inside = [...inside, run]
    }
    const children: Place[] = []
    let stage = 0
    const pipeline = node.type === 'Pipeline' ? ++walk.pipelines : 0
    forEachChild(node, (child) => {
      const next = pipeline === 0 ? stages : [...stages, { pipeline, place: stage++ }]
      children.push({ node: child, stages: next, inside })
    })
    if (walk.runs.length > runsMax) return
    for (const child of children.reverse()) stack.push(child)
  }
}

function remember(walk: Walk, name: string, words: readonly Word[]): void {
  const values = words.flatMap((word) => fieldsOf(word, walk.variables, walk.home))
  const before = walk.variables.get(name) ?? []
  walk.variables.set(name, [...before, ...values.map(({ value }) => value)].slice(0, 16))
}

function isForkBomb(name: string, body: SyntaxNode): boolean {
  const nodes = [body]
  let calls = false
  let background = false
  for (const node of nodes) {
    if (node.type === 'Command' && node.name?.value === name) calls = true
    if ('background' in node && node.background === true) background = true
    forEachChild(node, (child) => {
      nodes.push(child)
    })
  }
  return calls && background
}

function addCommand(walk: Walk, node: Command, place: Place, depth: number): Run | null {
  const run: Run = {
    argv: node.name === undefined ? [] : fieldsOf(node.name, walk.variables, walk.home),
    program: '',
    writes: [],
    reads: [],
    inputs: [],
    stages: place.stages,
    inside: place.inside,
    depth,
  }
  const texts: string[] = []
  for (const part of [...node.prefix, ...node.suffix]) {
    if (part.type === 'Word') run.argv.push(...fieldsOf(part, walk.variables, walk.home))
    else if (part.type === 'Assignment') addAssignment(walk, run, part, texts)
    else addRedirection(walk, run, part)
  }
  if (run.argv.length === 0 && run.writes.length === 0 && texts.length === 0) return null
  addRun(walk, run)
  for (const text of texts) walkText(walk, run, text)
  return run
}

function addAssignment(
  walk: Walk,
  run: Run,
  part: Extract<Command['suffix'][number], { type: 'Assignment' }>,
  texts: string[],
): void {
  const words = part.value.type === 'Word' ? [part.value] : part.value.elements
  remember(walk, part.name, [...words])
  const values = words.flatMap((word) => fieldsOf(word, walk.variables, walk.home))
  for (const field of values) {
    if (run.argv.length > 0) run.argv.push({ ...field, value: `${part.name}=${field.value}` })
    if (run.argv.length > 0 || commandVariables.test(part.name)) texts.push(field.value)
  }
}

function addRedirection(
  walk: Walk,
  run: Run,
  part: Exclude<Command['suffix'][number], { type: 'Word' | 'Assignment' }>,
): void {
  if (part.type === 'HereDoc') {
    run.inputs.push(part.body.text)
    return
  }
  if (part.target === undefined) return
  const targets = fieldsOf(part.target, walk.variables, walk.home).map(({ value }) => value)
  if (part.type === 'HereString') run.inputs.push(...targets)
  else if (part.operator === '<' || part.operator === '<&') run.reads.push(...targets)
  else if (!/^[\d-]+$/.test(targets[0] ?? '')) run.writes.push(...targets)
}

const tailsMax = 40

function addRun(walk: Walk, run: Run): void {
  const name = run.argv[0]
  run.program = name === undefined || name.value.includes('\0') ? '' : programOf(name.value)
  walk.runs.push(run)
  const runsOthers = run.program === '' || (wrappers.has(run.program) && !isMessage(run))
  if (run.argv.length > 1 && runsOthers) {
    for (let start = 1; start < Math.min(run.argv.length, tailsMax); start++) {
      const end = run.argv.findIndex(({ value }, at) => at > start && value === ';')
      const argv = run.argv.slice(start, run.program === 'find' && end !== -1 ? end : undefined)
      const program = programOf(argv[0]?.value ?? '')
      if (/^[a-z.]/.test(program)) walk.runs.push({ ...run, argv, program, inputs: [], writes: [] })
    }
  }
  if (isMessage(run) || !run.argv.some(({ value }) => isInterpreter(programOf(value)))) return
  const texts = run.argv.slice(1).filter(({ value }) => /[\s;|&<>]/.test(value))
  for (const text of [...texts.map(({ value }) => value), ...run.inputs]) walkText(walk, run, text)
}

/** A command of git whose arguments are words for people; with an option before it they are not. */
function isMessage({ program, argv }: Run): boolean {
  return (
    program === 'git' &&
    /^(commit|tag|log|show|grep|stash|notes|merge|add|checkout|switch)$/.test(argv[1]?.value ?? '')
  )
}

/** The last part of a program's path, in small letters: on a disk that ignores case =RM= is =rm=. */
export function programOf(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1).toLowerCase()
}

function walkText(walk: Walk, run: Run, text: string): void {
  if (run.depth >= depthMax) {
    walk.tooDeep = true
    return
  }
  if (walk.runs.length > runsMax) return
  walkScript(walk, parse(text), { stages: run.stages, inside: [...run.inside, run] }, run.depth + 1)
}

/** Whether one run's output goes into another: through a pipe, or as a substitution in its words. */
export function feeds(source: Run, target: Run): boolean {
  if (source.inside.includes(target)) return true
  return source.stages.some(({ pipeline, place }) =>
    target.stages.some((stage) => stage.pipeline === pipeline && stage.place > place),
  )
}

/** Texts that are printed in a line where something runs what it reads, as commands of their own. */
export function readPrinted(found: Runs, home: string): Run[] {
  if (!found.runs.some(({ program }) => runsItsInput(program))) return []
  const printers = found.runs.filter(({ program }) => /^(echo|printf|cat|tee)$/.test(program))
  const texts = printers.flatMap(({ argv, inputs }) => [
    ...argv.slice(1).map(({ value }) => value),
    argv
      .slice(1)
      .map(({ value }) => value)
      .join(' '),
    ...inputs,
  ])
  const commands = texts.filter((text) => /\s/.test(text)).slice(0, 20)
  return commands.flatMap((text) => readRuns(parse(text.replaceAll('\\n', '\n')), home).runs)
}
