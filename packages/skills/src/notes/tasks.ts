import {
  defineSkill,
  editError,
  editFile,
  editFiles,
  type MemoryObject,
  type Runtime,
  type Skill,
  singleLine,
  type Tool,
  undoLast,
} from '@passepartout/core'
import { headlines, type OrgData, parse, walk } from 'org-ast'
import {
  addHeadline,
  addNote,
  applyPatches,
  cycleTodo,
  inertLine,
  inertOrg,
  setPlanning,
  setPriority,
  setTags,
  setTodo,
} from 'org-ast/edit'
import { z } from 'zod'
import { addDays, addMonths, dayOf, orgStamp, readOrgStamp } from '../common/dates.ts'
import { aligned, placeOf, titleWords, withoutLinks } from '../common/note-text.ts'
import {
  changeNote,
  dayAndDate,
  done,
  type Edits,
  line,
  named,
  noteParameters,
  stamp,
  tag,
  whenWords,
} from './task-change.ts'
import { current, headlineOf, noteMeant, type Which } from './task-edit.ts'
import { archiveTask, placeMeant, refileTask } from './task-moves.ts'
import { changeTask } from './task-tool.ts'

const inbox = 'inbox.org'

const captureParameters = z.object({
  title: line.meta({ examples: ['Buy oat milk'] }),
  scheduled: stamp.optional().describe('2026-11-22 14:00'),
  deadline: stamp.optional(),
  priority: z
    .string()
    .regex(/^[A-Z]$/)
    .optional()
    .describe('A, B, C'),
  tags: z.array(tag).max(20).optional(),
  effort: z
    .string()
    .regex(/^\d{1,2}:\d{2}$/)
    .optional()
    .describe('H:MM'),
  under: line.optional().describe('a file or headline'),
})

function marksWords(fields: {
  priority?: string | undefined
  tags?: string[] | undefined
  effort?: string | undefined
}): string {
  const { priority, tags = [], effort } = fields
  const words = [
    priority === undefined ? '' : `, priority ${priority}`,
    tags.length === 0 ? '' : `, tagged :${tags.join(':')}:`,
    effort === undefined ? '' : `, effort ${effort}`,
  ]
  return words.join('')
}

const captureTask: Tool = {
  name: 'capture-task',
  description: 'Adds a task to the inbox, or elsewhere.',
  isCore: true,
  parameters: captureParameters,
  readOnly: false,
  async run(args, context) {
    const { runtime } = context
    const { under, effort, title, ...fields } = captureParameters.parse(args)
    const target = under === undefined ? { file: inbox, at: null } : placeMeant(context, under)
    if ('status' in target) return target
    const given = Object.entries(fields).filter(([, value]) => value !== undefined)
    try {
      if (target.file === inbox) makeInbox(runtime)
      await editFile(runtime, `captured “${title}”`, target.file, (text, tree) =>
        addHeadline(text, tree, target.at && headlineOf(tree, current(runtime, target.at)), {
          title,
          todo: tree.todoKeywords[0] ?? 'TODO',
          ...Object.fromEntries(given),
          ...(effort === undefined ? {} : { properties: { Effort: effort } }),
        }),
      )
    } catch (error) {
      return editError(error)
    }
    const made = runtime.store
      .query({ file: target.file })
      .filter((note) => note.title === inertLine(title))
      .at(-1)
    const place = made === undefined ? target.file : placeOf(made)
    const where = target.at === null ? place : `${place}, under “${titleWords(target.at)}”`
    const marks = marksWords({ ...fields, effort })
    return done(
      `Captured “${withoutLinks(title)}” in ${where}${whenWords(runtime, fields)}${marks}.`,
    )
  },
}

function makeInbox(runtime: Runtime): void {
  if (runtime.memex.files().includes(inbox)) return
  runtime.memex.create(inbox, '')
  runtime.store.ingestFile(inbox, '')
}

interface TodoChange {
  which: Which
  /** What was done, as the history calls it. */
  label: string
  change(text: string, tree: OrgData, task: MemoryObject, request: TodoRequest): Edits
  answer(after: MemoryObject, runtime: Runtime): string
}

type TodoRequest = { now: Date; log: boolean }

