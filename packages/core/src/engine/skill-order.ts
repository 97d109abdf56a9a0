import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf } from '../base/printing.ts'
import { likeName } from '../contract/reserved-names.ts'
import {
  documentLengthMax,
  readSkillDocument,
  type SkillDocument,
  type SkillProblem,
} from './skill-document.ts'

/** A place for documents. */
export interface SkillFolder {
  path: string
  /** Whether nobody but the owner writes there, as far as one can know. */
  isOwners: boolean
}

/** A document and the kind of folder it was in. */
export interface FoundSkill {
  document: SkillDocument
  isOwners: boolean
}

/** What is in the folders. */
interface FoundSkills {
  skills: FoundSkill[]
  /** Problems by the name of the skill. */
  problems: Map<string, SkillProblem[]>
  /** Documents that were not read, because an earlier one has their name. */
  twins: Map<string, SkillProblem[]>
}

/** Reads all documents of the folders, in the order of folders and names. Never throws. */
export function readSkillFolders(folders: readonly SkillFolder[]): FoundSkills {
  const skills: FoundSkill[] = []
  const problems = new Map<string, SkillProblem[]>()
  const twins = new Map<string, SkillProblem[]>()
  for (const { isOwners, path } of folders) {
    for (const file of documentsIn(path)) {
      const name = file.replace(/\.org$/, '')
      if (problems.has(name) || skills.some(({ document }) => document.name === name)) {
        const message = `There is another skill called ${name}; this one is not read`
        const twin = { path: join(path, file), line: 1, message }
        twins.set(name, [...(twins.get(name) ?? []), twin])
        continue
      }
      const read = readOne(join(path, file))
      if (read.ok) skills.push({ document: read.document, isOwners })
      else problems.set(name, read.problems)
    }
  }
  return { skills, problems, twins }
}

function documentsIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile() && /^[^.].*\.org$/.test(entry.name))
      .map(({ name }) => name)
      .sort()
  } catch {
    return []
  }
}

function readOne(path: string): ReturnType<typeof readSkillDocument> {
  try {
    const { size } = statSync(path)
    if (size > documentLengthMax * 4) throw new Error('It is too long for a skill')
    return readSkillDocument(readFileSync(path, 'utf8'), path)
  } catch (error) {
    const message = messageOf(error)
    return { ok: false, problems: [{ path, line: 1, message }] }
  }
}

/** The names that a stranger's skill is compared with: what is taken, the owner's, and those before it. */
function othersThan(
  skill: FoundSkill,
  { skills }: FoundSkills,
  taken: ReadonlySet<string>,
): string[] {
  const before = skills.indexOf(skill)
  const others = skills.filter(({ isOwners }, at) => isOwners || at < before)
  return [...taken, ...others.map(({ document }) => document.name)]
}

/** The skills in the order of their dependencies; problems are added for those that cannot be loaded. */
export function inSkillOrder(
  found: FoundSkills,
  house: ReadonlySet<string>,
  taken: ReadonlySet<string> = house,
): FoundSkill[] {
  const byName = new Map(found.skills.map((skill) => [skill.document.name, skill]))
  const ordered = new Set<FoundSkill>()
  const refused = new Set<FoundSkill>()
  const refuse = (skill: FoundSkill, message: string): false => {
    const { name, path } = skill.document
    refused.add(skill)
    found.problems.set(name, [{ path, line: 1, message }])
    return false
  }
  const visit = (skill: FoundSkill, way: readonly string[]): boolean => {
    if (ordered.has(skill)) return true
    if (refused.has(skill)) return false
    const { dependsOn, name } = skill.document
    const path = [...way, name]
    if (house.has(name)) return refuse(skill, `There is a skill of the house called ${name}`)
    const like = skill.isOwners ? null : likeName(name, othersThan(skill, found, taken))
    if (like !== null) {
      return refuse(skill, `It is called almost like ${like}, and is not it; rename the document`)
    }
    if (way.includes(name)) {
      const circle = path.slice(path.indexOf(name)).join(' → ')
      return refuse(skill, `These skills depend on one another: ${circle}`)
    }
    for (const needed of dependsOn) {
      if (house.has(needed)) continue
      const other = byName.get(needed)
      if (other === undefined) return refuse(skill, `It needs ${needed}, which is not there`)
      if (visit(other, path)) continue
      return refused.has(skill)
        ? false
        : refuse(skill, `It needs ${needed}, which cannot be loaded`)
    }
    ordered.add(skill)
    return true
  }
  const given = [...found.skills].sort(
    (a, b) => Number(b.isOwners) - Number(a.isOwners) || b.document.priority - a.document.priority,
  )
  for (const skill of given) visit(skill, [])
  return [...ordered]
}
