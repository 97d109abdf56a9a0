import {
  defineSkill,
  editError,
  editFile,
  type MemoryObject,
  type Runtime,
  type Skill,
  sightOf,
  type Tool,
} from '@passepartout/core'
import { addHeadline, inertLine } from 'org-ast/edit'
import { z } from 'zod'
import { dayOf, orgStamp } from '../common/dates.ts'
import { placeOf, titleWords } from '../common/note-text.ts'
import { done, line } from './task-change.ts'

/** The note in which the facts stand. */
const knownFile = 'known.org'

const parameters = z.object({ fact: line.max(300).meta({ examples: ['Eats no meat'] }) })

const remember: Tool = {
  name: 'remember',
  description: 'Keeps a lasting fact or wish of the owner, in one sentence.',
  isCore: true,
  parameters,
  readOnly: false,
  reach: 'notes',
  async run(args, { runtime, signal }) {
    const { fact } = parameters.parse(args)
    const title = inertLine(fact)
    const same = known(runtime).find((note) => note.title.toLowerCase() === title.toLowerCase())
    if (same !== undefined)
      return { status: 'success', content: `That is known: ${placeOf(same)}.` }
    const day = dayOf(runtime.clock.now())
    const learned = orgStamp({ day, time: null }).replace('<', '[').replace('>', ']')
    const properties = { LEARNED: learned, SOURCE: signal.meta.origin ?? 'message' }
    try {
      if (!runtime.memex.files().includes(knownFile)) {
        runtime.memex.create(knownFile, '')
        runtime.store.ingestFile(knownFile, '')
      }
      await editFile(runtime, `remembered “${fact}”`, knownFile, (text, tree) =>
        addHeadline(text, tree, null, { title, properties }),
      )
    } catch (error) {
      return editError(error)
    }
    return done(`Remembered in ${knownFile}: ${fact}`)
  },
}

/** The facts, oldest first. */
function known({ store }: Runtime): MemoryObject[] {
  const file = sightOf(store).get(`file:${knownFile}`)
  return (file?.children ?? []).flatMap((id) => sightOf(store).get(id) ?? [])
}

const toldMax = 300

function told(runtime: Runtime): string {
  const count = (text: string) => runtime.tokens.count(text)
  const facts = known(runtime).filter(({ authorship, private: isPrivate }) => {
    return !authorship.outside && !isPrivate
  })
  const head = 'Known of the owner:'
  let left = toldMax - count(head)
  const lines: string[] = []
  for (const fact of facts.toReversed()) {
    const text = `- ${titleWords(fact)}`
    left -= count(text) + 1
    if (left < 0) break
    lines.unshift(text)
  }
  return lines.length === 0 ? '' : [head, ...lines].join('\n')
}

/** The skill that remembers. */
export const remembering: Skill = defineSkill({
  name: 'remembering',
  description: 'Keeps facts about the owner as a note, and tells them to a model.',
  tools: [remember],
  prompt: told,
})
