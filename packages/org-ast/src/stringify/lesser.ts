import { escapeCode } from '../text/escape.ts'
import type { Draft } from '../tree/draft.ts'
import type {
  BabelCall,
  Clock,
  ExampleBlock,
  ExportBlock,
  SrcBlock,
} from '../tree/lesser-elements.ts'
import type { NodeProperty, OrgElement, Planning } from '../tree/nodes.ts'
import type { Printer } from './objects.ts'
import { dedent, normalizeEnd, prefixLines, stringWidth } from './text.ts'
import { printTimestamp } from './timestamp.ts'

/** An element of which nothing is parsed any further. */
type Lesser = Exclude<OrgElement, { children: unknown }> | NodeProperty

/** The lines of a lesser element, the last one without its newline; null for any other type. */
export function printLesser(node: Draft<Lesser>, printer: Printer): string | null {
  switch (node.type) {
    case 'src-block':
    case 'example-block':
      return printCode(node, printer)
    case 'export-block':
      return printExport(node, printer)
    case 'comment-block':
      return block('comment', null, normalizeEnd(dedent(printer.text(node.value), printer.tabs)))
    case 'keyword':
      return `#+${node.key.toLowerCase()}: ${node.value}`
    case 'babel-call':
      return printCall(node)
    case 'comment':
      return node.value === '' ? '#' : marked('# ', printer.text(node.value))
    case 'fixed-width':
      return node.value === '' ? ':' : marked(': ', printer.text(node.value))
    case 'horizontal-rule':
      return '-----'
    case 'latex-environment':
    case 'diary-sexp':
      return printer.text(node.value)
    case 'clock':
      return printClock(node)
    case 'planning':
      return printPlanning(node)
    case 'node-property':
      return printProperty(node)
    default:
      return null
  }
}

function marked(mark: string, value: string): string {
  return mark + value.replaceAll('\n', `\n${mark}`)
}

/** A block with its first and its last line. */
export function block(name: string, parameters: string | null | undefined, body: string): string {
  return `#+begin_${name}${spaced(parameters)}\n${body}#+end_${name}`
}

/** A text with a blank before it; nothing for none. */
export function spaced(text: string | null | undefined): string {
  return text == null ? '' : ` ${text}`
}

function printCode(node: Draft<SrcBlock> | Draft<ExampleBlock>, printer: Printer): string {
  const isSource = node.type === 'src-block'
  const language = isSource ? spaced(node.language) : ''
  const parameters = isSource ? spaced(node.parameters) : ''
  const head = (isSource ? 'src' : 'example') + language + spaced(node.switches) + parameters
  const value = printer.text(node.value)
  const preserved = node.preserveIndent ?? /-i\b/.test(node.switches ?? '')
  const body = preserved
    ? value
    : prefixLines(dedent(value, printer.tabs), ' '.repeat(printer.contentIndentation))
  const text = `#+begin_${head}\n${normalizeEnd(escapeCode(body))}`
  return `${text}#+end_${isSource ? 'src' : 'example'}`
}

function printExport(node: Draft<ExportBlock>, printer: Printer): string {
  const value = printer.text(node.value)
  const needed = /(?<![^\n])([ \t]*)(?=,+(?:\*|#\+)|#\+end_export)|(?<![^\n])(?=\*+ )/gi
  const body = value.replace(needed, (blanks) => `${blanks},`)
  const end = body === '' || body.endsWith('\n') ? '' : '\n'
  return block('export', node.backend, body + end)
}

function printCall({ call, value, endHeader, ...node }: Draft<BabelCall>): string {
  if (call == null && value) return `#+call: ${value}`
  const inside = node.insideHeader == null ? '' : `[${node.insideHeader}]`
  return `#+call: ${call ?? ''}${inside}(${node.arguments ?? ''})${spaced(endHeader)}`
}

function printClock(node: Draft<Clock>): string {
  const stamp = node.value == null ? '' : printTimestamp(node.value)
  if (node.duration == null) return `CLOCK: ${stamp}`
  const [hours = '', minutes = ''] = node.duration.split(':').filter((part) => part !== '')
  return `CLOCK: ${stamp} => ${hours.padStart(2)}:${minutes.padStart(2)}`
}

function printPlanning({ deadline, scheduled, closed }: Draft<Planning>): string {
  const parts: string[] = []
  if (deadline) parts.push(`DEADLINE: ${printTimestamp(deadline)}`)
  if (scheduled) parts.push(`SCHEDULED: ${printTimestamp(scheduled)}`)
  if (closed) parts.push(`CLOSED: ${printTimestamp(closed)}`)
  return parts.join(' ')
}

function printProperty({ key, value }: Draft<NodeProperty>): string {
  const name = `:${key}:`
  return `${name}${' '.repeat(Math.max(10 - stringWidth(name), 0))} ${value ?? ''}`
}
