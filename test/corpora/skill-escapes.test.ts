import { readdirSync, readFileSync } from 'node:fs'
import { Jail, JailError, readSkillDocument } from '@passepartout/core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'

const limits = { gateMs: 500, workMs: 250, loadMs: 20_000, memoryMb: 16 }

const names = [
  ...['process', 'require', 'module', 'exports', 'Buffer', 'global', 'self', 'window', 'fetch'],
  ...['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'postMessage', 'close'],
  ...['Worker', 'MessageChannel', 'BroadcastChannel', 'navigator', 'crypto', 'performance'],
  ...['Date', 'Intl', 'Temporal', 'Atomics', 'SharedArrayBuffer', 'ArrayBuffer', 'Uint8Array'],
  ...['DataView', 'WebAssembly', 'WeakRef', 'FinalizationRegistry', 'structuredClone'],
  ...['TextDecoder', 'URL', 'Blob', 'EventSource', 'WebSocket', 'localStorage', 'ShadowRealm'],
  ...['Compartment', 'lockdown', 'harden', 'getStackString', 'assert', 'eval', 'Function'],
  ...['ivm', 'ask', 'inside', 'jail', 'effect', 'workerData', 'port', 'flag', '__dirname', 'gc'],
  ...['skills', 'skill', 'put', 'send', 'take', 'readSync', 'writeSync', 'waiting', 'openCalls'],
  ...['test', 'expect', 'looked', 'run', 'message', 'AsyncFunction', 'Iterator', 'Float16Array'],
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
  'tool.constructor',
  'gate.constructor',
  'hook.constructor',
  'job.constructor',
  'Object.getPrototypeOf(async () => {}).constructor',
  'Object.getPrototypeOf(async function* () {}).constructor',
  'Object.getPrototypeOf(function* () {}).constructor',
  'Reflect.getPrototypeOf(console.log).constructor',
  'call.bind(null).constructor',
  'JSON.parse.constructor',
  'new Proxy(function () {}, {}).constructor',
  'Error.prototype.toString.constructor',
  "Object.getOwnPropertyDescriptor(RegExp.prototype, 'flags').get.constructor",
  "Object.getOwnPropertyDescriptor(Map.prototype, 'size').get.constructor",
  'Array.from.constructor',
  'Symbol.for.constructor',
  '[][Symbol.iterator]().next.constructor',
  "'x'.matchAll(/x/g).next.constructor",
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
  [
    'a refusal of the door',
    `try { await call('forbidden', {}) } catch (error) {
      return error.constructor.constructor('return typeof process')() === 'object' ? 'ESCAPED' : ''
    }`,
  ],
  [
    'a door that is shown to a proxy',
    `let found = ''
    const spy = new Proxy({}, { get: (_, key) => (found += String(key), undefined), ownKeys: () => [] })
    await call('search', spy)
    return /constructor|process|mainModule/.test(found) ? 'ESCAPED' : ''`,
  ],
  [
    'a toString of the door',
    `return /\\[native|readSync|writeSync|request/.test(String(call) + call.toString().slice(0, 9)) && String(call).includes('process') ? 'ESCAPED' : ''`,
  ],
]

const keysOf: [object: string, keys: string][] = [
  ['Function.prototype', 'call apply bind toString Symbol.hasInstance'],
  ['Map.prototype', 'set get has delete Symbol.iterator'],
  ['Set.prototype', 'add has'],
  ['Array.prototype', 'push map join splice slice flatMap Symbol.iterator toJSON 0'],
  ['Object.prototype', 'toString valueOf hasOwnProperty toJSON then kind get set'],
  ['String.prototype', 'slice split indexOf replace Symbol.iterator'],
  ['Promise.prototype', 'then catch finally'],
  ['Promise', 'resolve withResolvers race'],
  ['RegExp.prototype', 'exec test Symbol.replace'],
  ['Error.prototype', 'toString name message'],
  ['JSON', 'parse stringify'],
  ['Object', 'keys defineProperty freeze entries'],
  ['Reflect', 'ownKeys apply'],
  ['Symbol', 'iterator'],
  ['call', 'call then'],
  ['console', 'log'],
  ['gate', 'call'],
  ['Object.getPrototypeOf(async () => {})', 'call constructor'],
]

const overriding = keysOf.flatMap(([object, keys]) =>
  keys.split(' ').map((key): [string, string] => {
    const at = key.startsWith('Symbol.') ? key : JSON.stringify(key)
    const body = `const mine = () => 'ESCAPED'
    const its = ${object}
    try { its[${at}] = mine } catch {}
    try { Object.defineProperty(its, ${at}, { value: mine }) } catch {}
    try { Object.defineProperty(its, ${at}, { get: mine, configurable: true }) } catch {}
    try { Object.setPrototypeOf(its, { [${at}]: mine }) } catch {}
    return its[${at}] === mine || Object.getOwnPropertyDescriptor(its, ${at})?.get === mine ? 'ESCAPED' : ''`
    return [`overriding ${key} of ${object}`, body]
  }),
)

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
  ['a locale', "return (1234.5).toLocaleString('de') === '1.234,5' ? 'ESCAPED' : ''"],
  ['a locale of letters', "return 'ı'.toLocaleUpperCase('tr') !== 'I' ? 'ESCAPED' : ''"],
  ['a date by an error', "return /\\d{4}-\\d\\d/.test(String(new Error().stack)) ? 'ESCAPED' : ''"],
  [
    'a buffer by a text',
    "return ''.constructor.prototype.at.constructor('return new ArrayBuffer(8)')() ? 'ESCAPED' : ''",
  ],
  [
    'a shared symbol',
    "return Symbol.for('nodejs.util.inspect.custom') in globalThis ? 'ESCAPED' : ''",
  ],
  [
    'a getter of a global',
    "return Object.values(Object.getOwnPropertyDescriptors(globalThis)).some((each) => each.get) ? 'ESCAPED' : ''",
  ],
]

