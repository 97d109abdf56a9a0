import type { Draft, ObjectDraft, OrgDraft } from '../tree/draft.ts'
import type { Headline, OrgData, Section } from '../tree/nodes.ts'
import { headlineText, printContents } from './elements.ts'
import { Printer, printObjects, type StringifyOptions } from './objects.ts'

export type { Draft, ElementDraft, ObjectDraft, OrgDraft } from '../tree/draft.ts'
export type { StringifyOptions } from './objects.ts'

type Outline = Draft<OrgData> | Draft<Headline> | Draft<Section>

function printOutline(root: Outline, printer: Printer): string {
  const parts: string[] = []
  const open: { node: Outline; next: number }[] = []
  const enter = (node: Outline) => {
    if (node.type === 'headline') parts.push(headlineText(node, printer))
    if (node.type === 'org-data') parts.push('\n'.repeat(node.preBlank ?? 0))
    open.push({ node, next: 0 })
  }
  enter(root)
  while (open.length > 0) {
    const { node, next } = open.at(-1)!
    const child = node.type === 'section' ? undefined : node.children?.[next]
    open.at(-1)!.next++
    if (child !== undefined) {
      enter(child)
      continue
    }
    if (node.type === 'section') parts.push(printContents(node.children, printer))
    if (node.type !== 'org-data') parts.push('\n'.repeat(node.postBlank ?? 0))
    open.pop()
  }
  return parts.join('')
}

/**
 * The Org text of a tree or of any part of it, as Emacs's `org-element-interpret-data` prints it.
 * Nodes may be parsed or made by hand; nothing in them is changed. Takes time in proportion to the
 * text, once for each level of a list. Throws a RangeError when elements or objects are nested more
 * than a thousand deep, or when a count such as `postBlank` is negative.
 */
export function stringify(
  tree: OrgDraft | readonly ObjectDraft[],
  options: StringifyOptions = {},
): string {
  const printer = new Printer(options)
  const text = isList(tree) ? printObjects(tree, printer) : printNode(tree, printer)
  return printer.lineEnd === '\n' ? text : text.replaceAll('\n', printer.lineEnd)
}

function isList(tree: OrgDraft | readonly ObjectDraft[]): tree is readonly ObjectDraft[] {
  return Array.isArray(tree)
}

function printNode(node: OrgDraft, printer: Printer): string {
  switch (node.type) {
    case 'org-data':
    case 'section':
    case 'headline':
      return printOutline(node, printer)
    default:
      return printContents([node], printer)
  }
}
