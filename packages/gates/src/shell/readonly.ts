import {
  type Assignment,
  type Command,
  forEachChild,
  type ParsedScript,
  type Redirection,
  type Statement,
  type SyntaxNode,
  type TestExpression,
  type Word,
} from 'unbash'
import { expandPath, type PathPlaces } from '../paths/paths.ts'
import { canReachSecret } from '../paths/secret.ts'
import { readGit } from './git.ts'
import { isHarmlessSetting, languages, type Understood } from './languages.ts'
import { type ProgramRule, readOptions } from './options.ts'
import { isNeedle, isPrintedNumber, opaque, printedBy } from './printed.ts'
import { firstWords, isAboutVersion, programs } from './programs.ts'
import { judgeArgument, judgeName, judgeWalk } from './read-arguments.ts'
import {
  type Doubt,
  doubt,
  fedBy,
  first,
  inBranch,
  inLoop,
  isPlainName,
  isReached,
  newReader,
  placesAt,
  printedFor,
  type Reader,
  remember,
  remembered,
  stageOf,
  wordFields,
} from './reader-state.ts'
import { tools, whyAsked } from './tools.ts'
import { type Field, plainField } from './words.ts'

const depthMax = 20
const foldersMax = 4

/** The first thing in a command line that is not understood, or null when it only looks. */
export function findDoubt(script: ParsedScript, places: PathPlaces): Doubt | null {
  if (script.commands.length === 0) return doubt('empty', 'there is no command')
  return readStatements(newReader(places), script.commands)
}

function readStatements(reader: Reader, statements: readonly Statement[]): Doubt | null {
  return first(statements, (statement) => {
    if (statement.background === true) return doubt('background', 'it runs in the background')
    return readNode(reader, statement.command)
  })
}

function readNode(reader: Reader, node: SyntaxNode): Doubt | null {
  if (reader.depth > depthMax) return doubt('nested', 'it is nested too deep')
  reader.depth++
  try {
    return readKind(reader, node)
  } finally {
    reader.depth--
  }
}

function readKind(reader: Reader, node: SyntaxNode): Doubt | null {
  switch (node.type) {
    case 'Command':
      return readCommand(reader, node)
    case 'Pipeline':
      return readPipeline(reader, node.commands)
    case 'AndOr':
      return inBranch(reader, () => first(node.commands, (each) => readNode(reader, each)))
    case 'Subshell':
    case 'BraceGroup':
      return inBranch(reader, () => readStatements(reader, node.body.commands))
    case 'If':
      return inBranch(reader, () =>
        first(
          [
            node.clause,
            node.then,
            ...node.elif.flatMap((each) => [each.clause, each.then]),
            ...(node.else === undefined ? [] : [node.else]),
          ],
          (list) => readStatements(reader, list.commands),
        ),
      )
    case 'For':
      return readFor(reader, node)
    case 'While':
      return readWhile(reader, node)
    case 'Case':
      return readCase(reader, node)
    case 'TestCommand':
      return readTest(reader, node.expression)
    case 'Redirected':
      return (
        first(node.redirects, (each) => readRedirection(reader, each)) ??
        fedBy(reader, node.redirects, () => readNode(reader, node.command))
      )
    default:
      return doubt('statement', `it contains what is not understood, a ${node.type}`)
  }
}

function readPipeline(reader: Reader, commands: readonly SyntaxNode[]): Doubt | null {
  const { incoming, fed } = reader
  const found = inBranch(reader, () =>
    first(commands, (each) => {
      reader.own = []
      const doubtful = readNode(reader, each)
      reader.incoming = [...reader.incoming, stageOf(reader, each)]
      reader.fed = false
      return doubtful
    }),
  )
  reader.printed = reader.incoming.slice(incoming.length)
  reader.incoming = incoming
  reader.fed = fed
  return found
}

