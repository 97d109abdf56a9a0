import { readFileSync } from 'node:fs'
import {
  defineSkill,
  readSkillFolders,
  type Skill,
  type SkillEngineOptions,
  skillBlocks,
  type Tool,
} from '@passepartout/core'
import { type OrgContent, type OrgData, parse, walk } from 'org-ast'
import { z } from 'zod'

/** What a document says in words. */
interface Prose {
  words: number
  /** The titles of its headlines, in their order. */
  headlines: string[]
}

/** The prose of a document. Never throws. */
export function proseOf(text: string): Prose {
  const prose: Prose = { words: 0, headlines: [] }
  walk(parse(text), (node) => {
    if (node.type === 'headline') prose.headlines.push(node.rawValue.trim())
    if (node.type === 'paragraph') {
      prose.words += wordsIn(text.slice(node.position.start.offset, node.position.end.offset))
    }
    return node.type !== 'special-block'
  })
  return prose
}

function wordsIn(text: string): number {
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length
}

/** Something in a document that is not as it should be, at a 1-based line. */
interface StyleProblem {
  rule:
    | 'title'
    | 'description'
    | 'bare-block'
    | 'long-block'
    | 'long-line'
    | 'few-words'
    | 'no-test'
  line: number
  message: string
}

const blockMax = 70
const lineMax = 120

/** Where a document of a skill differs from the house style, in the order of its lines. */
export function skillStyle(text: string): StyleProblem[] {
  const tree = parse(text)
  const blocks = skillBlocks(text)
  const problems = [...headProblems(tree), ...bareBlocks(tree)]
  const report = (rule: StyleProblem['rule'], line: number, message: string) =>
    problems.push({ rule, line, message })
  let code = 0
  for (const block of blocks) {
    const lines = block.code.split('\n')
    const first = block.lines[0] ?? 1
    if (lines.length > blockMax) report('long-block', first, `a block of ${lines.length} lines`)
    for (const [at, line] of lines.entries()) {
      if (line.length <= lineMax) continue
      report('long-line', block.lines[at] ?? first, `a line of ${line.length} characters`)
    }
    if (!block.isTest) code += wordsIn(block.code)
  }
  const { words } = proseOf(text)
  if (words * 2 < code) report('few-words', 1, `${words} words of prose for ${code} of code`)
  if (blocks.length > 0 && !blocks.some(({ isTest }) => isTest)) {
    report('no-test', 1, 'code without a test; a block with :test yes holds them')
  }
  return problems.sort((a, b) => a.line - b.line)
}

function* headProblems(tree: OrgData): Generator<StyleProblem> {
  const keys = new Set<string>()
  walk(tree, (node) => {
    if (node.type === 'keyword' && node.value.trim() !== '') keys.add(node.key)
    return true
  })
  if (!keys.has('TITLE')) yield { rule: 'title', line: 1, message: 'no #+title:' }
  if (!keys.has('DESCRIPTION')) {
    yield { rule: 'description', line: 1, message: 'no #+description: for the list of skills' }
  }
}

const unseen = new Set(['keyword', 'drawer', 'property-drawer', 'planning', 'comment'])

function* bareBlocks(tree: OrgData): Generator<StyleProblem> {
  const sections: OrgContent[] = []
  walk(tree, (node) => {
    if (node.type === 'section') sections.push(node)
    return node.type === 'org-data' || node.type === 'headline'
  })
  for (const section of sections) {
    const elements = 'children' in section ? (section.children as OrgContent[]) : []
    const seen = elements.filter(({ type }) => !unseen.has(type))
    for (const [at, node] of seen.entries()) {
      const before = seen[at - 1]
      if (node.type !== 'src-block' || (before && before.type !== 'src-block')) continue
      const message = 'no words between this block and what is before it'
      yield { rule: 'bare-block', line: node.position.start.line, message }
    }
  }
}

const parameters = z.object({ skill: z.string().max(41).describe('the name of a skill') })

function styleTool(places: SkillEngineOptions): Tool {
  return {
    name: 'check-skill-style',
    description: 'Says where the document of a skill differs from the house style.',
    parameters,
    readOnly: true,
    async run(args) {
      const { skill } = parameters.parse(args)
      const { skills } = readSkillFolders(places.folders)
      const path = skills.find(({ document }) => document.name === skill)?.document.path
      if (path === undefined) return { status: 'error', message: `There is no skill ${skill}.` }
      const problems = skillStyle(readFileSync(path, 'utf8'))
      const lines = problems.map(({ line, message, rule }) => `${line}: ${rule}: ${message}`)
      return { status: 'success', content: lines.join('\n') || `${skill} is in order.` }
    },
  }
}

/** The skill that knows the house style. */
export function skillStandards(places: SkillEngineOptions): Skill {
  return defineSkill({
    name: 'skill-standards',
    description: 'Holds documents of skills to the house style.',
    offeredFor: ['skill'],
    tools: [styleTool(places)],
  })
}
