import { call, type Rule } from './commands.ts'

const path = String.raw`((?:~|\.{0,2}/|[\w-]+[./])\S*)`

function ruleFor(pattern: string, read: Rule['read']): Rule {
  return { pattern: new RegExp(pattern, 'i'), read }
}

/** Rules about files, programs, pages and sums. */
export const programmingRules: readonly Rule[] = [
  ruleFor('^(?:calculate|compute|calc) (.+)$', ([expression = '']) =>
    call('calculate', { expression }, `You asked what ${expression} is.`),
  ),
  ruleFor(String.raw`^fetch (https://\S+)$`, ([url = '']) =>
    call('web-fetch', { url }, `You asked for the page ${url}.`),
  ),
  ruleFor(
    String.raw`^(?:read|show)(?: me)?(?: the)? file ${path}(?: lines? ([1-9]\d{0,5})(?: ?(?:-|to) ?([1-9]\d{0,5}))?)?$`,
    ([file = '', first, last = first]) => {
      const range = first === undefined ? {} : { first: Number(first), last: Number(last) }
      return call('read-file', { path: file, ...range }, `You asked to see the file ${file}.`)
    },
  ),
  ruleFor(`^list(?: the)? files(?: (?:in|of|below) ${path})?$`, ([folder]) =>
    call('list-files', folder === undefined ? {} : { path: folder }, 'You asked for the files.'),
  ),
  ruleFor(`^search files for (.+?)(?: in ${path})?$`, ([query = '', folder]) => {
    const where = folder === undefined ? {} : { path: folder }
    return call('search-files', { query, ...where }, `You asked where ${query} stands.`)
  }),
  ruleFor(`^git (status|diff|log)(?: (?:in|of|for) ${path})?$`, ([what = '', folder]) => {
    const where = folder === undefined ? {} : { path: folder }
    return call(`git-${what.toLowerCase()}`, where, `You asked git for its ${what}.`)
  }),
  ruleFor(String.raw`^test ((?:~|\.{0,2}/)\S*)$`, ([folder = '']) =>
    call('run-tests', { path: folder }, `You asked for the tests of ${folder}.`),
  ),
  ruleFor(String.raw`^outline of(?: the file)? (\S+\.org)$`, ([file = '']) =>
    call('org-outline', { path: file }, `You asked for the outline of ${file}.`),
  ),
  ruleFor(String.raw`^outline of(?: the file)? (\S+\.[cm]?tsx?)$`, ([file = '']) =>
    call('ts-look', { path: file, question: 'outline' }, `You asked for the outline of ${file}.`),
  ),
  ruleFor('^(?:evaluate|eval) (.+)$', ([typescript = '']) =>
    call('repl-eval', { typescript }, 'You asked what that evaluates to.'),
  ),
]
