/** The names of the language that a skill finds. */
export const jailGlobals: readonly string[] = [
  ...['AggregateError', 'Array', 'BigInt', 'Boolean', 'Error', 'EvalError', 'Infinity', 'JSON'],
  ...['Map', 'Math', 'NaN', 'Number', 'Object', 'Promise', 'Proxy', 'RangeError'],
  ...['ReferenceError', 'Reflect', 'RegExp', 'Set', 'String', 'Symbol', 'SyntaxError'],
  ...['TypeError', 'URIError', 'WeakMap', 'WeakSet', 'decodeURI', 'decodeURIComponent'],
  ...['encodeURI', 'encodeURIComponent', 'globalThis', 'isFinite', 'isNaN', 'parseFloat'],
  ...['parseInt', 'undefined'],
]

/** What a ring lends to the code inside. */
export interface Doors {
  stackOf(error: unknown): string
  /** Sends a request of a call out; resolves to its answer, both JSON. */
  effect(id: number, text: string): Promise<string>
}

/** What the code inside lends to the ring. */
export interface Inside {
  /** The names that a skill finds besides those of the language. */
  globals: Record<string, unknown>
  /** No more contributions from here on; returns them as a reply. */
  seal(): string
  /** Carries out a call and returns its reply; both JSON. */
  answerNow(text: string): string
  answer(text: string): Promise<string>
}

/** Runs inside a jail, as source text; it sees nothing of this module. */
export function inside({ effect, stackOf }: Doors): Inside {
  const { parse, stringify } = JSON
  const entries = new Map<string, { about: object; run: (...args: unknown[]) => unknown }>()
  const printed: string[] = []
  let isSealed = false
  let looked = 0
  const counted = (run: () => unknown) => async () => {
    const before = looked
    await run()
    return looked - before
  }
  const put = (kind: string, name: unknown, about: object, run: unknown) => {
    const key = `${kind}:${String(name)}`
    if (isSealed) throw new Error(`${key} comes too late; say it while the skill is loaded`)
    if (typeof run !== 'function') throw new TypeError(`Expected a function for ${key}`)
    if (entries.has(key)) throw new Error(`There are two of ${key}`)
    entries.set(key, { about: { kind, name, ...about }, run: run as () => unknown })
  }
  const text = (value: unknown) => (typeof value === 'string' ? value : (stringify(value) ?? ''))
  const print = (...values: unknown[]) => {
    if (printed.length < 20) printed.push(values.map(text).join(' ').slice(0, 200))
  }
  const reply = (given: object) => stringify({ ...given, printed: printed.splice(0) })
  const failed = (error: unknown) => {
    const message = error instanceof Error ? `${error.name}: ${error.message}` : text(error)
    const stack = `${stackOf(error)}`.slice(0, 4_000)
    return reply({ ok: false, message: message.slice(0, 500), stack })
  }
  const calling =
    (id: number) =>
    async (tool: unknown, args: unknown = {}) => {
      const answer = parse(await effect(id, stringify({ tool, args })))
      if (answer.ok !== true) throw new Error(`${answer.text}`)
      return answer.text
    }
  const begin = (given: string) => {
    const { entry, id, input } = parse(given)
    const found = entries.get(entry)
    if (found === undefined) throw new Error(`There is no ${entry}`)
    return found.run(input, { call: calling(id) })
  }
  const globals = {
    gate: (name: unknown, priority: unknown, run: unknown) => put('gate', name, { priority }, run),
    tool: (name: unknown, about: object, run: unknown) => put('tool', name, { ...about }, run),
    hook: (sensor: unknown, run: unknown) => put('hook', sensor, {}, run),
    job: (name: unknown, cron: unknown, run: unknown) => put('job', name, { cron }, run),
    test: (name: unknown, run: unknown) =>
      put('test', name, {}, run && counted(run as () => unknown)),
    expect: (actual: unknown, expected: unknown) => {
      looked += 1
      if (text(actual) !== text(expected))
        throw new Error(`Expected ${text(expected)}, got ${text(actual)}`)
    },
    console: { log: print, info: print, warn: print, error: print },
  }
  const attempt = (run: () => unknown) => {
    try {
      return reply({ ok: true, value: run() ?? null })
    } catch (error) {
      return failed(error)
    }
  }
  const seal = () => {
    isSealed = true
    return reply({ ok: true, value: [...entries.values()].map(({ about }) => about) })
  }
  const answer = async (given: string) => {
    try {
      const value = await begin(given)
      return attempt(() => value)
    } catch (error) {
      return failed(error)
    }
  }
  return { globals, seal, answerNow: (given) => attempt(() => begin(given)), answer }
}
