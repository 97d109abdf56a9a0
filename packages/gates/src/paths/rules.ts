import { hasPattern, matcherOf } from './paths.ts'

/** One rule about paths. Components are in small letters. */
export interface IndexedRule<T> {
  parts: { text: string; could: ((name: string) => boolean) | null }[]
  /** It applies to everything below as well. */
  below: boolean
  value: T
}

/** Where a rule was found in a path: the first and the last component that it covers. */
export interface RuleMatch<T> {
  from: number
  to: number
  rule: IndexedRule<T>
  value: T
}

/** Rules that can be looked for. */
interface RuleIndex<T> {
  rules: readonly IndexedRule<T>[]
  /** Every rule that occurs in these components, and where. */
  find(components: readonly string[]): RuleMatch<T>[]
}

type Filed<T> = Record<'name' | 'folder' | 'ending' | 'start', Map<string, IndexedRule<T>[]>>

/** Makes an index of rules, given as names and a value. Throws a RangeError for a pattern without a fixed end. */
export function indexRules<T>(entries: Iterable<readonly [string, T]>): RuleIndex<T> {
  const rules: IndexedRule<T>[] = []
  const filed: Filed<T> = {
    name: new Map(),
    folder: new Map(),
    ending: new Map(),
    start: new Map(),
  }
  for (const [names, value] of entries) {
    for (const text of names.split(' ')) {
      const parts = text
        .split('/')
        .filter((part) => part !== '')
        .map((part) => ({
          text: part,
          could: hasPattern(part) ? matcherOf(part, 'included') : null,
        }))
      const rule = { parts, below: text.endsWith('/'), value }
      rules.push(rule)
      const [kind, key] = keyOf(rule)
      filed[kind].set(key, [...(filed[kind].get(key) ?? []), rule])
    }
  }
  return { rules, find: (components) => findIn(filed, components) }
}

function keyOf<T>({ parts }: IndexedRule<T>): [keyof Filed<T>, string] {
  const last = parts.at(-1)
  const before = parts.at(-2)
  if (last === undefined) throw new RangeError('Expected a rule with a component')
  if (last.could === null) return ['name', last.text]
  if (before?.could === null) return ['folder', before.text]
  const ending = /\.[^.*?]+$/.exec(last.text)?.[0]
  if (ending !== undefined && last.text.startsWith('*')) return ['ending', ending]
  const beginning = last.text.slice(0, 2)
  if (!hasPattern(beginning)) return ['start', beginning]
  throw new RangeError(`Expected a pattern with a fixed end, got ${last.text}`)
}

function findIn<T>(filed: Filed<T>, components: readonly string[]): RuleMatch<T>[] {
  const found: RuleMatch<T>[] = []
  for (let to = 0; to < components.length; to++) {
    const component = components[to] ?? ''
    addMatches(found, filed.name.get(component), components, to)
    addMatches(found, filed.start.get(component.slice(0, 2)), components, to)
    if (to > 0) addMatches(found, filed.folder.get(components[to - 1] ?? ''), components, to)
    const dot = component.lastIndexOf('.')
    if (dot >= 0) addMatches(found, filed.ending.get(component.slice(dot)), components, to)
  }
  return found
}

function addMatches<T>(
  found: RuleMatch<T>[],
  rules: readonly IndexedRule<T>[] | undefined,
  components: readonly string[],
  to: number,
): void {
  if (rules === undefined) return
  const isLast = to === components.length - 1
  for (const rule of rules) {
    const from = to - rule.parts.length + 1
    if (from < 0 || (!isLast && !rule.below)) continue
    const fits = rule.parts.every(({ text, could }, index) => {
      const component = components[from + index] ?? ''
      return text === component || could?.(component) === true
    })
    if (fits) found.push({ from, to, rule, value: rule.value })
  }
}
