import { randomUUID } from 'node:crypto'
import { lstatSync, mkdirSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  editError,
  editFile,
  fieldText,
  type Runtime,
  type SensorHandler,
  type Tool,
  writeNewFile,
} from '@passepartout/core'
import { inertLine, inertOrg } from 'org-ast/edit'
import { z } from 'zod'

/** A name for a file of this name that means nothing anywhere. */
export function fileName(given: string): string {
  const last = given.normalize('NFC').split(/[/\\]/).at(-1) ?? ''
  const plain = last
    .replace(/[^\p{L}\p{N}._ -]/gu, '_')
    .replace(/^[._ -]+|[. ]+$/g, '')
    .slice(-80)
    .toWellFormed()
    .replace(/^[._ -]+/, '')
  const name = plain === '' ? 'file' : plain
  return /\.(?:org|org_archive|gpg|age|el|elc)$/i.test(name) ? `${name}.txt` : name
}

/** A file that was fetched and is not kept yet. */
interface HeldFile {
  name: string
  /** Who sent it, as `network:number`. */
  from: string
  caption: string
  bytes: Uint8Array
}

const heldMax = 8

/** Files by keys that nobody can guess. */
export class HeldFiles {
  readonly #files = new Map<string, HeldFile>()

  /** Returns the key. */
  hold(file: HeldFile): string {
    const key = randomUUID()
    this.#files.set(key, file)
    const [oldest] = this.#files.keys()
    if (this.#files.size > heldMax && oldest !== undefined) this.#files.delete(oldest)
    return key
  }

  get(key: string): HeldFile | null {
    return this.#files.get(key) ?? null
  }

  drop(key: string): void {
    this.#files.delete(key)
  }
}

function folderFor(memexDir: string, id: string): string {
  const parts = ['data', id.slice(0, 2), id.slice(2)]
  let folder = realpathSync(memexDir)
  for (const part of parts) {
    folder = join(folder, part)
    mkdirSync(folder, { recursive: true })
    if (!lstatSync(folder).isDirectory()) throw new RangeError(`Expected ${part} to be a folder`)
  }
  return folder
}

function stampOf(now: Date): string {
  const two = (part: number) => String(part).padStart(2, '0')
  const day = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'][now.getDay()]
  const date = `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`
  return `[${date} ${day} ${two(now.getHours())}:${two(now.getMinutes())}]`
}

function headlineFor({ caption, from }: HeldFile, name: string, id: string, now: Date): string {
  const quoted = inertOrg(caption)
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => `: ${line.slice(0, 500).toWellFormed()}\n`)
  const drawer = `:PROPERTIES:\n:ID: ${id}\n:FROM: ${from}\n:RECEIVED: ${stampOf(now)}\n:END:\n`
  const title = inertLine(name).replace(/^(?=[\p{Lu}\d_-]+ )/u, '\u200b')
  return `* ${title} :ATTACH:\n${drawer}[[attachment:${name}]]\n${quoted.slice(0, 40).join('')}`
}

const parameters = z.object({ attachment: z.uuid().describe('a file that was sent') })
const inbox = 'inbox.org'

/** The tool that keeps a file. */
export function keepAttachment(held: HeldFiles): Tool {
  return {
    name: 'keep-attachment',
    description: 'Keeps a file that was sent over a chat network, with a headline in the inbox.',
    parameters,
    readOnly: false,
    reach: 'notes',
    async run(args, { runtime }) {
      const { attachment } = parameters.parse(args)
      const file = held.get(attachment)
      if (file === null) return { status: 'error', message: 'That file is not there any more.' }
      const name = fileName(file.name)
      try {
        await keep(runtime, file, name)
      } catch (error) {
        return editError(error)
      }
      held.drop(attachment)
      return { status: 'success', content: `Kept “${name}” with a headline in ${inbox}.` }
    },
  }
}

async function keep(runtime: Runtime, file: HeldFile, name: string): Promise<void> {
  const id = randomUUID()
  const path = join(folderFor(runtime.memex.dir, id), name)
  if (dirname(realpathSync(dirname(path))) === '/') throw new RangeError('Expected a folder')
  writeNewFile(path, file.bytes)
  if (!runtime.memex.files().includes(inbox)) {
    runtime.memex.create(inbox, '')
    runtime.store.ingestFile(inbox, '')
  }
  const headline = headlineFor(file, name, id, runtime.clock.now())
  await editFile(runtime, `kept “${name}”`, inbox, (text) => {
    const gap = text === '' || text.endsWith('\n') ? '' : '\n'
    return [{ begin: text.length, end: text.length, text: `${gap}${headline}` }]
  })
}

/** What a signal with a key leads to: the call of the tool, which the gates judge. */
export const attachmentSensor: SensorHandler = ({ payload }) => ({
  type: 'request',
  target: 'tool',
  payload: {
    action: 'call',
    tool: 'keep-attachment',
    args: { attachment: fieldText(payload.attachment) },
    explanation: 'a file came with a message',
  },
})
