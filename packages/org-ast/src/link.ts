import type { Found, Scan } from './objects.ts'

const types: ReadonlySet<string> = new Set([
  'attachment',
  'bbdb',
  'bibtex',
  'coderef',
  'custom-id',
  'doi',
  'docview',
  'elisp',
  'eww',
  'file',
  'file+emacs',
  'file+sys',
  'ftp',
  'gnus',
  'help',
  'http',
  'https',
  'id',
  'info',
  'irc',
  'mailto',
  'mhe',
  'news',
  'rmail',
  'shell',
  'w3m',
])

/** What a link points at. */
interface Target {
  linkType: string
  path: string
  searchOption: string | null
  application: string | null
}

function understand(raw: string, scan: Scan): Target {
  const none = { searchOption: null, application: null }
  const target = expandAbbreviation(raw, scan)
  if (/^(?:\/|~|\.\.?\/)/.test(target)) return file(target, null)
  const typed = /^([A-Za-z][-+A-Za-z0-9]*):([\s\S]*)$/.exec(target)
  if (typed !== null && types.has(typed[1]!.toLowerCase())) {
    const type = typed[1]!.toLowerCase()
    if (type.startsWith('file')) return file(typed[2]!, type === 'file' ? null : type.slice(5))
    return { linkType: type, path: typed[2]!, ...none }
  }
  if (target.startsWith('#')) return { linkType: 'custom-id', path: target.slice(1), ...none }
  const coderef = /^\((.*)\)$/s.exec(target)
  if (coderef !== null) return { linkType: 'coderef', path: coderef[1]!, ...none }
  return { linkType: 'fuzzy', path: target, ...none }
}

function file(target: string, application: string | null): Target {
  const at = target.indexOf('::')
  const path = (at === -1 ? target : target.slice(0, at)).replace(/^\/\/\/*(?=\/)/, '')
  return {
    linkType: 'file',
    path,
    searchOption: at === -1 ? null : target.slice(at + 2),
    application,
  }
}

function expandAbbreviation(raw: string, scan: Scan): string {
  const { linkAbbreviations } = scan.env
  if (linkAbbreviations.size === 0) return raw
  const match = /^([^:\s]+):([\s\S]*)$/.exec(raw)
  const replacement = match === null ? undefined : linkAbbreviations.get(match[1]!)
  if (match === null || replacement === undefined) return raw
  return replacement.includes('%s')
    ? replacement.replaceAll('%s', () => match[2]!)
    : replacement + match[2]!
}

/** Parses `[[target]]` and `[[target][description]]`. */
export function parseBracketLink(scan: Scan, at: number): Found | null {
  const { slice } = scan
  if (scan.find(']]', at + 3) === -1) return null
  const targetEnd = bracketTargetEnd(slice, at + 2)
  if (targetEnd === -1) return null
  const described = slice.charCodeAt(targetEnd + 1) === 91
  let end = targetEnd + 2
  let contents: [number, number] | null = null
  if (described) {
    const close = scan.find(']]', targetEnd + 3)
    if (close === -1) return null
    contents = [targetEnd + 2, close]
    end = close + 2
  } else if (slice.charCodeAt(targetEnd + 1) !== 93) return null
  const rawLink = unescapeTarget(slice.slice(at + 2, targetEnd)).replace(/[ \t]*\n[ \t]*/g, ' ')
  return {
    begin: at,
    end,
    node: {
      type: 'link',
      contentsBegin: contents === null ? null : scan.base + contents[0],
      contentsEnd: contents === null ? null : scan.base + contents[1],
      format: 'bracket',
      ...understand(rawLink, scan),
      rawLink,
      children: contents === null ? [] : scan.inside(contents[0], contents[1], 'link'),
    },
  }
}

function bracketTargetEnd(slice: string, from: number): number {
  for (let at = from; at < slice.length; at++) {
    const code = slice.charCodeAt(at)
    if (code === 92) at++
    else if (code === 91) return -1
    else if (code === 93) return at === from ? -1 : at
  }
  return -1
}

function unescapeTarget(target: string): string {
  return target.replace(/\\(?=[\\[\]])/g, '')
}

const anglePattern = /<([A-Za-z][-+A-Za-z0-9]*):([^>\n]*)>/y

/** Parses `<type:path>` for a known type. */
export function parseAngleLink(scan: Scan, at: number): Found | null {
  if (scan.find('>', at) === -1) return null
  anglePattern.lastIndex = at
  const match = anglePattern.exec(scan.slice)
  if (match === null || !types.has(match[1]!.toLowerCase())) return null
  const rawLink = match[0].slice(1, -1)
  return bare(scan, at, at + match[0].length, rawLink, 'angle')
}

const plainPattern = /(?:[^\s()<>[\]]|\([^\s()<>]*\))*(?:[^\s\p{P}()<>[\]]|\/|\([^\s()<>]*\))/uy

/** Parses a bare address around the colon at `at`; its type must begin at or after `plain`. */
export function parsePlainLink(scan: Scan, at: number, plain: number): Found | null {
  const { slice } = scan
  let begin = at
  while (begin > plain && at - begin < 12 && /[-+A-Za-z0-9]/.test(slice[begin - 1]!)) begin--
  if (begin === at || (begin > 0 && /[\p{L}\p{N}]/u.test(slice[begin - 1]!))) return null
  if (!types.has(slice.slice(begin, at).toLowerCase())) return null
  plainPattern.lastIndex = at + 1
  const match = plainPattern.exec(slice)
  if (match === null) return null
  const end = at + 1 + match[0].length
  return bare(scan, begin, end, slice.slice(begin, end), 'plain')
}

function bare(
  scan: Scan,
  begin: number,
  end: number,
  rawLink: string,
  format: 'angle' | 'plain',
): Found {
  return {
    begin,
    end,
    node: {
      type: 'link',
      contentsBegin: null,
      contentsEnd: null,
      format,
      ...understand(rawLink, scan),
      rawLink,
      children: [],
    },
  }
}

const radioTargetsMax = 256

/** A pattern for mentions of these radio targets, or null when there are none. */
export function radioPattern(targets: Iterable<string>): RegExp | null {
  const unique = [...new Set(targets)].slice(0, radioTargetsMax)
  if (unique.length === 0) return null
  const longestFirst = unique.sort((one, other) => other.length - one.length)
  const patterns = longestFirst.map((target) => escapePattern(target).replace(/ +/g, '\\s+'))
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${patterns.join('|')})(?![\\p{L}\\p{N}])`, 'giu')
}

/** The text as a pattern that matches just this text, to be put between other parts of a pattern. */
export function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

/** The first mention of a radio target at or after a relative offset, or null. */
export function nextRadioLink(scan: Scan, from: number): Found | null {
  const pattern = scan.env.radioPattern
  if (pattern === null) return null
  pattern.lastIndex = from
  const match = pattern.exec(scan.slice)
  if (match === null) return null
  const end = match.index + match[0].length
  return {
    begin: match.index,
    end,
    node: {
      type: 'link',
      format: 'plain',
      linkType: 'radio',
      path: match[0],
      rawLink: match[0],
      searchOption: null,
      application: null,
      contentsBegin: scan.base + match.index,
      contentsEnd: scan.base + end,
      children: scan.inside(match.index, end, 'link'),
    },
  }
}
