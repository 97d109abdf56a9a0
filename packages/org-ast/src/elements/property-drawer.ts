import {
  closeElement,
  type ParseElements,
  type ParseEnv,
  skipBlankLines,
} from '../environment/env.ts'
import { word } from '../text/characters.ts'
import { lineText } from '../text/lines.ts'
import { NodeProperty, type OrgElement, PropertyDrawer } from '../tree/nodes.ts'
import { parsePlanning } from './planning.ts'

/** A property drawer, and the line where what follows it begins. */
interface FoundDrawer {
  node: PropertyDrawer
  after: number
}

/** Parses a property drawer, or returns null when the lines are something else. */
export function parsePropertyDrawer(
  env: ParseEnv,
  line: number,
  limit: number,
): FoundDrawer | null {
  const { lines } = env
  if (line >= limit || !isPropertiesLine(env, line)) return null
  const closer = env.closers.next(':end:', line + 1, limit)
  if (closer === -1) return null
  const children: NodeProperty[] = []
  for (let at = line + 1; at < closer; at++) {
    const property = parseProperty(env, at)
    if (property === null) return null
    children.push(property)
  }
  const node = new PropertyDrawer('property-drawer', env.origin, lines.starts[line]!)
  if (closer > line + 1) node.contain(lines.starts[line + 1]!, lines.starts[closer]!)
  node.children = children.slice()
  closeElement(env, node, closer + 1, limit)
  return { node, after: skipBlankLines(env, closer + 1, limit) }
}

function isPropertiesLine(env: ParseEnv, line: number): boolean {
  const { lines } = env
  if (lines.marks[line] !== 58) return false
  return /^:properties:[ \t]*$/i.test(lineText(lines, line))
}

const propertyPattern = new RegExp(`^[ \\t]*:(${word}):(?:[ \\t]+(.*?)|)[ \\t]*$`, 's')

function parseProperty(env: ParseEnv, line: number): NodeProperty | null {
  const { lines, text } = env
  const match = propertyPattern.exec(text.slice(lines.starts[line], lines.ends[line]))
  if (match === null) return null
  const property = new NodeProperty(
    'node-property',
    env.origin,
    lines.starts[line]!,
    lines.starts[line + 1]!,
  )
  property.key = match[1]!
  property.value = match[2] ?? ''
  return property
}

/** The elements of `[first, limit)`; planning and properties only if `first` is right `below`. */
export function elementsBelow(
  env: ParseEnv,
  below: number,
  first: number,
  limit: number,
  elements: ParseElements,
): OrgElement[] {
  const planning = first === below ? parsePlanning(env, first, limit) : null
  const line = planning === null ? first : skipBlankLines(env, first + 1, limit)
  const drawer = first === below ? parsePropertyDrawer(env, line, limit) : null
  const rest = elements(env, drawer?.after ?? line, limit)
  return planning === null && drawer === null ? rest : inFront([planning, drawer?.node], rest)
}

/** The elements with those in front of them that are there. */
export function inFront(
  first: readonly (OrgElement | null | undefined)[],
  rest: OrgElement[],
): OrgElement[] {
  return first.filter((element) => element != null).concat(rest)
}