/** A tool that takes a note by its name and gives it another keyword. */
function todoTool(name: string, description: string, { which, label, ...how }: TodoChange): Tool {
  return {
    name,
    description,
    parameters: noteParameters,
    readOnly: false,
    async run(args, context) {
      const { runtime } = context
      const request = { now: runtime.clock.now(), log: true }
      return changeNote(
        context,
        { name: noteParameters.parse(args), which, label },
        (text, tree, task) => how.change(text, tree, task, request),
        (after) => how.answer(after, runtime),
      )
    },
  }
}

const completeTask = todoTool('complete-task', 'Marks one open task as done.', {
  which: 'open',
  label: 'completed',
  change: (text, tree, task, request) =>
    cycleTodo(text, tree, headlineOf(tree, task), 'done', request),
  answer: (after, runtime) =>
    after.done
      ? `Done: ${named(after)}.`
      : `Done this time: ${named(after)}${whenWords(runtime, after)}.`,
})

const reopenTask = todoTool('reopen-task', 'Makes a done task an open one again.', {
  which: 'done',
  label: 'reopened',
  change: (text, tree, task, request) =>
    setTodo(text, tree, headlineOf(tree, task), firstKeyword(tree, task.todo), request),
  answer: (after) => `Open again: ${after.todo} ${named(after)}.`,
})

