import type { Element } from 'hast'
import { h } from 'hastscript'
import type { FootnoteReference } from 'org-ast'
import type { Content, Notes, Writer } from './writer.ts'

/** The small number that leads to the note. */
export function footnoteReference(node: FootnoteReference, writer: Writer): Element {
  const key = node.label ?? node
  const known = writer.notes.indexOf(key)
  if (known < 0) writer.notes.push(key)
  const number = known < 0 ? writer.notes.length : known + 1
  if (typeof key === 'string' && known < 0 && !writer.scan.definitions.has(key)) {
    writer.problem(node.position.start.line, `there is no footnote ${key}`)
  }
  const id = known < 0 ? { id: `_ref-${number}` } : {}
  return h('sup', h('a', { ...id, href: `#_note-${number}`, role: 'doc-noteref' }, String(number)))
}

/** The small number that leads to a note with this content. */
export function madeNote(said: Content, writer: Writer): Element {
  writer.notes.push({ said })
  const number = writer.notes.length
  const way = { id: `_ref-${number}`, href: `#_note-${number}`, role: 'doc-noteref' }
  return h('sup', h('a', way, String(number)))
}

/** The notes at the end of the page; nothing when there are none. */
export function footnotes(writer: Writer): Content {
  const rows: Element[] = []
  writer.isInNote = true
  for (let index = 0; index < writer.notes.length; index++) {
    const note = writer.notes[index]!
    const way = { href: `#_ref-${index + 1}`, role: 'doc-backlink', ariaLabel: 'Back' }
    const content = noteContent(note, writer)
    rows.push(h('li', { id: `_note-${index + 1}` }, [...content, ' ', h('a', way, '↩')]))
  }
  return rows.length === 0 ? [] : [h('div', { className: 'footnotes' }, h('ol', rows))]
}

function noteContent(note: Notes[number], writer: Writer): Content {
  if (typeof note !== 'string') return 'said' in note ? note.said : writer.objects(note.children)
  const known = writer.scan.definitions.get(note)
  if (known === undefined) return []
  return known.isInline ? writer.objects(known.content) : writer.elements(known.content)
}
