import {
  argumentsOf,
  type Found,
  type Program,
  programsIn,
  sentence,
  written,
} from '#commands/program'

interface Entry {
  /** The words behind `passepartout`; empty for itself. */
  path: readonly string[]
  /** What may follow: words and options, with what they are about. */
  next: { word: string; about: string }[]
}

function entriesOf(root: Program): Entry[] {
  return programsIn(root).map(({ path, program }) => {
    const { options = {}, programs = [], usage } = program
    const below = programs.map(({ name, summary }) => ({ word: name, about: oneLine(summary) }))
    const among = argumentsOf(usage).flatMap((argument) => argument.among)
    const own = Object.entries(options).map(([name, { about }]) => {
      return { word: `--${name}`, about: oneLine(about) }
    })
    const choices = among.map((word) => ({ word, about: '' }))
    const help = { word: '--help', about: 'print this text' }
    return { path: path.slice(1), next: [...below, ...choices, ...own, help] }
  })
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

function bashScript(entries: readonly Entry[]): string {
  const cases = entries.map(({ path, next }) => {
    const words = next.map(({ word }) => word).join(' ')
    return `    ${quoted(path.join(' '))}) words=${quoted(words)} ;;`
  })
  return `# bash completion for passepartout
_passepartout() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path='' words='' at
  for ((at = 1; at < COMP_CWORD; at++)); do
    [[ "\${COMP_WORDS[at]}" == -* ]] || path="\${path:+$path }\${COMP_WORDS[at]}"
  done
  case "$path" in
${cases.join('\n')}
  esac
  COMPREPLY=()
  [[ -n "$words" ]] && mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  return 0
}
complete -o default -F _passepartout passepartout
`
}

function zshScript(entries: readonly Entry[]): string {
  const cases = entries.map(({ path, next }) => {
    const words = next.map(({ word, about }) => quoted(`${word.replaceAll(':', '\\:')}:${about}`))
    return `    ${quoted(path.join(' '))}) words_of=(${words.join(' ')}) ;;`
  })
  return `#compdef passepartout
_passepartout() {
  local -a words_of before
  before=(\${words[2,CURRENT-1]:#-*})
  case "\${before[*]}" in
${cases.join('\n')}
  esac
  if (( \${#words_of} )); then _describe 'passepartout' words_of; else _files; fi
}
if [ "$funcstack[1]" = _passepartout ]; then _passepartout "$@"; else compdef _passepartout passepartout; fi
`
}

function fishScript(entries: readonly Entry[]): string {
  const fish = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`
  const lines = entries.flatMap(({ path, next }) =>
    next.map(({ word, about }) => {
      const is = `-n ${fish(`__passepartout_at ${path.join(' ')}`.trim())}`
      const what = word.startsWith('--') ? `-l ${word.slice(2)}` : `-f -a ${fish(word)}`
      return `complete -c passepartout ${is} ${what} -d ${fish(about)}`
    }),
  )
  return `# fish completion for passepartout
function __passepartout_at
  set -l words (commandline -opc)
  set -e words[1]
  set -l before (string match -v -- '-*' $words)
  test "$before" = "$argv"
end
${lines.join('\n')}
`
}

const scripts: Record<string, (entries: readonly Entry[]) => string> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
}

/** The completion of this tree for `bash`, `zsh` or `fish`. Throws for others. */
export function completionFor(shell: string, root: Program): string {
  const script = scripts[shell]
  if (script === undefined || !Object.hasOwn(scripts, shell)) {
    throw new Error(`There is completion for ${Object.keys(scripts).join(', ')}.`)
  }
  return script(entriesOf(root))
}

const plain = (text: string): string =>
  oneLine(text)
    .replaceAll('\\', '\\e')
    .replace(
      /[^ -~]/gu,
      (character) =>
        `\\[u${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}]`,
    )
    .replace(/^([.'])/, '\\&$1')

const sections: [string, [string, string][]][] = [
  [
    'ENVIRONMENT',
    [
      ['MEMEX_DIR', 'The folder of your Org files.'],
      ['XDG_STATE_HOME', 'Where the daemon keeps its state, its token and its log.'],
      ['XDG_CONFIG_HOME', 'Where config.org and permissions.org are.'],
      ['NO_COLOR', 'When set, nothing is coloured; nor is what goes into a pipe.'],
    ],
  ],
  [
    'FILES',
    [
      ['~/.local/state/passepartout/daemon.json', 'Where the running daemon is.'],
      ['~/.local/state/passepartout/daemon.log', 'What the daemon has to say.'],
      ['flight-plans.org', 'In your notes: what waits for your yes or no.'],
    ],
  ],
  [
    'EXIT STATUS',
    [
      ['0', 'It was done, or answered.'],
      ['1', 'It could not be done; standard error says why.'],
      ['2', 'The command was not understood.'],
      ['3', 'It needs a yes, was refused, or no daemon is running.'],
      ['130', 'Stopped with Ctrl-C.'],
      ['141', 'Whoever read the output had seen enough.'],
    ],
  ],
]

/** The page for `man`, in mdoc. `date` is a day such as `November 21, 2026`. */
export function manualPage(root: Program, date: string): string {
  const [, ...below] = programsIn(root)
  const commands = below.flatMap(commandLines)
  const rest = sections.flatMap(([title, items]) => [
    `.Sh ${title}`,
    '.Bl -tag -width 4n',
    ...items.flatMap(([term, text]) => [`.It ${macroSafe(term)}`, plain(text)]),
    '.El',
  ])
  return `${[
    `.Dd ${date}`,
    '.Dt PASSEPARTOUT 1',
    '.Os',
    '.Sh NAME',
    '.Nm passepartout',
    `.Nd ${plain(root.summary)}`,
    '.Sh SYNOPSIS',
    '.Nm',
    '.Ar command',
    '.Op Ar options',
    '.Sh DESCRIPTION',
    'The daemon reads your Org files and answers; this command starts it and talks to it.',
    'A model only ever proposes, and what it proposes passes the gates before it is done.',
    'The commands are:',
    '.Bl -tag -width 4n',
    ...commands,
    '.El',
    ...rest,
  ].join('\n')}\n`
}

function commandLines({ path, program }: Found): string[] {
  const { options = {}, summary, usage = '' } = program
  const words = path.slice(1).map(plain).join(' ')
  const lines = Object.entries(options).flatMap(([name, option]) => [
    `.It Li ${macroSafe(written(name, option)).replaceAll('-', '\\-')}`,
    plain(sentence(option.about)),
  ])
  const list = lines.length === 0 ? [] : ['.Bl -tag -width 4n -compact', ...lines, '.El']
  const heading = `.It Nm Cm ${words}${usage === '' ? '' : ` Ar ${macroSafe(usage)}`}`
  return [heading, plain(sentence(summary)), ...list]
}

/** Words as the arguments of a macro, where those that are macros themselves mean nothing. */
function macroSafe(text: string): string {
  return plain(text)
    .split(' ')
    .map((word) => (/^[A-Z][a-z]$/.test(word) ? `\\&${word}` : word.replaceAll('"', '\\(dq')))
    .join(' ')
}
