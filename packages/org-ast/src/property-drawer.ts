import { word } from './characters.ts'
import { closeElement, type ParseEnv, skipBlankLines } from './env.ts'
import { lineText } from './lines.ts'
import { NodeProperty, PropertyDrawer } from './nodes.ts'

/** A property drawer, and the line where what follows it begins. */
export interface FoundDrawer {
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
