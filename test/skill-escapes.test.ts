import { Compartments, Isolates, type Jail, JailError, readSkillDocument } from '@passepartout/core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'

const limits = { gateMs: 500, workMs: 400, loadMs: 20_000, memoryMb: 16 }
const rings: [string, () => Jail][] = [
  ['compartments', () => new Compartments(limits)],
  ['isolates', () => new Isolates(limits)],
]

const names = [
  ...['process', 'require', 'module', 'exports', 'Buffer', 'global', 'self', 'window', 'fetch'],
  ...['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'postMessage', 'close'],
  ...['Worker', 'MessageChannel', 'BroadcastChannel', 'navigator', 'crypto', 'performance'],
  ...['Date', 'Intl', 'Temporal', 'Atomics', 'SharedArrayBuffer', 'ArrayBuffer', 'Uint8Array'],
  ...['DataView', 'WebAssembly', 'WeakRef', 'FinalizationRegistry', 'structuredClone'],
  ...['TextDecoder', 'URL', 'Blob', 'EventSource', 'WebSocket', 'localStorage', 'ShadowRealm'],
  ...['Compartment', 'lockdown', 'harden', 'getStackString', 'assert', 'eval', 'Function'],
  ...['ivm', 'ask', 'inside', 'jail', 'effect', 'workerData', 'port', 'flag', '__dirname', 'gc'],
]

const code =
  "return typeof process + typeof require + typeof fetch === 'undefinedundefinedundefined' ? '' : 'ESCAPED'"
const constructors = [
  '[].constructor.constructor',
  '(() => {}).constructor',
  '(async () => {}).constructor',
  '(function* () {}).constructor',
  '(async function* () {}).constructor',
  "''.sub.constructor",
  'call.constructor',
  'console.log.constructor',
  'test.constructor',
  'Reflect.construct.constructor',
  'Object.getPrototypeOf(function () {}).constructor',
  "Object.getOwnPropertyDescriptor(Function.prototype ?? (() => {}).__proto__, 'constructor').value",
  'Proxy.revocable({}, {}).revoke.constructor',
  'Promise.withResolvers().resolve.constructor',
  'class { static m() {} }.m.constructor',
  "Object.getOwnPropertyDescriptor({ get a() { return 1 } }, 'a').get.constructor",
  'Symbol.prototype[Symbol.toPrimitive].constructor',
  'input.constructor.constructor',
]

const throughConstructors = constructors.map((path): [string, string] => [
  path,
  `const found = await (${path})(${JSON.stringify(code)})()
    return typeof found === 'string' ? found : ((await found.next()).value ?? '')`,
])

const reaching: [string, string][] = [
  ['sloppy this', 'return (function () { return this && this.process ? "ESCAPED" : "" })()'],
  ['indirect eval', 'return (0, eval)("typeof process") === "object" ? "ESCAPED" : ""'],
  ['a caller', 'function f() { return f.caller && f.caller.caller ? "ESCAPED" : "" } return f()'],
  [
    'arguments.callee',
    'return (function () { return arguments.callee.caller.caller.arguments })() ? "ESCAPED" : ""',
  ],
  [
    'prepareStackTrace',
    `Error.prepareStackTrace = (_, frames) => frames
    const frames = new Error().stack
    return frames.some((frame) => frame.getThis()?.process || /node:|worker/.test(frame.getFileName())) ? 'ESCAPED' : ''`,
  ],
  [
    'captureStackTrace',
    `const o = {}
    Error.stackTraceLimit = Infinity
    Error.captureStackTrace(o)
    return /file:|node:|node_modules/.test(String(o.stack)) ? 'ESCAPED' : ''`,
  ],
  [
    'the text of a stack',
    `return /file:|node:|node_modules/.test(String(new Error('x').stack)) ? 'ESCAPED' : ''`,
  ],
  [
    'a stack of a stack overflow',
    `try { (function f() { f() })() } catch (error) {
      return error.constructor.constructor === undefined || /file:|node:/.test(String(error.stack)) ? 'ESCAPED' : error.constructor.constructor('return typeof process')() === 'object' ? 'ESCAPED' : ''
    }`,
  ],
  [
    'an error of the door',
    `try { await call({ toString() { throw 1 } }) } catch (error) {
      return /file:|node:|\\/src\\//.test(String(error.stack) + error.message) ? 'ESCAPED' : ''
    }`,
  ],
  [
    'a promise of the door',
    `const promise = call('search')
    return promise.constructor.constructor('return typeof process')() === 'object' ? 'ESCAPED' : ''`,
  ],
  [
    'an answer of the door',
    `const text = await call('search', {})
    return text.constructor.constructor('return typeof process')() === 'object' ? 'ESCAPED' : ''`,
  ],
  [
    'then of the door',
    `return call('search').then.constructor('return typeof process')() === 'object' ? 'ESCAPED' : ''`,
  ],
]

const reachingFurther: [string, string][] = [
  [
    'import by a constructor',
    `return (await (async () => {}).constructor("return imp" + "ort('node:fs')")()).readFileSync ? 'ESCAPED' : ''`,
  ],
  [
    'import by a function',
    `return (await (() => {}).constructor("return imp" + "ort('node:fs')")()) ? 'ESCAPED' : ''`,
  ],
  [
    'the regular expression that ran last',
    `return RegExp.$_ || RegExp.input || RegExp['$&'] || RegExp.lastMatch ? 'ESCAPED' : ''`,
  ],
  ['random numbers', 'Math.random(); return "ESCAPED"'],
  [
    'a date by a locale',
    `return [].toLocaleString.constructor('return new Date()')() ? 'ESCAPED' : ''`,
  ],
  [
    'a clock by a promise',
    `return Promise.race.constructor('return Date.now()')() ? 'ESCAPED' : ''`,
  ],
  ['a late contribution', "gate('late', 1, () => null); return 'ESCAPED'"],
  ['a door in disguise', "globalThis.gate = () => 1; return gate() === 1 ? 'ESCAPED' : ''"],
  [
    'another door',
    "Object.defineProperty(globalThis, 'call', { value: 1 }); return call === 1 ? 'ESCAPED' : ''",
  ],
  [
    'the prototype of globalThis',
    `const own = Object.getOwnPropertyNames(Object.getPrototypeOf(globalThis) ?? {})
    return own.includes('process') || own.includes('fetch') ? 'ESCAPED' : ''`,
  ],
  [
    'all symbols of globalThis',
    `return Object.getOwnPropertySymbols(globalThis).some((key) => typeof globalThis[key] === 'function') ? 'ESCAPED' : ''`,
  ],
  [
    'every global',
    `const known = new Set(${JSON.stringify(names)})
    const seen = new Set()
    const look = (value, depth) => {
      if (depth > 4 || (typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) return false
      seen.add(value)
      return Reflect.ownKeys(value).some((key) => {
        const found = Object.getOwnPropertyDescriptor(value, key)
        if (typeof key === 'string' && /^(process|binding|require|dlopen|mainModule)$/.test(key)) return true
        return look(found.value, depth + 1) || look(found.get, depth + 1)
      })
    }
    return look(globalThis, 0) && known.size > 0 ? 'ESCAPED' : ''`,
  ],
]

const attempts: [string, string][] = [
  ...names.map((name): [string, string] => [
    `the name ${name}`,
    `return typeof ${name} === 'undefined' || '${name}' === 'effect' ? '' : 'ESCAPED'`,
  ]),
  ...throughConstructors,
  ...reaching,
  ...reachingFurther,
]

const effects = async () => ({ ok: true, text: 'an answer' })

describe.each(rings)('reaching out of %s', (_, open) => {
  const jail = open()
  beforeAll(() => jail.load('attempts', attempts.map(asHook).join('\n')))
  afterAll(() => jail.close())
  test.each(attempts.map(([name], at) => [name, at] as const))('by %s', async (_, at) => {
    const found = await jail.call('attempts', `hook:a${at}`, {}, effects).catch((error) => {
      expect(error).toBeInstanceOf(JailError)
      return ''
    })
    expect(found).toBe('')
  })
})

function asHook([, body]: readonly [string, string], at: number): string {
  return `hook('a${at}', async (input, { call }) => {\n${body}\n})`
}

const traps: [string, string, 'fault' | 'data' | 'either'][] = [
  ['a key __proto__', `return JSON.parse('{"__proto__": {"polluted": 1}}')`, 'fault'],
  [
    'a key __proto__ further down',
    `return [{ a: JSON.parse('{"__proto__": {"polluted": 1}}') }]`,
    'fault',
  ],
  [
    'a key constructor',
    `return JSON.parse('{"constructor": {"prototype": {"polluted": 1}}}')`,
    'data',
  ],
  ['a polluted prototype', 'Object.prototype.polluted = 1; return {}', 'either'],
  ['a polluted list', 'Array.prototype.polluted = 1; return []', 'either'],
  ['a polluted function', 'Function.prototype.call = () => 1; return 1', 'either'],
  ['a proxy that throws', `return new Proxy({}, { ownKeys() { throw new Error('x') } })`, 'fault'],
  ['a proxy of everything', `return new Proxy({}, { get: () => 'x', has: () => true })`, 'data'],
  ['a getter that throws', `return { get a() { throw new Error('x') } }`, 'fault'],
  ['a getter that changes its mind', 'let n = 0; return { get a() { return n++ } }', 'data'],
  ['toJSON', `return { toJSON: () => ({ kind: 'pass' }) }`, 'data'],
  ['a thenable', `return { then(resolve) { resolve({ then: (again) => again(7) }) } }`, 'data'],
  ['a thenable that throws', `return { then() { throw new Error('x') } }`, 'fault'],
  [
    'a subclass of Promise',
    `class P extends Promise { static get [Symbol.species]() { return Object } then(f) { f(7) } }
    return new P(() => {})`,
    'data',
  ],
  [
    'a species',
    `class L extends Array { static get [Symbol.species]() { return String } }
    return L.from([1, 2])`,
    'data',
  ],
  ['a big integer', 'return 10n', 'fault'],
  ['a symbol', 'return Symbol.iterator', 'fault'],
  ['a function', 'return () => 1', 'fault'],
  ['a map', 'return new Map([[1, 2]])', 'data'],
  ['a generator', 'return (async function* () { yield 1 })()', 'data'],
]

const moreTraps: typeof traps = [
  ['a circle', 'const a = {}; a.a = a; return a', 'fault'],
  ['a long text', "return 'x'.repeat(1_000_000)", 'fault'],
  ['many parts', 'return Array.from({ length: 50_000 }, () => 0)', 'fault'],
  ['great depth', 'let a = []; for (let i = 0; i < 100; i++) a = [a]; return a', 'fault'],
  ['endless depth', 'let a = []; for (let i = 0; i < 100_000; i++) a = [a]; return a', 'fault'],
  ['half a character', String.raw`return '\ud800'`, 'data'],
  ['what JSON calls nothing', 'return [undefined, NaN, Infinity]', 'data'],
  [
    'a flood of words',
    "for (let i = 0; i < 20_000; i++) console.log('x'.repeat(100)); return 1",
    'data',
  ],
  ['null thrown', 'throw null', 'fault'],
  [
    'a proxy thrown',
    `throw new Proxy(new Error('x'), { get() { throw new Error('y') } })`,
    'fault',
  ],
  [
    'an error with a getter',
    `throw Object.defineProperty(new Error(), 'message', { get() { throw 1 } })`,
    'fault',
  ],
  ['an error with a long message', "throw new Error('x'.repeat(1_000_000))", 'fault'],
  [
    'an error that lies about its stack',
    `throw Object.assign(new Error('x'), { stack: 'skill-other.js:1:1' })`,
    'fault',
  ],
  ['a spoiled stringify', "JSON.stringify = () => '{}'; return 1", 'either'],
  ['a promise that nobody waits for', "Promise.reject(new Error('x')); return 1", 'either'],
  ['too many requests', `for (let i = 0; i < 60; i++) await call('search')`, 'fault'],
  ['a request that is none', 'await call({ a: 1 })', 'fault'],
  [
    'a request with a trap',
    `await call('search', JSON.parse('{"__proto__": {"polluted": 1}}'))`,
    'fault',
  ],
]

const allTraps = [...traps, ...moreTraps]

const isLate = ({ message }: JailError) => message.includes('did not return within')

describe.each(rings)('an answer out of %s', (_, open) => {
  const jail = open()
  beforeAll(() =>
    jail.load('traps', allTraps.map(([name, body], at) => asHook([name, body], at)).join('\n')),
  )
  afterAll(() => jail.close())
  test.each(allTraps.map(([name, , expected], at) => [name, expected, at] as const))(
    'that is %s',
    async (_, expected, at) => {
      const before = Reflect.ownKeys(Object.prototype).length
      const skill = expected === 'either' ? 'spoiled' : 'traps'
      if (expected === 'either') await jail.load(skill, asHook(['', allTraps[at]![1]], at))
      const result = await jail.call(skill, `hook:a${at}`, {}, effects).then(
        (value) => ({ kind: 'data', value }),
        (error: unknown) => ({
          kind: error instanceof JailError && !isLate(error) ? 'fault' : 'broken',
          value: null,
        }),
      )
      expect(expected === 'either' ? ['data', 'fault'] : [expected]).toContain(result.kind)
      expect(structuredClone(result.value)).toEqual(result.value)
      const after = Reflect.ownKeys(Object.prototype).length
      expect(['polluted' in {}, 'polluted' in [], after]).toEqual([false, false, before])
    },
  )
})

const bombs: [string, string][] = [
  ['a loop', 'for (;;);'],
  ['a loop behind an await', 'await null; for (;;);'],
  ['a loop behind a request', "await call('search'); for (;;);"],
  ['a loop during a request', "call('search'); for (;;);"],
  ['microtasks without end', 'const again = () => Promise.resolve().then(again); await again()'],
  ['a promise that never settles', 'await new Promise(() => {})'],
  ['a thenable without end', 'const t = { then(f) { f(t) } }; return t'],
  ['a regular expression', `/^(a+)+$/.test('a'.repeat(64) + '!')`],
  ['a generator without end', 'function* g() { for (;;) yield 1 } for (const _ of g());'],
  [
    'an async generator without end',
    'async function* g() { for (;;) yield 1 } for await (const _ of g());',
  ],
  ['a getter in JSON without end', 'return { get a() { for (;;); } }'],
  ['a text that doubles', "let s = 'x'; for (;;) s += s"],
  ['a list that grows', 'const a = []; for (;;) a.push({ a: [1, 2, 3] })'],
  ['a map that grows', 'const m = new Map(); for (let i = 0; ; i++) m.set(i, { i })'],
  [
    'flat texts',
    "const a = []; for (let i = 0; ; i++) a.push(('x'.repeat(100_000) + i).split(''))",
  ],
  ['a sparse list as JSON', 'const a = []; a.length = 2 ** 31; return a'],
  ['a big integer that grows', 'let n = 3n; for (;;) n *= n'],
  ['closures without end', 'let f = null; for (;;) { const g = f; f = () => g }'],
  ['recursion', 'const f = () => [f()]; f()'],
  ['promises without end', 'const a = []; for (;;) a.push(new Promise(() => {}))'],
]

describe.each(rings)('no answer out of %s', (_, open) => {
  const jail = open()
  beforeAll(() => jail.load('good', "hook('a0', () => 7)"))
  afterAll(() => jail.close())
  test.each(bombs)('but %s', async (name, body) => {
    await jail.load('bomb', asHook([name, body], 0))
    const before = process.memoryUsage().heapUsed
    await expect(jail.call('bomb', 'hook:a0', {}, effects)).rejects.toBeInstanceOf(JailError)
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(64e6)
    expect(await jail.call('good', 'hook:a0', {})).toBe(7)
  })
})

test.each(rings)('a skill of %s that loops while it is loaded is not loaded', async (_, open) => {
  const jail = open()
  onTestFinished(() => jail.close())
  await jail.load('good', "hook('a0', () => 7)")
  const quick = jail instanceof Compartments ? new Compartments({ loadMs: 1_500 }) : jail
  onTestFinished(() => quick.close())
  await expect(quick.load('bomb', 'for (;;);')).rejects.toBeInstanceOf(JailError)
  await expect(quick.call('bomb', 'hook:a0', {})).rejects.toBeInstanceOf(JailError)
  expect(await jail.call('good', 'hook:a0', {})).toBe(7)
})

const smuggling = [
  'globalThis.word = 1',
  'Object.word = 1',
  'Array.prototype.word = 1',
  'JSON.word = 1',
  'Math.word = 1',
  'call.word = 1; console.word = 1',
  "Reflect.defineProperty(Promise, 'word', { value: 1 })",
  "Symbol.for('word').description.word = 1",
  'new Error().constructor.word = 1',
  'RegExp.prototype.exec.word = 1',
]

test.each(smuggling)('nothing is left for another by %s', async (body) => {
  const jail = new Compartments(limits)
  onTestFinished(() => jail.close())
  const look = `return [typeof word, typeof Object.word, typeof [].word, typeof JSON.word, typeof Math.word,
    typeof Promise.word, typeof Error.word, typeof (/x/).exec.word, typeof console.word].join()`
  await jail.load('one', asHook(['', body], 0))
  await jail.load('two', asHook(['', look], 0))
  await jail.call('one', 'hook:a0', {}).catch(() => {})
  const found = await jail.call('two', 'hook:a0', {})
  expect(new Set(String(found).split(','))).toEqual(new Set(['undefined']))
})

test.each([
  ['an import', "import fs from 'node:fs'"],
  ['an export', 'export const a = 1'],
  ['import()', "await import('node:fs')"],
  ['import() in disguise', "import/* */('node:fs')"],
  ['import.meta', 'import.meta.url'],
  ['await at the top', 'await 1'],
  ['with', 'with ({}) {}'],
  ['an octal number', '010'],
])('a document with %s is refused', (_, line) => {
  const text = `#+begin_src ts\n${line}\n#+end_src\n`
  expect(readSkillDocument(text, 'a.org')).toMatchObject({ ok: false, problems: [{ line: 2 }] })
})
