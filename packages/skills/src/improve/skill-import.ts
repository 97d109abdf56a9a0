import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inertCode } from 'org-ast/edit'
import { z } from 'zod'
import { filesBeside } from './skill-files.ts'

const headSchema = z.object({
  name: z.string().regex(/^[a-z][a-z0-9-]{0,40}$/, 'Expected a name in lower case with dashes'),
  description: z.string().min(1, 'Expected a description').max(1_024),
})

function headOf(text: string): Record<string, string> {
  const values: Record<string, string> = Object.create(null)
  let last = ''
  for (const line of text.split('\n')) {
    const field = /^([A-Za-z][\w-]*):[ \t]*(.*)$/.exec(line)
    if (field !== null) {
      last = field[1]!
      values[last] = field[2]!.replace(/^[>|][+-]?$/, '')
    } else if (last !== '' && /^[ \t]+\S/.test(line)) {
      values[last] = `${values[last]} ${line.trim()}`.trim()
    }
  }
  for (const [key, value] of Object.entries(values)) {
    values[key] = value.trim().replace(/^"(.*)"$|^'(.*)'$/, '$1$2')
  }
  return values
}

const lengthMax = 200_000

/** A document made of a folder. */
interface ImportedSkill {
  name: string
  /** The Org document. */
  text: string
  /** Paths of the files that go with it, from the folder. */
  files: string[]
  /** What was left behind. */
  leftOut: string[]
}

/** Makes a document of a folder with a SKILL.md. Throws an Error that says what is wrong with it. */
export function importSkill(folder: string): ImportedSkill {
  const path = join(folder, 'SKILL.md')
  const about = lstatSync(path, { throwIfNoEntry: false })
  if (!about?.isFile()) throw new Error(`Expected a file SKILL.md in ${folder}`)
  if (about.size > lengthMax) throw new Error(`${path} is longer than ${lengthMax} bytes`)
  const source = readFileSync(path, 'utf8')
    .replace(/^\ufeff/, '')
    .replace(/\r\n/g, '\n')
  const parts = /^---\n([\s\S]*?)\n---[ \t]*(?:\n|$)([\s\S]*)$/.exec(source)
  if (parts === null) throw new Error(`${path} does not begin with a head between lines of ---`)
  const head = headSchema.safeParse(headOf(parts[1]!))
  if (!head.success) {
    const { message, path: field } = head.error.issues[0]!
    throw new Error(`${path}: ${field.join('.')}: ${message}`)
  }
  const files = filesBeside(folder)
  const leftOut = readdirSync(folder)
    .filter((name) => name !== 'SKILL.md' && !files.some((file) => file.startsWith(`${name}/`)))
    .sort()
  const text = documentOf(head.data, parts[2]!.trim(), { files, leftOut })
  return { name: head.data.name, text, files, leftOut }
}

function documentOf(
  { description, name }: { name: string; description: string },
  body: string,
  { files, leftOut }: { files: readonly string[]; leftOut: readonly string[] },
): string {
  const oneLine = description.replace(/\s+/g, ' ')
  const left = leftOut.map((each) => each.replace(/[^\w.-]/g, '?')).join(', ')
  return [
    `#+title: ${name}`,
    `#+description: ${oneLine}`,
    '#+CAPABILITIES: prompt',
    '',
    'Imported from a SKILL.md. These are only words; nothing of them is run.',
    ...(files.length === 0 ? [] : [`Beside it: ${files.join(', ')}.`]),
    ...(left === '' ? [] : [`Left behind: ${left}.`]),
    '',
    '#+begin_instructions',
    inertCode(body).replace(/^[ \t]*#\+end_instructions/gim, ',$&'),
    '#+end_instructions',
    '',
  ].join('\n')
}
