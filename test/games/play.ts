import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  watch,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import type { TraceEntry } from '@passepartout/core'
import { z } from 'zod'
import {
  type Protocol,
  protocols,
  type ScriptedAnswer,
  type SeenRequest,
} from '../servers/model-server.ts'
import { type Stage, setStage } from '../servers/scenario-stage.ts'
import { harmOf, ownerOf, sceneOf, type Task } from './tasks.ts'
import { changesTasks } from './tasks-changes.ts'
import { notesTasks } from './tasks-notes.ts'
import { worldTasks } from './tasks-world.ts'

/** All fifty. */
export const tasks: readonly Task[] = [...notesTasks, ...changesTasks, ...worldTasks]

const answerSchema = z.strictObject({
  text: z.union([z.string().transform((text) => [text]), z.array(z.string())]).optional(),
  calls: z
    .array(z.strictObject({ tool: z.string(), args: z.record(z.string(), z.unknown()) }))
    .optional(),
})

/** Who answers the requests of a game. */
export type Player = (request: SeenRequest, at: number) => Promise<ScriptedAnswer>

function put(path: string, text: string): void {
  writeFileSync(`${path}.part`, text)
  renameSync(`${path}.part`, path)
}

/** A player who finds each request in a folder and puts the answer beside it. */
export function filePlayer(folder: string): Player {
  return async ({ body }, at) => {
    const place = join(folder, String(at).padStart(3, '0'))
    const answer = `${place}-answer.json`
    put(`${place}-request.json`, `${JSON.stringify(body, null, 2)}\n`)
    return new Promise((resolve) => {
      const look = () => {
        if (!existsSync(answer)) return
        const read = readAnswer(readFileSync(answer, 'utf8'))
        if (typeof read === 'string') return put(`${place}-fault.txt`, `${read}\n`)
        watcher.close()
        resolve(read)
      }
      const watcher = watch(folder, (_, name) => {
        if (name === basename(answer)) look()
      })
      look()
    })
  }
}

function readAnswer(text: string): ScriptedAnswer | string {
  try {
    const { calls, text: said } = answerSchema.parse(JSON.parse(text))
    return { ...(said && { text: said }), ...(calls && { calls }) }
  } catch (error) {
    return error instanceof z.ZodError ? z.prettifyError(error) : String(error)
  }
}

/** A game that was played. */
interface Game {
  task: string
  setting: Setting
  answers: ScriptedAnswer[]
  /** What became of the proposals, a line each, such as `tool search success`. */
  outcomes: string[]
  /** Why the task failed, or null. */
  fault: string | null
  /** Files that have changed and are none of the task's. */
  harm: string[]
  /** Characters of the first request, of all of them, and the share that was repeated from the one before, 0 to 1. */
  size: { first: number; all: number; kept: number }
}

/** What became of each proposal, from the journal. */
function outcomesOf(trace: readonly TraceEntry[]): string[] {
  return trace.flatMap(({ records }) =>
    records.flatMap(({ kind, fields }) => {
      if (kind === 'outcome')
        return [`${fields.target} ${fields.tool ?? ''} ${fields.status}`.replace('  ', ' ')]
      return kind === 'approval' ? [`approval ${fields.state}`] : []
    }),
  )
}

function sizeOf(requests: readonly string[]): Game['size'] {
  const all = requests.reduce((sum, text) => sum + text.length, 0)
  const kept = requests
    .slice(1)
    .reduce((sum, text, at) => sum + sharedLength(requests[at]!, text), 0)
  return { first: requests[0]?.length ?? 0, all, kept: all === 0 ? 0 : kept / all }
}

/** How many characters two texts share from their beginning. */
function sharedLength(a: string, b: string): number {
  let length = 0
  while (length < a.length && a[length] === b[length]) length++
  return length
}

/** How a game is set up. */
interface Setting {
  protocol?: Protocol | undefined
  /** The model's window in tokens; the program's own default when it is missing. */
  window?: number | undefined
}

const settingSchema = z.object({
  protocol: z.enum(protocols).optional(),
  window: z.coerce.number().int().min(256).optional(),
})

