import type { Above, Closing, ParseEnv, ParseLines } from './env.ts'
import { affiliatedProperties, closeElement } from './env.ts'
import type {
  Affiliated,
  Drawer,
  DynamicBlock,
  LatexEnvironment,
  OrgElement,
  PropertyDrawer,
  SrcBlock,
} from './nodes.ts'
import { parseObjects } from './objects.ts'

interface Inside {
  contentsBegin: number | null
  contentsEnd: number | null
}

function inside(env: ParseEnv, line: number, closer: number): Inside {
  if (line + 1 >= closer) return { contentsBegin: null, contentsEnd: null }
  return { contentsBegin: env.lines.starts[line + 1]!, contentsEnd: env.lines.starts[closer]! }
}

function elementsInside(env: ParseEnv, line: number, closer: number, parseLines: ParseLines) {
  env.depth++
  const children = line + 1 < closer ? parseLines(env, line + 1, closer) : []
  env.depth--
  return children as OrgElement[]
}

type Frame = Closing & Affiliated

function frame(env: ParseEnv, above: Above, line: number, closer: number, limit: number): Frame {
  return {
    ...closeElement(env, above.begin, closer + 1, limit),
    ...affiliatedProperties(above, env.lines.starts[line]!),
  }
}

/** Parses `#+begin_name` … `#+end_name`; `closer` is the closing line. */
export function parseBlock(
  env: ParseEnv,
  above: Above,
  line: number,
  closer: number,
  limit: number,
  parseLines: ParseLines,
): OrgElement {
  const { text, lines } = env
  const head = text.slice(lines.first[line]! + '#+begin_'.length, lines.ends[line])
  const name = /^\S+/.exec(head)![0]
  const rest = head.slice(name.length).trim()
  const own = frame(env, above, line, closer, limit)
  const bounds = inside(env, line, closer)
  const value = text.slice(lines.starts[line + 1], lines.starts[closer])
  switch (name.toLowerCase()) {
    case 'src':
      return { type: 'src-block', ...own, ...sourceHead(rest), value }
    case 'example':
      return { type: 'example-block', ...own, switches: rest === '' ? null : rest, value }
    case 'export': {
      const backend = /^\S+/.exec(rest)?.[0].toUpperCase() ?? null
      return { type: 'export-block', ...own, backend, value }
    }
    case 'comment':
      return { type: 'comment-block', ...own, value }
    case 'verse': {
      const children =
        bounds.contentsBegin === null
          ? []
          : parseObjects(text, bounds.contentsBegin, bounds.contentsEnd!, 'verse-block', env)
      return { type: 'verse-block', ...own, ...bounds, children }
    }
    case 'center':
    case 'quote': {
      const type = name.toLowerCase() === 'center' ? 'center-block' : 'quote-block'
      return { type, ...own, ...bounds, children: elementsInside(env, line, closer, parseLines) }
    }
    default: {
      const children = elementsInside(env, line, closer, parseLines)
      const parameters = rest === '' ? null : rest
      return { type: 'special-block', ...own, ...bounds, blockType: name, parameters, children }
    }
  }
}

const switchPattern = /^(?:[-+]n(?:[ \t]+\d+)?|-[irk]|-l[ \t]+"[^"\n]*")(?=[ \t]|$)[ \t]*/

function sourceHead(rest: string): Pick<SrcBlock, 'language' | 'switches' | 'parameters'> {
  const language = /^\S+/.exec(rest)?.[0] ?? null
  let parameters = rest.slice(language?.length ?? 0).trim()
  const switches: string[] = []
  for (let match = switchPattern.exec(parameters); match; match = switchPattern.exec(parameters)) {
    switches.push(match[0].trim())
    parameters = parameters.slice(match[0].length)
  }
  return {
    language,
    switches: switches.length === 0 ? null : switches.join(' '),
    parameters: parameters === '' ? null : parameters,
  }
}

/** Parses `#+begin: name arguments` … `#+end:`. */
export function parseDynamicBlock(
  env: ParseEnv,
  above: Above,
  line: number,
  closer: number,
  limit: number,
  parseLines: ParseLines,
): DynamicBlock {
  const { text, lines } = env
  const head = text.slice(lines.first[line]! + '#+begin:'.length, lines.ends[line]).trim()
  const blockName = /^\S+/.exec(head)![0]
  return {
    type: 'dynamic-block',
    ...frame(env, above, line, closer, limit),
    ...inside(env, line, closer),
    blockName,
    arguments: head.slice(blockName.length).trim() || null,
    children: elementsInside(env, line, closer, parseLines),
  }
}

/** Parses `:name:` … `:end:`. */
export function parseDrawer(
  env: ParseEnv,
  above: Above,
  line: number,
  closer: number,
  limit: number,
  parseLines: ParseLines,
): Drawer {
  const { text, lines } = env
  const drawerName = text
    .slice(lines.first[line]! + 1, lines.ends[line])
    .trimEnd()
    .slice(0, -1)
  return {
    type: 'drawer',
    ...frame(env, above, line, closer, limit),
    ...inside(env, line, closer),
    drawerName,
    children: elementsInside(env, line, closer, parseLines),
  }
}

const propertyPattern = /^[ \t]*:(\S+):(?:[ \t]+(.*?)|)[ \t\f]*$/

/** Parses a property drawer, or returns null when the lines are something else. */
export function parsePropertyDrawer(
  env: ParseEnv,
  line: number,
  limit: number,
): PropertyDrawer | null {
  const { text, lines } = env
  if (line >= limit || !isPropertiesLine(env, line)) return null
  const closer = env.closers.next(':end:', line + 1, limit)
  if (closer === -1) return null
  const children: PropertyDrawer['children'] = []
  for (let at = line + 1; at < closer; at++) {
    const match = propertyPattern.exec(text.slice(lines.starts[at], lines.ends[at]))
    if (match === null) return null
    children.push({
      type: 'node-property',
      position: lines.position(lines.starts[at]!, lines.starts[at + 1]!),
      postBlank: 0,
      key: match[1]!,
      value: match[2] ?? '',
    })
  }
  return {
    type: 'property-drawer',
    ...closeElement(env, lines.starts[line]!, closer + 1, limit),
    ...inside(env, line, closer),
    children,
  }
}

function isPropertiesLine(env: ParseEnv, line: number): boolean {
  const { text, lines } = env
  if (text.charCodeAt(lines.first[line]!) !== 58) return false
  return /^:properties:[ \t\f]*$/i.test(text.slice(lines.first[line], lines.ends[line]))
}

/** Parses `\begin{name}` … `\end{name}`. */
export function parseLatexEnvironment(
  env: ParseEnv,
  above: Above,
  line: number,
  closer: number,
  limit: number,
): LatexEnvironment {
  const { text, lines } = env
  return {
    type: 'latex-environment',
    ...frame(env, above, line, closer, limit),
    value: text.slice(lines.starts[line], lines.starts[closer + 1]),
  }
}
