import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { type Code, tokenise } from './tokens.ts'

const fewCharacters = 30_000
const threadsMax = 8

/** The runs of each of these blocks, in their order. `threads` is as many as there are processors. */
export async function tokeniseInParallel(
  blocks: readonly Code[],
  threads: number = Math.min(availableParallelism(), threadsMax),
): Promise<string[]> {
  const total = blocks.reduce((sum, { body }) => sum + body.length, 0)
  if (threads < 2 || total < fewCharacters) return tokenise(blocks)
  const shares = Array.from({ length: threads }, () => ({ places: [] as number[], load: 0 }))
  const order = blocks.map((_, place) => place)
  order.sort((a, b) => blocks[b]!.body.length - blocks[a]!.body.length || a - b)
  for (const place of order) {
    const share = shares.reduce((least, other) => (other.load < least.load ? other : least))
    share.places.push(place)
    share.load += blocks[place]!.body.length
  }
  const rows: string[] = []
  const work = shares.map(async ({ places }) => {
    const found = await inThread(places.map((place) => blocks[place]!))
    for (const [index, place] of places.entries()) rows[place] = found[index]!
  })
  await Promise.all(work)
  return rows
}

function inThread(blocks: readonly Code[]): Promise<string[]> {
  const file = `./tokens-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(file, import.meta.url), { workerData: blocks })
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.once('exit', (code) => reject(new Error(`A highlighting thread ended with ${code}.`)))
  })
}