function readFor(reader: Reader, node: Extract<SyntaxNode, { type: 'For' }>): Doubt | null {
  const name = node.name.value
  if (!isPlainName(name) || node.wordlist === undefined)
    return doubt('variable', `the loop over ${name} is not understood`)
  const nested = first(node.wordlist, (word) => readSubstitutions(reader, word))
  if (nested !== null) return nested
  const fields = node.wordlist.flatMap((word) => wordFields(reader, word))
  const doubtful = fields.find((field) => field.doubtful)
  if (doubtful !== undefined) return doubt('variable', `what ${name} will be is not known`)
  const isKnown = fields.every(({ known, glob }) => known || glob)
  reader.variables.set(name, isKnown ? [...fields.map(remembered), ''] : 'data')
  return inLoop(reader, () => readStatements(reader, node.body.commands))
}

function readWhile(reader: Reader, node: Extract<SyntaxNode, { type: 'While' }>): Doubt | null {
  const [clause, ...more] = node.clause.commands
  if (node.kind !== 'while' || more.length > 0 || clause?.command.type !== 'Command') {
    return doubt('loop', 'when the loop ends is not known')
  }
  const command = clause.command
  if (command.name?.text !== 'read') return doubt('loop', 'when the loop ends is not known')
  if (
    command.prefix.some(
      (part) =>
        part.type !== 'Assignment' ||
        !/^IFS=[,:;\t ]?$/.test(part.text.replace(/['"]|\$'\\t'/g, '')),
    )
  ) {
    return doubt('loop', 'the loop is not understood')
  }
  const names: string[] = []
  for (const part of command.suffix) {
    if (part.type !== 'Word' || !(part.text === '-r' || isPlainName(part.text))) {
      return doubt('loop', 'the loop is not understood')
    }
    if (part.text !== '-r') names.push(part.text)
  }
  const printed = names.length === 1 ? printedFor(reader, reader.incoming) : null
  for (const name of names) reader.variables.set(name, printed === null ? 'data' : [...printed])
  return inLoop(reader, () => readStatements(reader, node.body.commands))
}

function readCase(reader: Reader, node: Extract<SyntaxNode, { type: 'Case' }>): Doubt | null {
  const words = [node.word, ...node.items.flatMap((item) => item.pattern)]
  const found =
    first(words, (word) => readSubstitutions(reader, word)) ??
    first(wordFields(reader, node.word), (field) =>
      field.doubtful ? doubt('variable', 'the value of a variable is not known') : null,
    )
  if (found !== null) return found
  return inBranch(reader, () =>
    first(node.items, (item) => readStatements(reader, item.body.commands)),
  )
}

const numericTests = /^-(eq|ne|lt|le|gt|ge)$/

function readTest(reader: Reader, test: TestExpression): Doubt | null {
  if (test.type === 'TestLogical') {
    const plain = test.operands.every(
      (each) => each.type === 'TestUnary' && each.operand.pos > each.pos,
    )
    if (!plain) return doubt('test', 'shells disagree about what this test means')
    return first(test.operands, (each) => readTest(reader, each))
  }
  if (test.type === 'TestNot') return readTest(reader, test.operand)
  if (test.type !== 'TestUnary' && test.type !== 'TestBinary') {
    return doubt('test', 'shells disagree about what this test means')
  }
  const words = test.type === 'TestUnary' ? [test.operand] : [test.left, test.right]
  const isUnary = test.type === 'TestUnary'
  if (
    isUnary
      ? !/^-[abcdefghkLnNOGprsStuwxz]$/.test(test.operator)
      : !/^(=|==|!=|-nt|-ot|-ef)$/.test(test.operator) && !numericTests.test(test.operator)
  ) {
    return doubt('test', `the test ${test.operator} is not understood`)
  }
  const nested = first(words, (word) => readSubstitutions(reader, word))
  if (nested !== null) return nested
  const role = isUnary && !/^-[nz]$/.test(test.operator) ? 'name' : 'text'
  return first(
    words.flatMap((word) => wordFields(reader, word)),
    (field) => {
      if (
        numericTests.test(test.operator) &&
        !/^-?\d+$/.test(field.value) &&
        !isPrintedNumber(field)
      ) {
        return doubt('arithmetic', 'a shell evaluates what is compared as a number')
      }
      return judgeArgument(reader, '[[', { role, field: { ...field, splits: false }, option: null })
    },
  )
}

function readSubstitutions(reader: Reader, root: SyntaxNode): Doubt | null {
  if (root.type === 'Word' && root.parts === undefined) return null
  const nodes = [root]
  for (const node of nodes) {
    if (node.type === 'AnsiCQuoted' && /\\['"]/.test(node.text)) {
      return doubt('quotes', 'shells disagree about where these quotes end')
    }
    if (node.type === 'CommandExpansion' || node.type === 'ProcessSubstitution') {
      if (node.script === undefined || (node.script.errors?.length ?? 0) > 0)
        return doubt('syntax', 'a substitution cannot be read')
      if (node.type === 'ProcessSubstitution' && node.operator !== '<')
        return doubt('statement', 'it writes into a command')
      const { commands } = node.script
      const found = inBranch(reader, () => readNested(reader, commands))
      if (found !== null) return found
      if (commands.length === 1) remember(reader, node)
      continue
    }
    forEachChild(node, (child) => {
      nodes.push(child)
    })
  }
  return null
}

function readNested(reader: Reader, commands: readonly Statement[]): Doubt | null {
  if (reader.depth > depthMax) return doubt('nested', 'it is nested too deep')
  reader.depth++
  const { incoming, own, fed } = reader
  reader.incoming = []
  reader.own = []
  reader.fed = false
  const found = readStatements(reader, commands)
  const [command] = commands
  const isSingle = command?.command.type === 'Command' && commands.length === 1
  if (isSingle) reader.printed = [stageOf(reader, command.command)]
  else if (command?.command.type !== 'Pipeline') reader.printed = [opaque]
  reader.incoming = incoming
  reader.own = own
  reader.fed = fed
  reader.depth--
  return found
}

function readAssignment(reader: Reader, part: Assignment): Doubt | null {
  if (!isPlainName(part.name) || part.index !== undefined || part.value.type !== 'Word') {
    return doubt('variable', `setting ${part.name} may change what programs do`)
  }
  if (reader.loops > 0) return doubt('variable', `${part.name} changes in a loop`)
  const nested = readSubstitutions(reader, part.value)
  if (nested !== null) return nested
  const fields = wordFields(reader, part.value)
  const [field] = fields
  if (fields.some(({ doubtful }) => doubtful))
    return doubt('variable', `what ${part.name} will be is not known`)
  const isSure =
    field?.known === true && fields.length === 1 && part.append !== true && reader.branches === 0
  const isPrinted =
    part.append !== true && reader.branches === 0 && fields.every((each) => each.glob || each.known)
  if (isPrinted && !isSure) reader.variables.set(part.name, fields.map(remembered))
  else reader.variables.set(part.name, isSure ? [field.value] : 'data')
  return null
}

function readRedirection(reader: Reader, part: Redirection): Doubt | null {
  if (part.descriptor?.type === 'FileDescriptorVariable')
    return doubt('redirection', 'it opens a file of its own')
  if (part.type === 'HereDoc') {
    const { parts } = part.body
    if (parts === undefined) return null
    const word = { type: 'Word', text: '', value: '', pos: part.pos, end: part.end, parts } as const
    return readText(reader, word)
  }
  if (part.target === undefined) return doubt('syntax', 'a redirection leads nowhere')
  if (part.type === 'HereString') return readText(reader, part.target)
  const nested = readSubstitutions(reader, part.target)
  if (nested !== null) return nested
  const fields = wordFields(reader, part.target)
  if (part.operator === '<') {
    return first(fields, (field) =>
      judgeArgument(reader, 'redirection', { role: 'path', field, option: null }),
    )
  }
  const [field, ...more] = fields
  if (field === undefined || more.length > 0 || !field.known)
    return doubt('redirection', 'where a redirection leads is not known')
  if (/^[<>]&$/.test(part.operator) && /^(\d|-)$/.test(field.value)) return null
  if (
    /^(>|>>|>\||&>|&>>|>&)$/.test(part.operator) &&
    /^\/dev\/(null|stdout|stderr)$/.test(field.value)
  )
    return null
  return doubt('write', `it writes to ${field.value}`)
}

function readText(reader: Reader, word: Word): Doubt | null {
  const nested = readSubstitutions(reader, word)
  if (nested !== null) return nested
  const unknown = wordFields(reader, word).some(({ doubtful }) => doubtful)
  return unknown ? doubt('variable', 'it may show the value of a secret variable') : null
}

function readCommand(reader: Reader, node: Command): Doubt | null {
  const found = first(node.redirects, (part) => readRedirection(reader, part))
  if (found !== null) return found
  const joined = node.redirects.find((part) => 'operator' in part && part.operator.startsWith('&>'))
  if (joined !== undefined && node.args.some(({ pos }) => pos > joined.pos)) {
    return doubt('redirection', 'some shells run what stands behind this redirection')
  }
  const settings = node.prefix.filter((part) => part.type === 'Assignment')
  if (node.name === undefined) return first(settings, (part) => readAssignment(reader, part))
  const set = settings.find(({ name, value }) => {
    const known = value.type === 'Word' ? wordFields(reader, value) : []
    return (
      known.length !== 1 ||
      known[0]?.known !== true ||
      !isHarmlessSetting(`${name}=${known[0].value}`)
    )
  })
  if (set !== undefined) return doubt('variable', `setting ${set.name} may change what programs do`)
  const argv: Field[] = []
  for (const word of [node.name, ...node.args]) {
    const read = word.type === 'Word' ? word : word.value
    if (read.type !== 'Word') return doubt('statement', 'a list is given as an argument')
    const nested = readSubstitutions(reader, read)
    if (nested !== null) return nested
    const fields = wordFields(reader, read)
    argv.push(
      ...(word.type === 'Word'
        ? fields
        : fields.map((field) => ({ ...field, value: `${word.name}=${field.value}` }))),
    )
  }
  reader.own = []
  return fedBy(reader, node.redirects, () => readArgv(reader, argv))
}

function readArgv(reader: Reader, argv: readonly Field[]): Doubt | null {
  const [name, ...args] = argv
  if (name === undefined) return doubt('empty', 'there is no command')
  if (!name.known || name.varying || name.value === '')
    return doubt('expansion', 'what will be run is not known')
  const program = programIn(name.value)
  if (program === null) return doubt('unknown-program', `${name.value} is not known`)
  if (program === 'cd') return readCd(reader, args)
  if (program === 'set')
    return args.every(({ value }) => /^-[eux]*o?$|^pipefail$/.test(value)) && args.length > 0
      ? null
      : doubt('unknown-option', 'set shows or changes the shell')
  if (program === 'export')
    return args.every(({ known, value }) => known && isHarmlessSetting(value)) && args.length > 0
      ? null
      : doubt('variable', 'export shows or changes the environment')
  if (isAboutVersion(program, args)) return null
  const rule = programs().get(program)
  const language = languages.get(program) ?? tools.get(program)
  if (rule === undefined && language === undefined && program !== 'git') {
    return doubtAbout(program, args, 'unknown-program', `${program} is not known to only look`)
  }
  const understood = understand(program, args, rule)
  if (typeof understood === 'string') {
    const unknown = `what ${understood.slice(0, 100)} does to ${program} is not known`
    return doubtAbout(program, args, 'unknown-option', unknown)
  }
  const words = wordsOf(args)
  reader.own.push({ program, found: understood.found, words, fed: reader.fed })
  if (understood.runs !== undefined && isNeedle({ ...understood, program, words }, reader.places))
    return doubt('secret-search', 'it opens files that have the names of secrets')
  return (
    judgeWalk(reader, program, args, understood.found) ??
    first(understood.found, (argument) => judgeArgument(reader, program, argument)) ??
    first(understood.runs ?? [], (run) => readRun(reader, program, run))
  )
}

function understand(
  program: string,
  args: readonly Field[],
  rule: ProgramRule | undefined,
): Understood | string {
  if (program === 'git') return readGit(args)
  const language = languages.get(program) ?? tools.get(program)
  if (language !== undefined) return language(args)
  if (rule === undefined) return program
  const found = readOptions(rule, args)
  if (typeof found === 'string') return found
  const words = firstWords().get(program)
  const operands = found.filter(({ option }) => option === null)
  const word = operands[0]?.field
  if (words !== undefined && !(word?.known === true && words.has(word.value))) {
    if (!(word === undefined && program === 'systemctl')) return word?.value ?? 'nothing behind it'
  }
  return { found }
}

function doubtAbout(program: string, args: readonly Field[], rule: string, reason: string): Doubt {
  const why = whyAsked(program, wordsOf(args))
  return why === null ? doubt(rule, reason) : { ...doubt(rule, why), explained: true }
}

function wordsOf(fields: readonly Field[]): string[] {
  return fields.map(({ value }) => value)
}

function programIn(name: string): string | null {
  if (!name.includes('/')) return name
  return /^\/(usr\/(local\/)?)?s?bin\/([\w.[-]+)$/.exec(name)?.[3] ?? null
}

function readCd(reader: Reader, args: readonly Field[]): Doubt | null {
  const targets = args.filter(({ value }) => !/^-L$|^--$/.test(value))
  const values = targets.length === 0 ? ['~'] : targets.map(({ value }) => value)
  const isOne = targets.length < 2 || targets.every(({ varying }) => varying)
  const isKnown = targets.every(({ known }) => known)
  if (!isOne || !isKnown || values.some((value) => value.startsWith('-')) || reader.loops > 0) {
    return doubt('folder', 'where it goes is not known')
  }
  const found = first([...reader.folders], (folder) => {
    const places = placesAt(reader, folder)
    return first(values, (value) => {
      reader.folders.add(expandPath(value, places))
      return judgeName(value, places)
    })
  })
  reader.variables.set('PWD', [...reader.folders])
  if (reader.folders.size > foldersMax) return doubt('folder', 'where it goes is not known')
  return found
}

function readRun(
  reader: Reader,
  program: string,
  run: { argv: Field[]; roots: Field[] },
): Doubt | null {
  if (program === 'find') return readFound(reader, run)
  if (program !== 'xargs') return readArgv(reader, run.argv)
  const printed = printedBy(reader.incoming, reader)
  const reached = printed === null ? null : isReached(reader, printed)
  if (reached !== null) return doubt('walk', `it opens what it finds below ${reached}`)
  const argv = run.argv.flatMap((field) => {
    if (!field.value.includes('\0')) return [field]
    if (printed === null) return [{ ...field, splits: true, glob: false }]
    return printed.shapes.map((shape) => filled(field, '\0', shape))
  })
  return readArgv(reader, argv)
}

function readFound(reader: Reader, run: { argv: Field[]; roots: Field[] }): Doubt | null {
  const roots = run.roots.length === 0 ? [plainField('.')] : run.roots
  const reached = roots.find(
    ({ value, known }) =>
      !known || [...reader.folders].some((cwd) => canReachSecret(value, placesAt(reader, cwd))),
  )
  if (reached !== undefined) return doubt('walk', `it opens what it finds below ${reached.value}`)
  const argv = run.argv.flatMap((field) => {
    if (!field.value.includes('{}')) return [field]
    return roots.map((root) => filled(field, '{}', { ...root, value: `${root.value}/\0` }))
  })
  return readArgv(reader, argv)
}

function filled(field: Field, hole: string, { value, word }: Field): Field {
  const whole = field.value === hole && word === true
  const known = { known: false, glob: true, varying: true, ...(whole && { word }) }
  return { ...field, ...known, value: field.value.replaceAll(hole, () => value) }
}