const importing: [string, string][] = [
  ...["'data:application/wasm;base64,AGFzbQEAAAA='", "'file:///etc/passwd'", "'node:fs'"].map(
    (what): [string, string] => [
      `the source of ${what}`,
      `try { return (await import.source(${what})) ? 'ESCAPED' : '' } catch (error) {
        return /file:|node:|\\.js|passwd|\\/src/.test(error.message) ? 'ESCAPED' : ''
      }`,
    ],
  ),
  [
    'the source of a module, on several lines',
    `return (await import
      .
      source('data:application/wasm;base64,AGFzbQEAAAA=')) ? 'ESCAPED' : ''`,
  ],
  [
    'what is shared by two skills and not frozen',
    `const seen = new Set()
    const waiting = [globalThis.Object, JSON, Math, Reflect, Promise.resolve(), new Error('x'),
      [].values(), [].values().map?.((a) => a), ''.matchAll(/x/g), new Map().keys(), new Set().keys(),
      /x/, 1n, Symbol('x'), ...[function* () {}, async function* () {}].map(Object.getPrototypeOf), async () => {},
      new Proxy({}, {}), Proxy, console, gate, tool, call, input,
      await call('forbidden', {}).catch((error) => error)]
    try { waiting.push((() => { null.x })()) } catch (error) { waiting.push(error) }
    try { waiting.push(await import.source('data:application/wasm;base64,AGFzbQEAAAA=')) } catch (error) { waiting.push(error) }
    try { waiting.push(JSON.parse('{')) } catch (error) { waiting.push(error) }
    const own = new Set(waiting)
    while (waiting.length > 0) {
      const next = waiting.pop()
      if ((typeof next !== 'object' && typeof next !== 'function') || next === null || seen.has(next)) continue
      seen.add(next)
      if (!own.has(next) && !Object.isFrozen(next) && next !== globalThis) {
        const isOwn = next.constructor === undefined || Object.hasOwn(next, 'proxy')
        if (!isOwn && typeof next !== 'function') return 'ESCAPED ' + Reflect.ownKeys(next).map(String).join()
      }
      waiting.push(Object.getPrototypeOf(next))
      for (const each of Object.values(Object.getOwnPropertyDescriptors(next))) waiting.push(each.value, each.get, each.set)
    }
    return ''`,
  ],
]

