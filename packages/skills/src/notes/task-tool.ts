import { shortForm, type Tool } from '@passepartout/core'
import { z } from 'zod'
import { noteParameters } from './task-change.ts'

type Arguments = Record<string, unknown>

const meanings: Record<string, { tool: string; args(value: string | undefined): Arguments }> = {
  done: { tool: 'complete-task', args: () => ({}) },
  reopen: { tool: 'reopen-task', args: () => ({}) },
  archive: { tool: 'archive-task', args: () => ({}) },
  state: { tool: 'set-state', args: (keyword) => ({ keyword }) },
  schedule: { tool: 'schedule-task', args: (scheduled) => ({ scheduled }) },
  deadline: { tool: 'schedule-task', args: (deadline) => ({ deadline }) },
  move: {
    tool: 'move-task',
    args: (value = '') => (/^-?\d+[dwmy]$/.test(value) ? { by: value } : { to: value }),
  },
  priority: { tool: 'set-priority', args: (priority) => ({ priority }) },
  tag: { tool: 'tag-task', args: tagsOf },
  note: { tool: 'add-note', args: (note) => ({ note }) },
  refile: { tool: 'refile-task', args: (under) => ({ under }) },
}

const bare = new Set(['done', 'reopen', 'archive'])

/** `garden -house` adds the one and removes the other. */
function tagsOf(value = ''): Arguments {
  const words = value.split(/[\s,:]+/).filter((word) => word !== '')
  const bare = (word: string) => word.replace(/^[-+]/, '')
  const add = words.filter((word) => !word.startsWith('-')).map(bare)
  const remove = words.filter((word) => word.startsWith('-')).map(bare)
  return { add, remove }
}

const parameters = noteParameters
  .extend({
    do: z.enum(Object.keys(meanings) as [string, ...string[]]),
    value: z
      .string()
      .max(5_000)
      .optional()
      .describe(
        'keyword; 2026-11-22 14:00, 2d or none; A or none; tags, -tag removes; text; place',
      ),
  })
  .refine(({ do: word, value }) => value !== undefined || bare.has(word), {
    path: ['value'],
    error: `Expected a value, as for all but ${[...bare].join(', ')}`,
  })

/** Stands for the tools that change one task. */
export const changeTask: Tool = shortForm(
  {
    name: 'change-task',
    description: 'Changes a task or note: done, state, dates, priority, tags, note, place.',
    isCore: true,
    parameters,
  },
  (args) => {
    const { do: word, value, ...name } = parameters.parse(args)
    const meaning = meanings[word]!
    const given = Object.entries({ ...name, ...meaning.args(value) }).filter(
      ([, one]) => one !== undefined,
    )
    const payload = {
      action: 'call',
      tool: meaning.tool,
      args: Object.fromEntries(given) as Arguments,
    }
    return { target: 'tool', payload }
  },
)
