import { matchesGlob, relative, resolve } from 'node:path'
import { type Diagnostic, diagnostics } from 'org-ast'
import { z } from 'zod'
import { projectOptions, readBook } from '../blocks/book.ts'
import { findDocuments, staleFiles } from '../project/documents.ts'
import type { ParsedDocument } from '../project/parsed-document.ts'
import { findProject } from '../project/settings.ts'
import { unparsable, unparsableBlocks } from './code.ts'
import { deadLinks, deadReferences, duplicateIds, missingIds, unusedBlocks } from './links.ts'
import { bareBlocks, longBlocks, proseRatio, untitled } from './prose.ts'
import { type FileMark, type LintBook, lintBook, type Mark, markAt, type Rule } from './rule.ts'
import { tabs, trailingSpace } from './space.ts'
import {
  documentTargets,
  outsideTargets,
  staleTargets,
  twiceTargets,
  untangled,
} from './targets.ts'

/** Every rule there is. */
export const rules: readonly Rule[] = [
  {
    id: 'bare-block',
    description: 'A source block has prose between it and its heading, or the block before it.',
    severity: 'error',
    each: bareBlocks,
  },
  {
    id: 'block-length',
    description: 'A source block has at most "max" lines.',
    severity: 'error',
    numbers: { max: 70 },
    each: longBlocks,
  },
  {
    id: 'prose-ratio',
    description: 'A document has at least "min" words of prose for each line of tangled code.',
    severity: 'error',
    numbers: { min: 1 },
    each: proseRatio,
  },
  {
    id: 'title',
    description: 'A document has a title and a description.',
    severity: 'error',
    each: untitled,
  },
  ...rulesOfLinks(),
  ...rulesOfText(),
  ...rulesOfTargets(),
]

function rulesOfLinks(): Rule[] {
  return [
    {
      id: 'custom-id-duplicate',
      description: 'A CUSTOM_ID is unique in its document, and an ID in the project.',
      severity: 'error',
      all: duplicateIds,
    },
    {
      id: 'custom-id-missing',
      description: 'A headline has a CUSTOM_ID.',
      severity: 'off',
      each: missingIds,
    },
    {
      id: 'dead-link',
      description: 'A link leads to a file, headline, ID, target, label or footnote that exists.',
      severity: 'error',
      each: deadLinks,
    },
    {
      id: 'dead-reference',
      description: 'A noweb reference names a block.',
      severity: 'error',
      all: deadReferences,
    },
    {
      id: 'unused-block',
      description: 'A named block is tangled or referred to.',
      severity: 'error',
      each: unusedBlocks,
    },
  ]
}

function rulesOfText(): Rule[] {
  return [
    {
      id: 'trailing-space',
      description: 'A line does not end in blanks.',
      severity: 'error',
      each: trailingSpace,
    },
    {
      id: 'tab',
      description: 'There are no tabs, except in languages that need them.',
      severity: 'error',
      each: tabs,
    },
    {
      id: 'conflict-marker',
      description: 'A merge has left no marks.',
      severity: 'error',
      each: diagnosticsOf('conflict-marker'),
    },
    {
      id: 'unclosed-block',
      description: 'A line that begins a block or a property drawer has a line that ends it.',
      severity: 'error',
      each: diagnosticsOf('unclosed-block'),
    },
    {
      id: 'syntax',
      description: 'Tangled TypeScript, JavaScript and JSON parses.',
      severity: 'error',
      all: unparsable,
    },
    {
      id: 'example-syntax',
      description: 'A block of TypeScript, JavaScript or JSON that is only shown parses by itself.',
      severity: 'error',
      all: unparsableBlocks,
    },
  ]
}

function diagnosticsOf(code: Diagnostic['code']) {
  return function* (document: ParsedDocument): Generator<Mark> {
    for (const one of diagnostics(document.tree, document.text)) {
      if (one.code === code) yield markAt(document, one.offset, one.message)
    }
  }
}

