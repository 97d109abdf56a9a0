import {
  defineSkill,
  type MemoryObject,
  type Runtime,
  type Skill,
  type Tool,
  type ToolResult,
} from '@passepartout/core'
import { type Headline, headlines, type OrgData, parse } from 'org-ast'
import { addHeadline, applyPatches, type Patch, setPlanning, setTodo } from 'org-ast/edit'
import { z } from 'zod'
import { dayOf, dayWords, readOrgStamp } from './dates.ts'
import { findNotes, openTasks } from './notes.ts'

type Edit = (text: string, tree: OrgData) => Patch[]

function edit(runtime: Runtime, path: string, change: Edit): void {
  const text = runtime.memex.read(path)
  const patches = change(text, parse(text))
  runtime.memex.patch(path, text, patches)
  runtime.store.ingestFile(path, applyPatches(text, patches))
}

function taskMeant(runtime: Runtime, query: string): MemoryObject | ToolResult {
  const found = findNotes(openTasks(runtime.store.objects()), query)
  const [only] = found
  if (only === undefined) {
    return { status: 'error', message: `No open task is called “${query}”. Try “find ${query}”.` }
  }
  if (found.length === 1) return only
  const lines = found.slice(0, 9).map((task) => `  ${task.title}  ${task.file}:${task.line}`)
  return { status: 'error', message: `Which one?\n${lines.join('\n')}` }
}

function headlineOf(tree: OrgData, task: MemoryObject): Headline {
  const found = [...headlines(tree)].find(
    (headline) => headline.position.start.line === task.line && headline.rawValue === task.title,
  )
  if (found === undefined)
    throw new RangeError(`Expected “${task.title}” at ${task.file}:${task.line}`)
  return found
}

function whenWords(
  runtime: Runtime,
  dates: { scheduled?: string | undefined; deadline?: string | undefined },
): string {
  const today = dayOf(runtime.clock.now())
  const said = (['scheduled', 'deadline'] as const).flatMap((kind) => {
    const when = readOrgStamp(dates[kind] ?? null)
    if (when === null) return []
    const time = when.time === null ? '' : ` at ${when.time}`
    return [`${kind === 'deadline' ? 'due' : 'scheduled for'} ${dayWords(when.day, today)}${time}`]
  })
  return said.length === 0 ? '' : `, ${said.join(' and ')}`
}

const stamp = z
  .string()
  .regex(
    /^<\d{4}-\d{2}-\d{2} [A-Za-z]{2,4}(?: \d{2}:\d{2})?>$/,
    'Expected a timestamp like <2026-11-22 Sun>',
  )

const captureParameters = z.object({
  title: z
    .string()
    .trim()
    .min(1)
    .max(500)
    .regex(/^[^\n\r]*$/, 'Expected one line')
    .describe('the task'),
  scheduled: stamp.optional().describe('when it should be begun'),
  deadline: stamp.optional().describe('when it must be done'),
})

const completeParameters = z.object({ query: z.string().min(1).describe('words of the title') })

const scheduleParameters = completeParameters.extend({
  scheduled: stamp.optional(),
  deadline: stamp.optional(),
})

const inbox = 'inbox.org'

const captureTask: Tool = {
  name: 'capture-task',
  description: 'Adds a task to the inbox.',
  parameters: captureParameters,
  readOnly: false,
  async run(args, { runtime }) {
    const { title, scheduled, deadline } = captureParameters.parse(args)
    edit(runtime, inbox, (text, tree) =>
      addHeadline(text, tree, null, {
        title,
        todo: tree.todoKeywords[0] ?? 'TODO',
        ...(scheduled === undefined ? {} : { scheduled }),
        ...(deadline === undefined ? {} : { deadline }),
      }),
    )
    const when = whenWords(runtime, { scheduled, deadline })
    return { status: 'success', content: `Captured “${title}” in ${inbox}${when}.` }
  },
}

const completeTask: Tool = {
  name: 'complete-task',
  description: 'Marks one open task as done.',
  parameters: completeParameters,
  readOnly: false,
  async run(args, { runtime }) {
    const { query } = completeParameters.parse(args)
    const task = taskMeant(runtime, query)
    if ('status' in task) return task
    edit(runtime, task.file, (text, tree) =>
      setTodo(text, tree, headlineOf(tree, task), tree.doneKeywords[0] ?? 'DONE', {
        now: runtime.clock.now(),
        log: true,
      }),
    )
    const after = runtime.store.get(task.id)
    const place = `(${task.file}:${task.line})`
    if (after === null || after.done) {
      return { status: 'success', content: `Done: “${task.title}” ${place}.` }
    }
    const when = whenWords(runtime, {
      scheduled: after.scheduled ?? undefined,
      deadline: after.deadline ?? undefined,
    })
    return { status: 'success', content: `Done this time: “${task.title}”${when} again ${place}.` }
  },
}

const scheduleTask: Tool = {
  name: 'schedule-task',
  description: 'Gives one open task a date, a deadline, or both.',
  parameters: scheduleParameters,
  readOnly: false,
  async run(args, { runtime }) {
    const { query, scheduled, deadline } = scheduleParameters.parse(args)
    if (scheduled === undefined && deadline === undefined) {
      return { status: 'error', message: 'Say when: a date to schedule it for, or a deadline.' }
    }
    const task = taskMeant(runtime, query)
    if ('status' in task) return task
    edit(runtime, task.file, (text, tree) =>
      setPlanning(text, tree, headlineOf(tree, task), {
        ...(scheduled === undefined ? {} : { scheduled }),
        ...(deadline === undefined ? {} : { deadline }),
      }),
    )
    const when = whenWords(runtime, { scheduled, deadline })
    return {
      status: 'success',
      content: `“${task.title}” is now${when.slice(1)} (${task.file}:${task.line}).`,
    }
  },
}

/** The skill that changes tasks in the owner's files. */
export const tasks: Skill = defineSkill({
  name: 'tasks',
  description: 'Captures, completes, and schedules tasks by minimal edits of the Org files.',
  dependsOn: ['notes'],
  tools: [captureTask, completeTask, scheduleTask],
})
