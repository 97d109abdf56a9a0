import {
  applyPatches,
  cutSubtree,
  demoteHeadline,
  demoteSubtree,
  insertHeadline,
  moveSubtree,
  type Patch,
  pasteSubtree,
  promoteHeadline,
  promoteSubtree,
  sortChildren,
} from 'org-ast/edit'
import { expect, test } from 'vitest'
import { askEmacs, hasEmacs, isOld, orRefused } from './emacs.ts'
import { atHeadline, type OutlineCase, outlines } from './outlines.ts'

interface Command {
  name: string
  /** Given at the headline, or at the last of the first level. */
  emacs: string
  last?: boolean
  ours: (at: OutlineCase) => Patch[]
  /** How many files; 100 unless given. */
  count?: number
  /** Where Emacs is wrong. */
  wrong?: (at: OutlineCase) => boolean
  /** Where the Org of Emacs 28 does something else. */
  oldDiffers?: (at: OutlineCase) => boolean
}

const overTheTop = ({ text, all, headline }: OutlineCase) =>
  text.startsWith('*') && all[0]!.level > headline.level
const blankEnd = ({ text }: OutlineCase) => /\n[ \t]+$/.test(text)

const simple: Command[] = [
  {
    name: 'promote',
    emacs: '(org-do-promote)',
    ours: (at) => promoteHeadline(at.text, at.tree, at.headline),
  },
  {
    name: 'demote',
    emacs: '(org-do-demote)',
    ours: (at) => demoteHeadline(at.text, at.tree, at.headline),
  },
  {
    name: 'promote all',
    emacs: '(org-promote-subtree)',
    ours: (at) => promoteSubtree(at.text, at.tree, at.headline),
  },
  {
    name: 'demote all',
    emacs: '(org-demote-subtree)',
    ours: (at) => demoteSubtree(at.text, at.tree, at.headline),
  },
  {
    name: 'up',
    emacs: '(org-move-subtree-up)',
    ours: (at) => moveSubtree(at.text, at.tree, at.headline, 'up'),
    wrong: overTheTop,
  },
  {
    name: 'down',
    emacs: '(org-move-subtree-down)',
    ours: (at) => moveSubtree(at.text, at.tree, at.headline, 'down'),
    wrong: blankEnd,
  },
  { name: 'cut', emacs: '(org-cut-subtree)', ours: (at) => cutSubtree(at.text, at.headline) },
]

const request = { title: 'New', todo: 'TODO', priority: 'B', tags: ['home', '漢'] }
const typed = `(insert "TODO [#B] New") (org-set-tags '("home" "漢"))`
const blanksAround = ({ text, headline }: OutlineCase) => {
  const { start, end } = headline.position
  return (
    /^$|(?:^|\n)[ \t\r]*\n$/.test(text.slice(0, start.offset)) ||
    !/[^ \t\r\n]\r?\n$/.test(text.slice(0, end.offset))
  )
}

const inserting: Command[] = [
  {
    name: 'before',
    emacs: `(progn (org-insert-heading) ${typed})`,
    ours: (at) => insertHeadline(at.text, at.tree, { before: at.headline }, request),
  },
  {
    name: 'after',
    emacs: `(progn (org-insert-heading-respect-content) ${typed})`,
    ours: (at) => insertHeadline(at.text, at.tree, { after: at.headline }, request),
    count: 400,
    oldDiffers: blanksAround,
  },
  {
    name: 'under',
    emacs: `(progn (org-insert-subheading '(4)) ${typed})`,
    ours: (at) => insertHeadline(at.text, at.tree, { under: at.headline }, request),
    count: 400,
    oldDiffers: blanksAround,
  },
  {
    name: 'at the end',
    emacs: `(progn (org-insert-heading '(4) nil 1) ${typed})`,
    last: true,
    ours: (at) => insertHeadline(at.text, at.tree, { under: null }, request),
    oldDiffers: () => true,
  },
]