function firstKeyword(tree: OrgData, present: string | null): string {
  let first: string | undefined
  walk(tree, (node) => {
    if (node.type !== 'keyword' || !/^(?:SEQ_|TYP_)?TODO$/.test(node.key)) return
    const words = node.value.split(/\s+/).map((word) => word.replace(/\(.*/, ''))
    if (words.includes(present ?? '')) first ??= words.find((word) => word !== '|' && word !== '')
  })
  return first ?? tree.todoKeywords[0] ?? 'TODO'
}

const stateParameters = noteParameters.extend({
  keyword: singleLine().min(1).max(50).describe('a TODO keyword of the file, such as WAITING'),
})

const setState: Tool = {
  name: 'set-state',
  description: 'Gives a note a TODO keyword of its file, such as NEXT or WAITING.',
  parameters: stateParameters,
  readOnly: false,
  async run(args, context) {
    const { runtime } = context
    const { keyword, ...name } = stateParameters.parse(args)
    const request = { now: runtime.clock.now(), log: true }
    return changeNote(
      context,
      { name, which: 'any', label: `set ${keyword} at` },
      (text, tree, task) => {
        const known = [...tree.todoKeywords, ...tree.doneKeywords]
        const same = known.find((word) => word.toUpperCase() === keyword.toUpperCase())
        return setTodo(text, tree, headlineOf(tree, task), same ?? keyword, request)
      },
      (after) => `${named(after)} is ${after.todo} now.`,
    )
  },
}

const dateOrNone = z.union([stamp, z.literal('none')])

const scheduleParameters = noteParameters.extend({
  scheduled: dateOrNone.optional().describe('a timestamp, or none to remove it'),
  deadline: dateOrNone.optional().describe('a timestamp, or none to remove it'),
})

const scheduleTask: Tool = {
  name: 'schedule-task',
  description: 'Gives one open task a date, a deadline, or both; or takes them away.',
  parameters: scheduleParameters,
  readOnly: false,
  async run(args, context) {
    const { runtime } = context
    const { scheduled, deadline, ...name } = scheduleParameters.parse(args)
    if (scheduled === undefined && deadline === undefined) {
      return { status: 'error', message: 'Say when: a date to schedule it for, or a deadline.' }
    }
    const dates: { scheduled?: string | null; deadline?: string | null } = {}
    if (scheduled !== undefined) dates.scheduled = scheduled === 'none' ? null : scheduled
    if (deadline !== undefined) dates.deadline = deadline === 'none' ? null : deadline
    const request = { ...dates, now: runtime.clock.now() }
    return changeNote(
      context,
      { name, which: 'open', label: 'dated' },
      (text, tree, task) => setPlanning(text, tree, headlineOf(tree, task), request),
      (after) =>
        `${named(after)} is now ${whenWords(runtime, after).slice(2) || 'without a date'}.`,
    )
  },
}

const moveParameters = noteParameters.extend({
  to: stamp.optional().describe('the new day'),
  by: z
    .string()
    .regex(/^-?\d{1,3}[dwmy]$/)
    .optional()
    .describe('a distance such as 2d or -1w'),
  which: z.enum(['scheduled', 'deadline']).optional().describe('when it has both dates'),
})

type DateKind = 'scheduled' | 'deadline'

/** Which of its dates a task is moved by; two when that has to be said. */
export function movable(task: MemoryObject): DateKind[] {
  const kinds = (['scheduled', 'deadline'] as const).filter(
    (kind) => readOrgStamp(task[kind]) !== null,
  )
  return kinds.length === 0 ? ['scheduled'] : kinds
}

function movedStamp(
  old: string | null,
  to: string | undefined,
  by: string | undefined,
  today: string,
): string {
  const from = readOrgStamp(old)
  const target = readOrgStamp(to ?? null)
  const base = from?.day ?? today
  const [, count = '0', unit = 'd'] = /^(-?\d+)([dwmy])$/.exec(by ?? '') ?? []
  const step = Number(count)
  const months = unit === 'y' ? 12 * step : step
  const shifted = /[dw]/.test(unit)
    ? addDays(base, unit === 'w' ? 7 * step : step)
    : addMonths(base, months)
  const hours = target?.time != null ? target : (from ?? { time: null, end: null })
  return orgStamp({
    day: target?.day ?? shifted,
    time: hours.time,
    end: hours.end,
    repeat: target?.repeat ?? null,
  })
}

const moveTask: Tool = {
  name: 'move-task',
  description: 'Moves the date that an open task has to another day, or by a distance.',
  parameters: moveParameters,
  readOnly: false,
  async run(args, context) {
    const { runtime } = context
    const { to, by, which, ...name } = moveParameters.parse(args)
    if (to === undefined && by === undefined)
      return { status: 'error', message: 'Say where to: a day or a distance.' }
    const now = runtime.clock.now()
    return changeNote(
      context,
      { name, which: 'open', label: 'moved' },
      (text, tree, task) => {
        const kinds = which === undefined ? movable(task) : [which]
        if (kinds.length > 1)
          throw new RangeError(
            `“${titleWords(task)}” has two dates; say which, scheduled or deadline`,
          )
        const moved = movedStamp(task[kinds[0]!], to, by, dayOf(now))
        return setPlanning(text, tree, headlineOf(tree, task), { [kinds[0]!]: moved, now })
      },
      (after) => `${named(after)} is now ${whenWords(runtime, after).slice(2)}.`,
    )
  },
}

const moveAllParameters = z.object({
  tasks: z.array(noteParameters.required()).min(1).max(50).describe('titles and places'),
  to: stamp,
})

function countWords(count: number): string {
  return count === 1 ? '1 task is' : `${count} tasks are`
}

const moveTasks: Tool = {
  name: 'move-tasks',
  description: 'Schedules several open tasks, given by title and place, for another day.',
  parameters: moveAllParameters,
  readOnly: false,
  async run(args, context) {
    const { runtime } = context
    const { tasks: names, to } = moveAllParameters.parse(args)
    const tasks: MemoryObject[] = []
    for (const name of names) {
      const task = noteMeant(context, name, 'open')
      if ('status' in task) return task
      tasks.push(task)
    }
    const now = runtime.clock.now()
    const day = readOrgStamp(to)!.day
    try {
      await editFiles(runtime, `moved ${tasks.length} tasks`, (read) =>
        Object.entries(Object.groupBy(tasks, ({ file }) => file)).map(([path, inFile = []]) => {
          const { text, tree } = read(path)
          const patches = inFile.flatMap((known) => {
            const task = current(runtime, known)
            const scheduled = movedStamp(task.scheduled, to, undefined, day)
            return setPlanning(text, tree, headlineOf(tree, task), { scheduled, now })
          })
          return { path, text, patches }
        }),
      )
    } catch (error) {
      return editError(error)
    }
    const lines = aligned(tasks.map((task) => [titleWords(task), placeOf(task)]))
    return done(
      `${countWords(tasks.length)} now scheduled for ${dayAndDate(day, dayOf(now))}:\n${lines}`,
    )
  },
}

const priorityParameters = noteParameters.extend({
  priority: z
    .string()
    .regex(/^(?:[A-Z]|\d{1,2}|up|down|none)$/)
    .describe('A, B, C, up, down or none'),
})

function hasPriority(text: string, task: MemoryObject): boolean {
  for (const { position, priority } of headlines(parse(text))) {
    if (position.start.line === task.line) return priority !== null
  }
  return false
}

const prioritizeTask: Tool = {
  name: 'set-priority',
  description: 'Sets, raises, lowers or removes the priority of an open task.',
  parameters: priorityParameters,
  readOnly: false,
  async run(args, context) {
    const { priority, ...name } = priorityParameters.parse(args)
    const wanted = priority === 'none' ? null : priority
    return changeNote(
      context,
      { name, which: 'open', label: 'ranked' },
      (text, tree, task) => {
        const patches = setPriority(text, tree, headlineOf(tree, task), wanted)
        const left =
          /^(?:up|down)$/.test(priority) && !hasPriority(applyPatches(text, patches), task)
        if (!left) return patches
        throw new RangeError(
          `“${titleWords(task)}” has priority ${task.priority} already, and there is none beyond it`,
        )
      },
      (after) =>
        `${named(after)} has ${after.priority === null ? 'no priority' : `priority ${after.priority}`} now.`,
    )
  },
}

const tagParameters = noteParameters.extend({
  add: z.array(tag).max(20).default([]),
  remove: z.array(tag).max(20).default([]),
})

const tagTask: Tool = {
  name: 'tag-task',
  description: 'Adds tags to a note, or removes some.',
  parameters: tagParameters,
  readOnly: false,
  async run(args, context) {
    const { add, remove, ...name } = tagParameters.parse(args)
    const gone = new Set(remove.map((word) => word.toLowerCase()))
    return changeNote(
      context,
      { name, which: 'any', label: 'tagged' },
      (text, tree, note) => {
        const headline = headlineOf(tree, note)
        const kept = headline.tags.filter((own) => !gone.has(own.toLowerCase()))
        const wanted = [...new Set([...kept, ...add])]
        return wanted.join(':') === headline.tags.join(':') ? [] : setTags(text, headline, wanted)
      },
      (after) =>
        after.tags.length === 0
          ? `${named(after)} has no tags now.`
          : `${named(after)} is tagged :${after.tags.join(':')}: now.`,
    )
  },
}

const noteTextParameters = noteParameters.extend({
  note: z.string().trim().min(1).max(5000).describe('the note'),
})

const annotateTask: Tool = {
  name: 'add-note',
  description: 'Adds a dated note to a task or any other headline.',
  parameters: noteTextParameters,
  readOnly: false,
  async run(args, context) {
    const { runtime } = context
    const { note, ...name } = noteTextParameters.parse(args)
    return changeNote(
      context,
      { name, which: 'any', label: 'annotated' },
      (text, tree, task) =>
        addNote(text, tree, headlineOf(tree, task), {
          now: runtime.clock.now(),
          note: inertOrg(note),
        }),
      (after) => `Noted at ${named(after)}: ${note}`,
    )
  },
}

const undo: Tool = {
  name: 'undo',
  description: 'Takes back all that the last turn has changed in the notes.',
  parameters: z.object({}),
  readOnly: false,
  async run(_args, { runtime }) {
    return undoLast(runtime)
  },
}

const changes: readonly Tool[] = [
  ...[completeTask, reopenTask, setState, scheduleTask, moveTask, moveTasks],
  ...[prioritizeTask, tagTask, annotateTask, refileTask, archiveTask],
]

/** The skill that changes tasks in the owner's files. */
export const tasks: Skill = defineSkill({
  name: 'tasks',
  description: 'Captures, changes, moves and archives tasks by minimal edits of the Org files.',
  dependsOn: ['notes'],
  offeredFor: ['undo', 'revert'],
  hiddenTools: () => changes.map(({ name }) => name),
  tools: [captureTask, changeTask, undo, ...changes].map((tool) => ({
    ...tool,
    reach: 'notes' as const,
  })),
})
