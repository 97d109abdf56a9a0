import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SkillDocument } from '@passepartout/core'

const namePattern = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

/** A SKILL.md with the words of a skill. Throws an Error that says what the format does not allow. */
export function skillMarkdown(document: SkillDocument): string {
  const { instructions, mandate, name, prompt, title } = document
  const description = (document.description || title).replace(/\s+/g, ' ').trim()
  if (!namePattern.test(name) || name.length > 64)
    throw new Error(
      `${name} is no name for others: lower case, digits and single dashes, 64 at most`,
    )
  if (description === '' || description.length > 1_024)
    throw new Error(`${name} needs a #+description: of 1 to 1024 characters`)
  const sections = [
    ['Rules', mandate],
    ['To know', prompt],
    ['Instructions', instructions],
  ].filter(([, text]) => text !== '')
  if (sections.length === 0) throw new Error(`${name} has no words; others could not use its code`)
  return [
    '---',
    `name: ${name}`,
    `description: ${JSON.stringify(description)}`,
    '---',
    '',
    `# ${title || name}`,
    ...sections.flatMap(([heading, text]) => ['', `## ${heading}`, '', text]),
    '',
    `The whole skill, with code that runs in Passepartout only, is in references/${name}.org.`,
    '',
  ].join('\n')
}

/** Writes the folder of a skill below another; returns its path. Throws when it is there already. */
export function exportSkill(document: SkillDocument, source: string, to: string): string {
  const text = skillMarkdown(document)
  const folder = join(to, document.name)
  mkdirSync(to, { recursive: true })
  try {
    mkdirSync(folder)
  } catch {
    throw new Error(`${folder} is there already, or cannot be made.`)
  }
  mkdirSync(join(folder, 'references'))
  writeFileSync(join(folder, 'SKILL.md'), text)
  writeFileSync(join(folder, 'references', `${document.name}.org`), source)
  return folder
}