const pasted = '** New\t:t:\nText.\n**** Child :漢:'
const written = JSON.stringify(pasted)
const pasting: Command[] = [
  {
    name: 'paste before',
    emacs: `(org-paste-subtree nil ${written})`,
    ours: (at) => pasteSubtree(at.text, at.tree, { before: at.headline }, pasted),
  },
  {
    name: 'paste after',
    emacs: `(let ((level (org-outline-level))) (org-end-of-subtree t t) (org-paste-subtree level ${written}))`,
    ours: (at) => pasteSubtree(at.text, at.tree, { after: at.headline }, pasted),
  },
  {
    name: 'paste under',
    emacs: `(let ((level (org-get-valid-level (org-outline-level) 1))) (org-end-of-subtree t t) (org-paste-subtree level ${written}))`,
    ours: (at) => pasteSubtree(at.text, at.tree, { under: at.headline }, pasted),
  },
  {
    name: 'paste at level 5',
    emacs: `(org-paste-subtree 5 ${written})`,
    ours: (at) => pasteSubtree(at.text, at.tree, { before: at.headline }, pasted, 5),
  },
]

const mixed = (nodes: readonly { type: string; level?: number }[]) =>
  new Set(nodes.flatMap(({ type, level }) => (type === 'headline' ? [level] : []))).size > 1
const orders = { title: '?a', todo: '?o', priority: '?p' } as const
const sorting = Object.entries(orders).flatMap(([by, character]): Command[] =>
  [false, true].flatMap((descending) => {
    const how = { by: by as keyof typeof orders, descending }
    const emacs = `(org-sort-entries nil ${descending ? `(upcase ${character})` : character})`
    const name = `sort by ${by}${descending ? ', descending' : ''}`
    return [
      {
        name,
        emacs,
        ours: (at: OutlineCase) => sortChildren(at.text, at.tree, at.headline, how),
        wrong: ({ headline }: OutlineCase) => mixed(headline.children),
      },
      {
        name: `${name}, the file`,
        emacs: `(progn (goto-char (point-min)) ${emacs})`,
        ours: (at: OutlineCase) => sortChildren(at.text, at.tree, null, how),
        count: 180,
        oldDiffers: blankEnd,
        wrong: ({ text, tree }: OutlineCase) => text.startsWith('*') || mixed(tree.children),
      },
    ]
  }),
)

function lastOf({ tree, headline }: OutlineCase) {
  const last = tree.children.at(-1)
  return last?.type === 'headline' ? last : headline
}

function attempt(at: OutlineCase, command: Command): string {
  return orRefused(() => {
    return applyPatches(at.text, command.ours(at))
  })
}

test.skipIf(!hasEmacs)('as Emacs edits the outline', { timeout: 300_000 }, () => {
  const commands = [...simple, ...inserting, ...pasting, ...sorting]
  const cases = commands.flatMap((command, seed) =>
    outlines(command.count ?? 100, seed).map((at) => ({ at, command })),
  )
  const { version, results } = askEmacs(
    cases.map(({ at, command }) => ({
      text: at.text,
      at: 0,
      command: atHeadline(command.last ? lastOf(at) : at.headline, command.emacs),
    })),
  )
  const seen = new Map<string, number>()
  for (const [index, { at, command }] of cases.entries()) {
    if (command.wrong?.(at) || (isOld(version) && command.oldDiffers?.(at))) continue
    const result = results[index]!
    const theirs = 'error' in result ? 'refused' : result['a.org']
    const { name } = command
    const from = { name, text: at.text, title: at.headline.rawValue }
    expect({ ...from, after: attempt(at, command) }).toEqual({ ...from, after: theirs })
    seen.set(name, (seen.get(name) ?? 0) + 1)
  }
  for (const { name } of commands) {
    if (name !== 'at the end') expect(seen.get(name), name).toBeGreaterThanOrEqual(50)
  }
})
