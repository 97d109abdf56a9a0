import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  checkStore,
  type MemoryDatabase,
  ObjectStore,
  openDatabase,
  textOfVersion,
} from '@passepartout/core'

function editAndCommit(store: ObjectStore, database: MemoryDatabase, number: number): void {
  const filler = 'x'.repeat((number * 37) % 5_000)
  for (const path of ['a.org', 'b.org']) {
    store.ingestFile(path, `* Counter\n${number}\n** Filler ${number % 7}\n${filler}\n`)
  }
  if (number % 10 === 0) store.removeFile('c.org')
  else store.ingestFile('c.org', `* Gone on Sundays\n${number % 3}\n`)
  database.commit(store)
}

function write(dir: string): never {
  const database = openDatabase(dir)
  const store = new ObjectStore()
  database.load(store)
  for (let number = numberIn(store, 'a.org') + 1; ; number++) {
    editAndCommit(store, database, number)
    writeSync(1, `${number}\n`)
  }
}

/** The number of the last edit; 0 before the first. */
function numberIn(store: ObjectStore, file: string): number {
  return Number(store.query({ file, type: 'headline' })[0]?.content ?? 0)
}

/** What is wrong after a crash, given the last number that was acknowledged; null when nothing is. */
function faultAfter(dir: string, acknowledged: number): string | null {
  const said: string[] = []
  const database = openDatabase(dir, (message) => said.push(message))
  try {
    const store = new ObjectStore()
    database.load(store)
    const numbers = ['a.org', 'b.org'].map((file) => numberIn(store, file))
    if (said.length > 0) return said.join('; ')
    if (numbers[0] !== numbers[1]) return `half a commit: ${numbers.join(' and ')}`
    if (numbers[0]! < acknowledged)
      return `${acknowledged} was acknowledged, ${numbers[0]} is there`
    const flaw = checkStore(store)
    if (flaw !== null) return `${flaw.kind}: ${flaw.hash}`
    return historyFault(store, numbers[0]!)
  } finally {
    database.close()
  }
}

function historyFault(store: ObjectStore, number: number): string | null {
  const id = store.query({ file: 'a.org', type: 'headline' })[0]?.id ?? ''
  const changes = store.history.changes(id)
  if (changes.length !== number) return `${changes.length} changes for ${number} edits`
  for (const { hash } of changes.slice(-3)) {
    if (textOfVersion(store.history, hash ?? '') === null) return `no text for ${hash}`
  }
  return null
}

function lastAcknowledged(dir: string, isEarly: boolean): Promise<number> {
  const flags = ['--disable-warning=ExperimentalWarning', '--conditions=@passepartout/source']
  const child = spawn(process.execPath, [...flags, import.meta.filename, '--write', dir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let printed = ''
  child.stdout.on('data', (data) => {
    if (printed === '') {
      const kill = () => child.kill('SIGKILL')
      if (isEarly) kill()
      else setTimeout(kill, Math.random() * 300)
    }
    printed += data
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', () => resolve(Number(printed.split('\n').at(-2) ?? 0)))
  })
}

/** Kills a writer so many times; the faults that were found, none in the best case. */
export async function crash(rounds: number): Promise<{ faults: string[]; edits: number }> {
  const dir = mkdtempSync(join(tmpdir(), 'memory-crash-'))
  const faults: string[] = []
  let edits = 0
  try {
    for (let round = 0; round < rounds; round++) {
      edits = await lastAcknowledged(dir, round % 5 === 0)
      const fault = edits === 0 ? 'the writer wrote nothing' : faultAfter(dir, edits)
      if (fault !== null) faults.push(`round ${round}: ${fault}`)
    }
    return { faults, edits }
  } finally {
    rmSync(dir, { recursive: true })
  }
}

if (import.meta.main) {
  const [first = '500', dir = ''] = process.argv.slice(2)
  if (first === '--write') write(dir)
  const { faults, edits } = await crash(Number(first))
  console.log(`${first} kills, ${edits} edits, ${faults.length} faults`)
  for (const fault of faults) console.log(fault)
  process.exitCode = faults.length === 0 ? 0 : 1
}
