import * as A from 'org-ast'
import fc from 'fast-check'
const { parse, walk, applyPatches } = A
const piece = fc.constantFrom('* ', '** TODO ', '- ', '  - ', '[ ] ', '[X]', '[-] ', '[/]', '[%]', ' :: ', '\n', '\n', '\n', '\r\n', '\r', '\t', ' ', '| ', '|', '|-', '+', '#+begin_src sh', '#+end_src', '#+begin_example -i', '#+end_example', '#+begin_quote', '#+end_quote', '#+RESULTS:', '#+RESULTS[ab]:', '#+name: x', '#+RESULTS: x', '#+tblfm: @2$1=$3', ':PROPERTIES:', ':ORDERED: t', ':COOKIE_DATA: recursive', ':END:', ':D:', 'a', '茶', '👍', '[[x][y]]', '[fn:1] ', '1. ', '[@3] ', ':tag:', '#+attr_org: :radio t', '\u2028', '\u0000', '<c>', '12', '=', '\ud800')
const text = fc.array(piece, { maxLength: 60 }).map(a => a.join(''))
let n = 0
const check = (t: string, f: () => A.Patch[]) => { n++; try { const p = f(); const out = applyPatches(t, p); if (p.length > 0 && out === t) throw new Error('patches change nothing ' + JSON.stringify(p)); parse(out); return out } catch (e) { if (!(e instanceof RangeError) || /overlaps|not in this tree/.test((e as Error).message)) throw e; return null } }
fc.assert(fc.property(text, fc.nat(), fc.boolean(), (t, k, flag) => {
  const tree = parse(t)
  check(t, () => A.updateAllCookies(t, tree, null))
  walk(tree, (node) => {
    if (node.type === 'item' || node.type === 'headline') {
      for (const change of ['state', 'presence', 'partial'] as const) check(t, () => A.toggleCheckbox(t, tree, node, { change, hierarchical: flag }))
      check(t, () => A.updateCookies(t, tree, node))
      if (node.type === 'headline') check(t, () => A.updateAllCookies(t, tree, node))
    } else if (node.type === 'table') {
      const once = check(t, () => A.alignTable(t, node))
      const row = k % (node.children.length + 1), column = k % 4
      check(t, () => A.insertTableRow(t, node, { row, below: flag }))
      check(t, () => A.deleteTableRow(t, node, { row }))
      check(t, () => A.moveTableRow(t, node, { row, up: flag }))
      check(t, () => A.insertTableRule(t, node, { row, above: flag }))
      check(t, () => A.insertTableColumn(t, node, { column }))
      check(t, () => A.deleteTableColumn(t, node, { column }))
      check(t, () => A.setTableCell(t, node, { row, column }, '[[a][b]] 茶'))
    } else if (/^(src|example|export|comment)-block$/.test(node.type)) {
      const b = node as A.EditableBlock
      check(t, () => A.setBlockBody(t, b, '* x\n\ny', { preserveIndentation: flag }))
      if (b.type === 'src-block') {
        check(t, () => A.setHeaderArgument(t, b, 'x', flag ? null : 'y'))
        for (const format of ['verbatim', 'drawer', 'raw', 'code'] as const) check(t, () => A.setBlockResult(t, tree, b, 'a\nb', flag ? { format, hash: 'ab' } : { format }))
      }
    }
  })
}), { numRuns: 20000 })
console.log(n, 'edits')