const lent: [string, string][] = [
  ['another test', "test('forged', () => {}); return 'ESCAPED'"],
  ['another tool', "tool('late', { about: 'x' }, () => 1); return 'ESCAPED'"],
  [
    'a door of another call',
    "globalThis.kept ??= call; return kept !== call && (await kept('search')) ? 'ESCAPED' : ''",
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
  ...overriding,
  ...reachingFurther,
  ...importing,
  ...lent,
]

const effects = async (tool: string) => ({ ok: tool !== 'forbidden', text: 'an answer' })

describe('reaching out', () => {
  const jail = new Jail(limits)
  const skillAt = (at: number) => `attempts-${Math.floor(at / 100)}`
  beforeAll(async () => {
    for (let at = 0; at < attempts.length; at += 100) {
      const code = attempts.slice(at, at + 100).map((each, index) => asHook(each, at + index))
      await jail.load(skillAt(at), code.join('\n'))
    }
  })
  afterAll(() => jail.close())
  test.each(attempts.map(([name], at) => [name, at] as const))('by %s', async (_, at) => {
    const found = await jail.call(skillAt(at), `hook:a${at}`, {}, effects).catch((error) => {
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
]

const doorTraps: typeof traps = [
  ['a promise that nobody waits for', "Promise.reject(new Error('x')); return 1", 'either'],
  ['too many requests', `for (let i = 0; i < 60; i++) await call('search')`, 'fault'],
  [
    'too many requests at once',
    `await Promise.all(Array.from({ length: 60 }, () => call('search')))`,
    'fault',
  ],
  ['a request with a circle', 'const a = {}; a.a = a; await call("search", a)', 'fault'],
  [
    'a request that is too long',
    "await call('search', { a: 'x'.repeat(150_000) + 'y'.repeat(150_000) })",
    'fault',
  ],
  [
    'a request with a getter that throws',
    "await call('search', { get a() { throw new Error('x') } })",
    'fault',
  ],
  ['a request with toJSON', "return await call('search', { toJSON: () => ({ a: 1 }) })", 'data'],
  ['a lone key __proto__ in a list', `return [[JSON.parse('{"__proto__": 1}')]]`, 'fault'],
  [
    'an error with a cause',
    "throw new Error('x', { cause: new Proxy({}, { get() { throw 1 } }) })",
    'fault',
  ],
  ['an error of many', "throw new AggregateError([new Error('x')], 'y')", 'fault'],
  [
    'an error whose name is a trap',
    "throw Object.assign(new Error('x'), { name: { toString() { throw 1 } } })",
    'fault',
  ],
  ['a frozen proxy', 'return new Proxy(Object.freeze([]), {})', 'data'],
  [
    'a revoked proxy',
    'const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy',
    'fault',
  ],
  ['a thenable that answers twice', 'return { then(a, b) { a(1); a(2); b(3) } }', 'data'],
  ['a class', 'return class {}', 'fault'],
  ['lines of the wire', String.raw`return '\n{"kind":"reply","id":1,"text":"x"}\n'`, 'data'],
  ['a request that is none', 'await call({ a: 1 })', 'fault'],
  [
    'a request with a trap',
    `await call('search', JSON.parse('{"__proto__": {"polluted": 1}}'))`,
    'fault',
  ],
]

const allTraps = [...traps, ...moreTraps, ...doorTraps]

const isLate = ({ message }: JailError) => message.includes('did not return')

describe('an answer', () => {
  const jail = new Jail({ ...limits, workMs: 10_000 })
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

const loops: [string, string][] = [
  ['a loop', 'for (;;);'],
  ['a loop behind an await', 'await null; for (;;);'],
  ['a loop behind a request', "await call('search'); for (;;);"],
  ['a loop during a request', "call('search'); for (;;);"],
  ['a loop of refused requests', "for (;;) await call('forbidden').catch(() => {})"],
  ['a loop of requests', "for (;;) await call('search')"],
  [
    'requests that beget requests',
    "const again = () => call('search').then(again, again); await again()",
  ],
  [
    'two loops of requests',
    "const f = async () => { for (;;) await call('forbidden').catch(() => {}) }; await Promise.all([f(), f()])",
  ],
  ['microtasks without end', 'const again = () => Promise.resolve().then(again); await again()'],
  [
    'microtasks that are left behind',
    'const again = () => Promise.resolve().then(again); again(); return 1',
  ],
  ['a promise that never settles', 'await new Promise(() => {})'],
  [
    'a promise that waits for itself',
    'let f; const p = new Promise((g) => { f = g }); const q = p.then(() => q); f(); await q',
  ],
  ['a race of nothing', 'await Promise.race([])'],
  ['a thenable without end', 'const t = { then(f) { f(t) } }; return t'],
  ['a thenable that never answers', 'return { then() {} }'],
]

const hiddenLoops: [string, string][] = [
  ['a regular expression', `/^(a+)+$/.test('a'.repeat(64) + '!')`],
  ['a regular expression with a reference', String.raw`/^(?:(x+)\1?)+y/.test('x'.repeat(60))`],
  ['a replacement', `'a'.repeat(30_000).replace(/a*a*a*b/g, '')`],
  ['a generator without end', 'function* g() { for (;;) yield 1 } for (const _ of g());'],
  ['a spread without end', 'function* g() { for (;;) yield 1 } return [...g()]'],
  [
    'an async generator without end',
    'async function* g() { for (;;) yield 1 } for await (const _ of g());',
  ],
  [
    'an iterator that is read by Map',
    'new Map({ *[Symbol.iterator]() { for (;;) yield [1, 1] } })',
  ],
  ['Array.from of a getter', 'Array.from({ get length() { for (;;); } })'],
  ['Array.fromAsync', 'await Array.fromAsync((async function* () { for (;;) yield 1 })())'],
  ['a getter in JSON without end', 'return { get a() { for (;;); } }'],
  ['toJSON without end', 'return { toJSON() { for (;;); } }'],
  [
    'toJSON that begets',
    'const f = () => ({ toJSON: f, a: f }); return { a: { toJSON: () => { for (;;); } } }',
  ],
  ['a reviver without end', `JSON.parse('[1]', () => { for (;;); })`],
  ['a proxy of keys without end', 'return new Proxy({}, { ownKeys() { for (;;); } })'],
  [
    'a getter of a message without end',
    "throw Object.defineProperty(new Error(), 'message', { get() { for (;;); } })",
  ],
  [
    'a getter of a name without end',
    "throw Object.defineProperty(new Error(), 'name', { get() { for (;;); } })",
  ],
  ['a prototype without end', 'throw new Proxy(new Error(), { getPrototypeOf() { for (;;); } })'],
  ['a getter in a request without end', "await call('search', { get a() { for (;;); } })"],
  ['a tool whose name loops', 'await call({ toJSON() { for (;;); } })'],
  ['a line of printing without end', 'console.log({ toJSON() { for (;;); } })'],
]

const longLoops: [string, string][] = [
  ['a sort that compares for ever', '[2, 1].sort(() => { for (;;); })'],
  [
    'a sort of a long list',
    'Array.from({ length: 5e6 }, (_, i) => -i).sort((a, b) => (a > b ? 1 : -1))',
  ],
  ['a symbol of a primitive', "'' + { [Symbol.toPrimitive]() { for (;;); } }"],
  [
    'a species without end',
    'class L extends Array { static get [Symbol.species]() { for (;;); } } new L(1).map(() => 1)',
  ],
  ['a finally without end', 'try { null.x } finally { for (;;); }'],
  ['an exception that is caught for ever', 'for (;;) try { null.x } catch {}'],
  ['recursion that is caught for ever', 'const f = () => { for (;;) try { f() } catch {} }; f()'],
  ['a label', 'a: for (;;) { for (;;) continue a }'],
  ['a very long count', 'let n = 0; for (let i = 0; i < 1e15; i++) n += i; return n'],
  [
    'indexOf in a very long list',
    'const a = []; a.length = 2 ** 32 - 1; a.indexOf(1); Array.prototype.fill.call(a, 1)',
  ],
  [
    'a reduction of a sparse list',
    'Array.prototype.reduce.call({ length: 2 ** 53 - 1 }, (a) => a, 0)',
  ],
]

const bombs: [string, string][] = [
  ['a text that doubles', "let s = 'x'; for (;;) s += s"],
  ['a list that grows', 'const a = []; for (;;) a.push({ a: [1, 2, 3] })'],
  ['a map that grows', 'const m = new Map(); for (let i = 0; ; i++) m.set(i, { i })'],
  ['a set that grows', 'const m = new Set(); for (let i = 0; ; i++) m.add([i])'],
  [
    'flat texts',
    "const a = []; for (let i = 0; ; i++) a.push(('x'.repeat(100_000) + i).split(''))",
  ],
  ['padEnd and split', "return 'x'.padEnd(2 ** 28).split('')"],
  ['padStart and a spread', "return [...'x'.padStart(2 ** 28)]"],
  ['repeat and replace', "return 'x'.repeat(2 ** 28).replaceAll('x', 'yyyyyyyy')"],
  ['repeat and upper case', "return 'ŉ'.repeat(2 ** 27).toUpperCase().split('')"],
  ['join', "return Array(2 ** 24).join('x'.repeat(40)).split('x')"],
  ['fill', 'return Array(2 ** 27).fill({})'],
  ['flat', 'let a = [1, 1]; for (;;) a = [a, a].flat(Infinity)'],
  ['concat', 'let a = [1]; for (;;) a = a.concat(a)'],
  ['a sparse list as JSON', 'const a = []; a.length = 2 ** 31; return a'],
  ['JSON of what is shared', 'let a = [1]; for (let i = 0; i < 40; i++) a = [a, a]; return a'],
  [
    'JSON with a long indent',
    "let a = 1; for (let i = 0; i < 5e3; i++) a = [a]; return JSON.stringify(a, null, 10).repeat(1e3).split('')",
  ],
  ['parsing what is long', "return JSON.parse('[' + '0,'.repeat(2 ** 25) + '0]')"],
]

const growing: [string, string][] = [
  ['a big integer that grows', 'let n = 3n; for (;;) n *= n'],
  ['a big integer as text', 'return (2n ** (2n ** 26n)).toString()'],
  ['closures without end', 'let f = null; for (;;) { const g = f; f = () => g }'],
  ['recursion', 'const f = () => [f()]; f()'],
  ['promises without end', 'const a = []; for (;;) a.push(new Promise(() => {}))'],
  ['jobs without end', 'for (;;) Promise.resolve([1, 2, 3]).then(() => {})'],
  ['requests without end', "for (;;) call('search', { a: 'x'.repeat(1e5) })"],
  ['captures of an expression', "return 'x'.repeat(2 ** 26).match(/x/g)"],
  ['matchAll', "return [...'x'.repeat(2 ** 26).matchAll(/(?<a>x)/g)]"],
  ['keys of a long text', "return Object.entries('x'.repeat(2 ** 26))"],
  ['assign of a long text', "return Object.assign({}, 'x'.repeat(2 ** 26))"],
  ['a frame that is large', 'Math.max(...Array(1e8).fill(1))'],
  [
    'a proxy that begets',
    'const p = () => new Proxy({}, { get: p, ownKeys: () => ["a"], getOwnPropertyDescriptor: () => ({ value: p(), enumerable: true, configurable: true }) }); return p()',
  ],
  ['names without end', "for (let i = 0; ; i++) Symbol.for('x'.repeat(1e4) + i)"],
  ['properties without end', 'const o = {}; for (let i = 0; ; i++) o["a" + i] = { i }'],
  ['variables of the globe', 'for (let i = 0; ; i++) globalThis["a" + i] = [i]'],
  ['errors without end', 'let e = null; for (;;) e = new Error("x".repeat(1e4), { cause: e })'],
  ['a list of errors', 'const a = []; for (;;) try { null.x } catch (error) { a.push(error) }'],
  ['templates', 'let s = "x"; for (;;) s = s.concat(s, "y").slice(0)'],
  ['normalization', "return 'ﷺ'.repeat(2 ** 25).normalize('NFKC')"],
  ['an answer that is long', "return ['x'.repeat(2 ** 28)]"],
  ['an error that is long', "throw new Error('x'.repeat(2 ** 29 - 100) + 'y')"],
  ['groups', 'return Object.groupBy(Array(2 ** 24).fill(1), (_, i) => i)'],
]

const skillOf = (body: string) => `${asHook(['', body], 0)}\nhook('good', () => 7)`

function processes(): number {
  const own = String(process.pid)
  const parents = readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return []
    try {
      return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1] ?? []
    } catch {
      return []
    }
  })
  return parents.filter((parent) => parent === own).length
}

describe('no answer', () => {
  const jail = new Jail(limits)
  const before = { rss: 0, children: processes() }
  beforeAll(async () => {
    await jail.load('bomb', skillOf('return 1'))
    await jail.close()
    before.rss = process.memoryUsage().rss
  })
  afterAll(async () => {
    await jail.close()
    expect(processes()).toBe(before.children)
    expect(process.memoryUsage().rss - before.rss).toBeLessThan(120e6)
  })
  test.each([...loops, ...hiddenLoops, ...longLoops, ...bombs, ...growing])(
    'but %s',
    async (_, body) => {
      await jail.load('bomb', skillOf(body))
      const begun = performance.now()
      const ended = await jail.call('bomb', 'hook:a0', {}, effects).catch((error: unknown) => error)
      expect(ended).toBeInstanceOf(JailError)
      expect(performance.now() - begun).toBeLessThan(20_000)
      const good = () => jail.call('bomb', 'hook:good', {})
      expect(await good().catch(good)).toBe(7)
    },
  )
})

test('a jail is closed while everything in it loops', async () => {
  const jail = new Jail(limits)
  await jail.load('bomb', skillOf('for (;;);'))
  await jail.load('gate', "gate('a', 1, () => { for (;;); })")
  const calls = [
    jail.call('bomb', 'hook:a0', {}, effects),
    jail.judge([{ skill: 'gate', entry: 'gate:a' }], {}),
  ]
  const ended = Promise.allSettled(calls)
  await jail.close()
  expect((await ended).map(({ status }) => status)).toContain('rejected')
  await expect(jail.call('bomb', 'hook:good', {})).rejects.toThrow('not loaded')
  await jail.close()
})

test.each([
  'for (;;);',
  'const again = () => Promise.resolve().then(again); again()',
  "'x'.padEnd(2 ** 28).split('')",
  "tool('a', { get about() { for (;;); } }, () => 1)",
])('a skill that does not end while it is loaded is not loaded: %s', async (code) => {
  const jail = new Jail({ ...limits, loadMs: 3_000 })
  onTestFinished(() => jail.close())
  await expect(jail.load('bomb', code)).rejects.toBeInstanceOf(JailError)
  await expect(jail.call('bomb', 'hook:a0', {})).rejects.toBeInstanceOf(JailError)
  await jail.load('good', "hook('a0', () => 7)")
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
  'gate.word = 1; tool.word = 1; Object.getPrototypeOf(gate).word = 1',
  'Object.getPrototypeOf(globalThis).word = 1',
  'Symbol.prototype.word = 1; Object.setPrototypeOf(Array.prototype, { word: 1 })',
]

test.each(smuggling)('nothing is left for another by %s', async (body) => {
  const jail = new Jail(limits)
  onTestFinished(() => jail.close())
  const look = `return [typeof word, typeof Object.word, typeof [].word, typeof JSON.word, typeof Math.word,
    typeof Promise.word, typeof Error.word, typeof (/x/).exec.word, typeof console.word].join()`
  await jail.load('one', asHook(['', body], 0))
  await jail.load('two', asHook(['', look], 0))
  await jail.call('one', 'hook:a0', {}).catch(() => {})
  const found = await jail.call('two', 'hook:a0', {})
  expect(new Set(String(found).split(','))).toEqual(new Set(['undefined']))
})

const judges = [
  'const expect = () => {}',
  'function expect() {}; function test() {}',
  'globalThis.expect = () => {}',
  'try { Map.prototype.set = () => {} } catch {}',
  'try { Array.prototype.push = () => 0 } catch {}',
  "try { JSON.stringify = () => '1' } catch {}",
  'try { Object.defineProperty(Object.prototype, "toJSON", { value: () => 1 }) } catch {}',
  "return function (test) { test('a', () => {}) }",
  '}); (function () {',
  'arguments[0] = () => {}',
]

test.each(judges)('a test is not made to pass by %s', async (trick) => {
  const jail = new Jail(limits)
  onTestFinished(() => jail.close())
  const tests = "test('a', () => { try { expect(1, 2) } catch {} })"
  const text = [`#+begin_src ts`, trick, '#+end_src', ''].join('\n')
  const read = readSkillDocument(text, 'a.org')
  if (!read.ok) return
  const loaded = await jail
    .load('a', read.document.code.text, tests)
    .catch((error: unknown) => error)
  if (loaded instanceof JailError) return
  expect(loaded).toMatchObject({ tests: ['a'] })
  expect(await jail.call('a', 'test:a', null)).toEqual([['1', '2']])
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
