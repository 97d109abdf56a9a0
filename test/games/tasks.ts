import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { hear, type Scene, type Stage, sentence } from '../servers/scenario-stage.ts'

/** What the owner of a task does. */
export interface Owner {
  stage: Stage
  /** Says something and answers what is asked back, with yes by default. Resolves to all that was heard. */
  says: (text: string, answer?: 'approve' | 'deny') => Promise<string>
  /** Ends the daemon and starts it again. */
  restarts(): Promise<void>
}

const questionsMax = 10

/** The owner of this stage. */
export function ownerOf(stage: Stage): Owner {
  return {
    stage,
    async says(text, answer = 'approve') {
      const heard = [await stage.say(text)]
      for (let asked = 0; asked < questionsMax; asked++) {
        const word = /\bapprove ([a-z]{6})\b/.exec(heard.at(-1) ?? '')?.[1]
        if (word === undefined) return heard.join('\n')
        heard.push(await stage.say(`${answer} ${word}`))
      }
      throw new Error(`more than ${questionsMax} questions:\n${heard.join('\n')}`)
    },
    async restarts() {
      await stage.stop()
      await stage.start()
    },
  }
}

/** Says something in a connection of its own, without waiting for others. */
export async function saysElsewhere({ stage }: Owner, text: string): Promise<string> {
  const client = await stage.connect()
  try {
    client.send(sentence(text))
    return await hear(client)
  } finally {
    client.close()
  }
}

/** The ten kinds. */
export const kinds = [
  'plan',
  'find',
  'file',
  'change many',
  'compute',
  'code and test',
  'web page',
  'remember and recall',
  'remind',
  'teach a skill',
] as const

/** Something an owner asks for, with an end that can be looked at. */
export interface Task {
  name: string
  kind: (typeof kinds)[number]
  /** The files that may be other ones afterwards, by their paths in the memex; none when it is missing. */
  touches?: RegExp
  /** What is different from the example memex on its Saturday morning. */
  scene?: Partial<Scene>
  /** The owner's part. Throws when the end is not as it was asked for. */
  play(owner: Owner): Promise<void>
}

const memex = join(import.meta.dirname, '../memex')

/** The files of a folder with such names, Org files by default, by path. */
export function filesOf(folder: string, names: RegExp = /\.org$/): Record<string, string> {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true })
  const files = found.filter((entry) => entry.isFile() && names.test(entry.name))
  const paths = files.map((entry) => join(entry.parentPath, entry.name))
  return Object.fromEntries(
    paths.map((path) => [relative(folder, path), readFileSync(path, 'utf8')]),
  )
}

/** The scene of a task, the example memex and what the task adds to it. */
export function sceneOf({ scene = {} }: Task): Scene {
  const notes = { ...filesOf(memex), ...scene.notes }
  return { at: new Date(2026, 10, 21, 9).getTime(), script: [], ...scene, notes }
}

/** What was changed that the task is not about. */
export function harmOf(task: Task, before: Record<string, string>, stage: Stage): string[] {
  const after = filesOf(join(stage.home, 'memex'))
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return paths.filter((path) => {
    const isTheirs = path === 'flight-plans.org' || (task.touches?.test(path) ?? false)
    return before[path] !== after[path] && !isTheirs
  })
}

/** Holds the file of the memex against patterns. */
export function holds({ stage }: Owner, path: string, ...patterns: RegExp[]): void {
  for (const pattern of patterns) assert.match(stage.read(path), pattern)
}

/** The lines of the headline whose title has these words, up to the next headline. */
export function headlineOf({ stage }: Owner, path: string, words: string): string {
  const lines = stage.read(path).split('\n')
  const from = lines.findIndex((line) => /^\*+ /.test(line) && line.includes(words))
  assert.ok(from >= 0, `${path} has no headline with “${words}”`)
  const length = lines.slice(from + 1).findIndex((line) => /^\*+ /.test(line))
  return lines.slice(from, length < 0 ? undefined : from + 1 + length).join('\n')
}
