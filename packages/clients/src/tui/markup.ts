import {
  cleanText,
  columnsOf,
  cutTo,
  type Line,
  type Span,
  span,
  type Tone,
  wrapLine,
} from './text.ts'

type Block = { language: string; closes: RegExp }

const orgBlock = /^\s*#\+begin_(\w+)(?:\s+(\S+))?/i
const fence = /^\s*(```+|~~~+)\s*([\w+#-]*)\s*$/

function blockOf(line: string): Block | null {
  const org = orgBlock.exec(line)
  if (org !== null) {
    const kind = org[1]!.toLowerCase()
    const language =
      kind === 'src' ? (org[2] ?? '') : kind === 'quote' || kind === 'verse' ? kind : ''
    return {
      language: language.toLowerCase(),
      closes: new RegExp(`^\\s*#\\+end_${kind}\\s*$`, 'i'),
    }
  }
  const fenced = fence.exec(line)
  if (fenced === null) return null
  const mark = fenced[1]!
  return {
    language: fenced[2]!.toLowerCase(),
    closes: new RegExp(`^\\s*\\${mark[0]}{${mark.length},}\\s*$`),
  }
}

/** A text as rows of at most so many columns. */
export function markup(text: string, width: number): Line[] {
  const rows: Line[] = []
  let block: Block | null = null
  for (const line of cleanText(text).split('\n')) {
    if (block !== null) {
      if (block.closes.test(line)) block = null
      else rows.push(...blockRows(line, block.language, width))
      continue
    }
    block = blockOf(line)
    if (block === null) rows.push(...proseRows(line, width))
    else if (isCode(block.language))
      rows.push([span('▏ ', 'muted'), span(cutTo(block.language, width - 2), 'muted')])
  }
  return rows
}

function isCode(language: string): boolean {
  return language !== '' && language !== 'quote' && language !== 'verse'
}

function blockRows(line: string, language: string, width: number): Line[] {
  const spans =
    language === 'diff'
      ? diffLine(line)
      : isCode(language)
        ? codeLine(line, language)
        : [span(line, language === '' ? 'code' : 'emphasis')]
  return wrapLine(spans, width - 2).map((row) => [span('▏ ', 'muted'), ...row])
}

const heading =
  /^(\*+|#{1,6})\s+(?:([A-Z][A-Z-]{2,}) )?(\[#[A-Z0-9]+\] )?(.*?)(\s+:[\w@#%:]+:)?\s*$/
const doneWords = new Set(['DONE', 'CANCELLED', 'CANCELED', 'DENIED', 'EXPIRED'])
const item = /^(\s*)([-+•]|\d+[.)]|\*(?=\s+\S))(\s+)(\[[ xX-]\]\s+)?/

