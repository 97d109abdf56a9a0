import fc from 'fast-check'
import { type OrgContent, type OrgData, parse } from 'org-ast'
import { orgDocument, orgSoup } from './generate.ts'

const damage = ['\r\n', '\0', '\ufeff', '\ud800', '\u2028', '\t', '*', '[', '\n', '#+end_src\n']

/** A document with up to four injuries. */
const orgDamaged: fc.Arbitrary<string> = fc
  .tuple(
    orgDocument,
    fc.array(fc.tuple(fc.nat(), fc.nat(40), fc.constantFrom(...damage)), { maxLength: 4 }),
  )
  .map(([text, injuries]) =>
    injuries.reduce((whole, [at, length, piece]) => {
      const begin = at % (whole.length + 1)
      const cut = whole.slice(begin, begin + length)
      const kept = length % 2 === 0 ? '' : cut + cut
      return whole.slice(0, begin) + kept + piece + whole.slice(begin + length)
    }, text),
  )

/** All three sources. */
export const anyOrg: fc.Arbitrary<string> = fc.oneof(orgDocument, orgSoup, orgDamaged)

type Node = OrgData | OrgContent

/** What is wrong with a tree as a map of its text, or null. */
export function lostBytes(text: string, tree: OrgData): string | null {
  if (tree.endOffset !== text.length) return `the root ends at ${tree.endOffset}`
  const stack: Node[] = [tree]
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    const { type, contentsBegin, contentsEnd, startOffset, endOffset } = node
    if (!('children' in node) || node.children.length === 0) continue
    const children = node.children as Node[]
    let at = contentsBegin ?? startOffset
    for (const child of children) {
      const gap = text.slice(at, child.startOffset)
      if (child.startOffset < at || gap.trim() !== '') return `${type} at ${at} loses ${gap}`
      at = child.endOffset
    }
    const rest = text.slice(at, contentsEnd ?? at)
    const isLoose = type === 'citation' || type === 'property-drawer'
    if (at > endOffset || (rest.trim() !== '' && !isLoose)) return `${type} at ${at} loses ${rest}`
    stack.push(...children)
  }
  return null
}

const marks = [
  ...[
    '[',
    '[[',
    '[[a][',
    '[[a]',
    ']',
    ']]',
    '<',
    '<<',
    '<<<',
    '>',
    '<a:',
    '<file:',
    'http:',
    'file:',
    '\\[',
  ],
  ...[
    '*',
    ' *a',
    'a* ',
    '_',
    '_{',
    'x^(',
    '=a ',
    '~',
    '+',
    '$',
    '$a',
    '$$',
    '\\(',
    '\\alpha',
    '\\\\',
  ],
  ...['{', '{{{a(', '(', ')', '}', '@@a:', '[fn:', '[fn:1:', '[cite:@', ';', 'src_x{', 'call_x('],
  ...[
    '<2026-11-21',
    '[2026-11-21 Sat]--',
    '[50%]',
    '<%%(',
    '- ',
    ' - a\n',
    '1. ',
    'a :: ',
    '[@1] ',
  ],
  ...['* a\n', '*** ', '* TODO a :b:\n', ':a:', '[#', '|', '| a |\n', '+-+\n', '|-', '\n', '\n\n'],
  ...['#+', '#+begin_x\n', '#+end_x\n', '#+begin: x\n', ':D:\n', ':END:\n', ':PROPERTIES:\n'],
  ...['#+name: x\n', '#+caption[', '#+todo: a\n', '#+tblfm: a\n', '[fn:1] a\n', '# ', ': ', '%%('],
  ...[
    '\\begin{x}\n',
    '\\end{x}\n',
    'CLOCK: ',
    'SCHEDULED: <',
    '-----\n',
    ' ',
    'a',
    'é',
    '😀',
    '\r\n',
  ],
]

const mark = fc.constantFrom(...marks)

/** A few marks, to be repeated, with what stands before and behind all of them. */
const orgMarks: fc.Arbitrary<readonly [string, string, string]> = fc.tuple(
  fc.array(mark, { maxLength: 3 }).map((parts) => parts.join('')),
  fc.array(mark, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('')),
  fc.oneof(fc.constant(''), mark),
)

/** How many times longer four times the text takes; 1 when it takes too little to tell. */
function growth(text: string, before: string = '', behind: string = '\n'): number {
  const unit = text.repeat(Math.ceil(20_000 / text.length))
  let least = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 6; attempt++) {
    const one = seconds(before + unit + behind)
    const four = seconds(before + unit.repeat(4) + behind)
    least = Math.min(least, four < 0.05 ? 1 : four / one)
    if (least < 12) break
  }
  return least
}

function seconds(text: string): number {
  const before = process.cpuUsage()
  parse(text)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}

function main(count: number, seed: number): number {
  let asked = 0
  let failed = 0
  for (let part = 0; asked < count; part++) {
    for (const text of fc.sample(anyOrg, { seed: seed + part, numRuns: 1000 })) {
      const problem = problemWith(text, asked++ % 100 === 0)
      if (problem === null) continue
      failed++
      console.log(`${problem} (seed ${seed + part}): ${JSON.stringify(text)}`)
    }
    for (const parts of fc.sample(orgMarks, { seed: seed + part, numRuns: 50 })) {
      const [before, text, behind] = parts
      const times = growth(text, before, behind)
      if (times < 12) continue
      failed++
      console.log(`grows ${times.toFixed(1)} times (seed ${seed + part}): ${JSON.stringify(parts)}`)
    }
    if (process.stderr.isTTY) process.stderr.write(`\r${asked} of ${count}`)
  }
  console.log(
    `${asked} documents and ${asked / 20} repetitions, ${failed} failed, seeds from ${seed}`,
  )
  return failed === 0 ? 0 : 1
}

function problemWith(text: string, timed: boolean): string | null {
  try {
    const lost = lostBytes(text, parse(text))
    if (lost !== null) return lost
  } catch (error) {
    return `throws ${String(error)}`
  }
  const times = timed ? growth(`${text}\n`) : 1
  return times < 12 ? null : `grows ${times.toFixed(1)} times`
}

if (import.meta.main) {
  const [count = '20000', seed = String(Date.now() % 1_000_000)] = process.argv.slice(2)
  process.exitCode = main(Number(count), Number(seed))
}
