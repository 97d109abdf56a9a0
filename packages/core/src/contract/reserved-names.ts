const likeLetters: Record<string, string> = {
  0: 'o',
  1: 'l',
  i: 'l',
  3: 'e',
  4: 'a',
  5: 's',
  6: 'g',
  7: 't',
  8: 's',
  9: 'g',
  v: 'u',
}

function bareOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
    .replaceAll('vv', 'w')
    .replace(/[013-9iv]/g, (sign) => likeLetters[sign] ?? sign)
    .replaceAll('rn', 'm')
    .replaceAll('cl', 'd')
    .replace(/(.)\1+/g, '$1')
    .replace(/s$/, '')
}

/** What is left of a name when what an eye passes over is gone; there are two ways to read a number. */
function likenessesOf(name: string): Set<string> {
  return new Set([bareOf(name), bareOf(name.replace(/\d+$/, ''))])
}

/** The first of these names that looks like `name`; null when none does. */
export function likeName(name: string, taken: Iterable<string>): string | null {
  const own = likenessesOf(name)
  for (const each of taken) if (!own.isDisjointFrom(likenessesOf(each))) return each
  return null
}

const partsOfTheHouse = [
  ...['agent', 'approval', 'cli', 'core', 'daemon', 'dispatcher', 'gate', 'mandate', 'memex'],
  ...['memory', 'mind', 'model', 'owner', 'passepartout', 'permissions', 'planner', 'policy'],
  ...['rules', 'sandbox', 'shell', 'skill', 'skill-engine', 'system', 'tool', 'user', 'vault'],
  ...['verification', 'you'],
]

interface Named {
  name: string
}

/** What the house is made of, as far as it has names. */
export interface NamedParts {
  skills: readonly Named[]
  gates: readonly Named[]
  providers: readonly Named[]
  tools: ReadonlyMap<string, unknown>
  actuators: ReadonlyMap<string, unknown>
  sensors: ReadonlyMap<string, unknown>
}

/** All names that a stranger's skill may not have, nor look like. */
export function takenNames(parts: NamedParts): Set<string> {
  const { actuators, gates, providers, sensors, skills, tools } = parts
  const named = [...skills, ...gates, ...providers].map(({ name }) => name)
  return new Set([
    ...partsOfTheHouse,
    ...named,
    ...tools.keys(),
    ...actuators.keys(),
    ...sensors.keys(),
  ])
}