function proseRows(line: string, width: number): Line[] {
  const isHeading = /^(\*+|#{1,6})\s/.test(line)
  if (isHeading) return headingRows(line, width)
  if (/^\s*\|/.test(line)) return wrapLine(tableLine(line), width)
  if (/^\s*(?::[\w-]+:(?:\s.*)?|#\+\w+:.*|# .*)$/.test(line))
    return wrapLine([span(line, 'muted')], width, 2)
  if (/^\s*-{5,}\s*$/.test(line))
    return [[span('─'.repeat(Math.max(1, Math.min(width, 40))), 'muted')]]
  const found = item.exec(line)
  if (found === null) return wrapLine(inline(line), width, indentOf(line))
  const [whole, indent, bullet, gap, box = ''] = found
  const mark = /\d/.test(bullet!) ? bullet! : '•'
  const head = [
    span(indent!),
    span(mark, 'accent'),
    span(gap!),
    span(box, /[xX]/.test(box) ? 'good' : 'muted'),
  ]
  return wrapLine([...head, ...inline(line.slice(whole!.length))], width, columnsOf(whole!))
}

function indentOf(line: string): number {
  return /^ */.exec(line)![0].length
}

function headingRows(line: string, width: number): Line[] {
  const [, stars = '', keyword, priority, title = '', tags] = heading.exec(line) ?? [
    null,
    '',
    undefined,
    undefined,
    line,
    undefined,
  ]
  const isDone = keyword !== undefined && doneWords.has(keyword)
  const indent = Math.min(stars.length - 1, 6) * 2
  const spans: Span[] = [span(' '.repeat(Math.max(0, indent)))]
  if (keyword !== undefined) spans.push(span(`${keyword} `, isDone ? 'good' : 'warn'))
  if (priority !== undefined) spans.push(span(priority, 'accent'))
  spans.push(span(title, isDone ? 'muted' : 'heading'))
  if (tags !== undefined) spans.push(span(`  ${tags.trim()}`, 'muted'))
  return wrapLine(spans, width, indent + 2)
}

function tableLine(line: string): Line {
  return line
    .split(/(\|)/)
    .map((part) => (part === '|' || /^[-+]+$/.test(part) ? span(part, 'muted') : span(part)))
}

const marks: readonly [RegExp, Tone][] = [
  [/\[\[([^\][]+)\](?:\[([^\]]+)\])?\]/, 'link'],
  [/(?<=^|[\s"'([{—-])(?:\*\*(\S(?:[^*]*\S)?)\*\*)(?=$|[\s"'.,;:!?)\]}—-])/, 'strong'],
  [/(?<=^|[\s"'([{—-])(?:\*(\S(?:[^*]*\S)?)\*)(?=$|[\s"'.,;:!?)\]}—-])/, 'strong'],
  [/(?<=^|[\s"'([{—-])\/((?!\/)\S(?:[^/]*[^\s/])?)\/(?=$|[\s"'.,;:!?)\]}—-])/, 'emphasis'],
  [/(?<=^|[\s"'([{—-])_(\S(?:[^_]*\S)?)_(?=$|[\s"'.,;:!?)\]}—-])/, 'emphasis'],
  [/(?<=^|[\s"'([{—-])[=~](\S(?:[^=~]*\S)?)[=~](?=$|[\s"'.,;:!?)\]}—-])/, 'code'],
  [/`([^`]+)`/, 'code'],
  [/(?<=^|\s)\+(\S(?:[^+]*\S)?)\+(?=$|[\s.,;:!?)])/, 'strike'],
  [/[<[]\d{4}-\d\d-\d\d[^>\]\n]{0,30}[>\]]/, 'number'],
  [/(?<=^|[\s(])[\w./-]+\.org(?::\d+)?/, 'link'],
]
const markMax = 2_000

/** A line of prose with its marks as tones. */
function inline(text: string): Line {
  if (text.length > markMax || !/[*/_=~`+[<]|\.org/.test(text)) return [span(text)]
  const spans: Span[] = []
  let rest = text
  while (rest !== '') {
    const before = spans.at(-1)?.text.at(-1) ?? ''
    const found = nearest(rest, before)
    if (found === null) break
    const { index, length, shown, tone } = found
    if (index > 0) spans.push(span(rest.slice(0, index)))
    spans.push(span(shown, tone))
    rest = rest.slice(index + length)
  }
  if (rest !== '') spans.push(span(rest))
  return spans
}

function nearest(text: string, before: string) {
  let best: { index: number; length: number; shown: string; tone: Tone } | null = null
  for (const [pattern, tone] of marks) {
    const match = pattern.exec(text)
    if (match === null || (best !== null && match.index >= best.index)) continue
    if (match.index === 0 && /\w/.test(before)) continue
    const shown =
      tone === 'number'
        ? match[0]
        : tone === 'link'
          ? (match[2] ?? match[1] ?? match[0])
          : match[1]!
    best = { index: match.index, length: match[0].length, shown, tone }
  }
  return best
}

const reserved = new Set(
  'abstract and as assert async await begin break case catch class const continue def default defer defun defmacro defvar del do done elif else end ensure enum esac except export extends extern false fi final finally fn for from func function if impl implements import in instanceof interface is lambda let local loop match mod module mut namespace new nil none not null or package pass private protected public pub raise return select self setq static struct super switch then this throw trait true try type typeof undefined unless until use var void when where while with yield'.split(
    ' ',
  ),
)
const comments: Record<string, RegExp> = {
  lisp: /^;.*/,
  elisp: /^;.*/,
  'emacs-lisp': /^;.*/,
  scheme: /^;.*/,
  clojure: /^;.*/,
  sql: /^--.*/,
  haskell: /^--.*/,
  lua: /^--.*/,
  tex: /^%.*/,
  latex: /^%.*/,
}
const anyComment = /^(?:\/\/.*|\/\*.*?(?:\*\/|$)|#(?![{[\w+]).*|#!.*)/
const tokens: readonly [RegExp, Tone | null][] = [
  [/^"(?:[^"\\]|\\.)*"?/, 'string'],
  [/^'(?:[^'\\]|\\.)*'/, 'string'],
  [/^`(?:[^`\\]|\\.)*`/, 'string'],
  [/^[\p{L}_$][\p{L}\p{N}_$-]*/u, null],
  [/^(?:0x[\da-f]+|\d[\d_]*(?:\.\d+)?)/i, 'number'],
]

/** A line of code with its words, strings, numbers and comments as tones. */
export function codeLine(line: string, language: string): Line {
  if (language === 'org' || language === 'markdown' || language === 'md') return inline(line)
  if (line.length > markMax) return [span(line)]
  const comment = comments[language] ?? anyComment
  const spans: Span[] = []
  let at = 0
  while (at < line.length) {
    const { length, tone } = tokenAt(line.slice(at), comment)
    const text = line.slice(at, at + length)
    const last = spans.at(-1)
    if (last !== undefined && last.tone === tone) last.text += text
    else spans.push(span(text, tone))
    at += length
  }
  return spans
}

function tokenAt(rest: string, comment: RegExp): { length: number; tone: Tone } {
  const found = comment.exec(rest)
  if (found !== null && found[0] !== '') return { length: found[0].length, tone: 'comment' }
  for (const [pattern, tone] of tokens) {
    const match = pattern.exec(rest)
    if (match === null) continue
    const isWord = tone === null && reserved.has(match[0])
    return { length: match[0].length, tone: tone ?? (isWord ? 'keyword' : 'plain') }
  }
  return { length: String.fromCodePoint(rest.codePointAt(0)!).length, tone: 'plain' }
}

/** A line of a diff. */
export function diffLine(line: string): Line {
  if (/^(?:---|\+\+\+|diff |index )/.test(line)) return [span(line, 'strong')]
  if (line.startsWith('@@')) return [span(line, 'accent')]
  if (line.startsWith('+')) return [span(line, 'good')]
  return [span(line, line.startsWith('-') ? 'bad' : 'muted')]
}