function rulesOfTargets(): Rule[] {
  return [
    {
      id: 'target-outside',
      description: 'A target is inside the project.',
      severity: 'error',
      all: outsideTargets,
    },
    {
      id: 'target-twice',
      description: 'A target is described by one document.',
      severity: 'error',
      all: twiceTargets,
    },
    {
      id: 'target-document',
      description: 'A target is not itself a document.',
      severity: 'error',
      all: documentTargets,
    },
    {
      id: 'not-tangled',
      description: 'Every block that has a target can be tangled.',
      severity: 'error',
      all: untangled,
    },
    {
      id: 'stale-target',
      description: 'A file in an owned folder is described by a document.',
      severity: 'error',
      all: staleTargets,
    },
  ]
}

const severity = z.enum(['off', 'warning', 'error'])

type Setting = { severity: Rule['severity']; numbers: Record<string, number>; ignore: string[] }

function settingOf(rule: Rule): z.ZodType<Setting> {
  const numbers = rule.numbers ?? {}
  const given = Object.keys(numbers).map((name) => [name, z.number().optional()])
  const object = z.strictObject({
    severity: severity.default(rule.severity === 'off' ? 'error' : rule.severity),
    ignore: z.array(z.string()).default([]),
    ...(Object.fromEntries(given) as Record<string, z.ZodOptional<z.ZodNumber>>),
  })
  return z.union([severity, object]).transform((value) => {
    if (typeof value === 'string') return { severity: value, numbers, ignore: [] }
    const { severity, ignore, ...own } = value
    return { severity, ignore, numbers: { ...numbers, ...(own as Record<string, number>) } }
  })
}

function readSettings(path: string, settings: unknown): Map<Rule, Setting> {
  const schema = z.strictObject(
    Object.fromEntries(rules.map((rule) => [rule.id, settingOf(rule).optional()])),
  )
  const parsed = schema.safeParse(settings ?? {})
  if (!parsed.success) throw new Error(`${path}: "lint": ${z.prettifyError(parsed.error)}`)
  return new Map(
    rules.map((rule) => {
      const plain = { severity: rule.severity, numbers: { ...rule.numbers }, ignore: [] }
      return [rule, parsed.data[rule.id] ?? plain]
    }),
  )
}

/** A mark, with whose rule it is. */
export interface Finding extends FileMark {
  rule: string
  severity: 'warning' | 'error'
}

/** What the linter has found. */
export interface LintOutcome {
  /** Absolute. */
  root: string
  /** How many documents were looked at. */
  documents: number
  findings: Finding[]
}

/**
 * Lints the project of a folder, or some of its documents. Throws when the settings cannot be read
 * or a path does not exist.
 */
export function lint(cwd: string, paths: readonly string[] = []): LintOutcome {
  const project = findProject(cwd)
  const settings = readSettings(resolve(project.root, 'package.json'), project.lint)
  const sources = project.sources.map((place) => resolve(project.root, place))
  const named = paths.map((path) => resolve(cwd, path))
  const documents = findDocuments([...sources, ...named])
  const book = readBook(project.root, documents, projectOptions(project))
  const read = lintBook(project, book, staleFiles(project, book))
  const asked = named.length === 0 ? null : new Set(findDocuments(named))
  const findings: Finding[] = []
  for (const [rule, { severity, numbers, ignore }] of settings) {
    if (severity === 'off') continue
    for (const mark of marksOf(rule, read, numbers)) {
      const local = relative(project.root, mark.file)
      const isAsked = asked === null || asked.has(mark.file)
      if (!isAsked || ignore.some((glob) => matchesGlob(local, glob))) continue
      findings.push({ ...mark, rule: rule.id, severity })
    }
  }
  findings.sort(byPlace)
  return { root: project.root, documents: asked?.size ?? documents.length, findings }
}

function* marksOf(
  rule: Rule,
  book: LintBook,
  numbers: Record<string, number>,
): Generator<FileMark> {
  if (rule.all !== undefined) yield* rule.all(book, numbers)
  for (const document of rule.each === undefined ? [] : book.documents) {
    for (const mark of rule.each!(document, book, numbers)) yield { file: document.file, ...mark }
  }
}

function byPlace(a: FileMark, b: FileMark): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1
  return a.line - b.line || a.column - b.column
}