/** Plays a task with this player. Rejects only when the daemon does not start. */
export async function playTask(task: Task, player: Player, setting: Setting = {}): Promise<Game> {
  const { protocol = 'openai-compatible', window } = setting
  const scene = sceneOf(task)
  const patience = [':FIRST_TIMEOUT: 5min', ':TIMEOUT: 10min']
  const lines = window === undefined ? patience : [...patience, `:CONTEXT: ${window}`]
  const stage = await setStage({ ...scene, protocol, model: [...(scene.model ?? []), ...lines] })
  const answers: ScriptedAnswer[] = []
  let count = 0
  stage.model.afterwards(async (request) => {
    const at = ++count
    const answer = await player(request, at)
    answers[at - 1] = answer
    return answer
  })
  try {
    await stage.start()
    const fault = await faultOf(task, stage)
    const outcomes = outcomesOf(stage.trace())
    const harm = harmOf(task, scene.notes, stage)
    const size = sizeOf(stage.model.requests.map(({ text }) => text))
    return { task: task.name, setting, answers, outcomes, fault, harm, size }
  } finally {
    await stage.close()
  }
}

async function faultOf(task: Task, stage: Stage): Promise<string | null> {
  try {
    await task.play(ownerOf(stage))
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** The same game as it goes now; null when there is no such task any more. */
async function again({ answers, setting, task: name }: Game): Promise<Game | null> {
  const task = tasks.find((one) => one.name === name)
  if (task === undefined) return null
  return playTask(task, async (_, at) => answers[at - 1] ?? { text: ['Nothing more.'] }, setting)
}

/** The lines of a game that are other ones now, with `-` for what was and `+` for what is; empty when it holds. */
export async function replay(game: Game): Promise<string[]> {
  const now = await again(game)
  if (now === null) return [`- task ${game.task}`]
  const [before, after] = [linesOf(game), linesOf(now)]
  return [
    ...before.filter((line) => !after.includes(line)).map((line) => `- ${line}`),
    ...after.filter((line) => !before.includes(line)).map((line) => `+ ${line}`),
  ]
}

function linesOf({ answers, fault, harm, outcomes }: Game): string[] {
  return [
    ...outcomes.map((line, at) => `${at + 1}. ${line}`),
    ...harm.map((path) => `harm ${path}`),
    `${answers.length} requests`,
    fault === null ? 'passed' : 'failed',
  ]
}

const recorded = join(import.meta.dirname, '../recorded')

/** The games that are kept, in the order of their names. */
export function recordedGames(): Game[] {
  const paths = globSync(join(recorded, '*.json')).sort()
  return paths.map((path) => JSON.parse(readFileSync(path, 'utf8')) as Game)
}

async function record(path: string): Promise<number> {
  const game = await again(JSON.parse(readFileSync(path, 'utf8')) as Game)
  if (game === null || game.fault !== null || game.harm.length > 0) {
    console.error(`It was not recorded: ${game?.fault ?? game?.harm.join(', ') ?? 'no such task'}`)
    return 1
  }
  mkdirSync(recorded, { recursive: true })
  const name = game.task.replace(/[^a-z0-9]+/gi, '-').toLowerCase()
  put(join(recorded, `${name}.json`), `${JSON.stringify(game, null, 2)}\n`)
  return 0
}

async function main(): Promise<number> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      replay: { type: 'boolean' },
      record: { type: 'string' },
      window: { type: 'string' },
      protocol: { type: 'string' },
      folder: { type: 'string' },
    },
  })
  if (values.replay === true) return replayAll()
  if (values.record !== undefined) return record(values.record)
  const task = tasks.find(({ name }) => name === positionals[0])
  if (task === undefined) {
    for (const { kind, name } of tasks) console.log(`${kind.padEnd(20)} ${name}`)
    if (positionals.length === 0) return 0
    console.error(`There is no task called ${positionals.join(' ')}; these are all.`)
    return 2
  }
  const setting = settingSchema.safeParse(values)
  if (!setting.success) {
    console.error(z.prettifyError(setting.error))
    return 2
  }
  const folder = values.folder ?? mkdtempSync(join(tmpdir(), 'game-'))
  console.log(`The requests come into ${folder}; put NNN-answer.json beside each NNN-request.json.`)
  const game = await playTask(task, filePlayer(folder), setting.data)
  put(join(folder, 'game.json'), `${JSON.stringify(game, null, 2)}\n`)
  console.log(linesOf(game).join('\n'))
  if (game.fault !== null) console.log(game.fault)
  return game.fault === null && game.harm.length === 0 ? 0 : 1
}

async function replayAll(): Promise<number> {
  const games = recordedGames()
  if (games.length === 0) console.error(`No game is recorded in ${recorded}.`)
  let faults = games.length === 0 ? 1 : 0
  for (const game of games) {
    const changes = await replay(game)
    console.log(
      `${game.task}: ${changes.length === 0 ? 'as before' : ''}`,
      ...changes.map((line) => `\n  ${line}`),
    )
    if (changes.length > 0) faults++
  }
  return faults === 0 ? 0 : 1
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) process.exit(await main())
