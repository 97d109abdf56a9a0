import { existsSync, mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { filePlayer, type Player, playTask, recordedGames, replay, tasks } from './play.ts'
import { kinds } from './tasks.ts'

const taskNamed = (name: string) => tasks.find((task) => task.name === name)!

test('there are five of each kind, under names of their own', () => {
  expect(new Set(tasks.map(({ name }) => name)).size).toBe(50)
  for (const kind of kinds) expect(tasks.filter((task) => task.kind === kind)).toHaveLength(5)
})

const givesUp: Player = async () => ({ text: ['I cannot do that.'] })

const firsts = kinds.map((kind) => tasks.find((task) => task.kind === kind)!)

test.each(firsts.map((task) => [task.name, task] as const))(
  'nobody passes “%s” by giving up',
  async (_, task) => {
    const game = await playTask(task, givesUp)
    expect(game.harm).toEqual([])
    expect(game.fault).not.toBeNull()
  },
)

test('a game is played over files, and again without the player', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'game-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const answers = [
    '{ "calls": [{ "tool": "search", "args": { "query": "spare keys" } }] ',
    '{ "text": "At Signe’s, in the blue tin." }',
  ]
  let isMended = false
  const watcher = watch(folder, () => {
    for (const at of [1, 2]) {
      const answer = join(folder, `00${at}-answer.json`)
      if (existsSync(join(folder, `00${at}-request.json`)) && !existsSync(answer))
        writeFileSync(answer, answers[at - 1]!)
    }
    if (!isMended && existsSync(join(folder, '001-fault.txt'))) {
      isMended = true
      writeFileSync(join(folder, '001-answer.json'), `${answers[0]}}`)
    }
  })
  onTestFinished(() => watcher.close())
  const game = await playTask(taskNamed('the spare keys'), filePlayer(folder))
  expect(readFileSync(join(folder, '001-fault.txt'), 'utf8')).toContain('JSON')
  expect(readFileSync(join(folder, '002-request.json'), 'utf8')).toContain('blue tin')
  expect(game).toMatchObject({ fault: null, harm: [] })
  expect(await replay(game)).toEqual([])
  const other = await replay({ ...game, outcomes: ['tool search error'] })
  expect(other.some((line) => line.startsWith('- 1.'))).toBe(true)
})

test.for(recordedGames().map((game) => [game.task, game] as const))(
  'the game of “%s” goes as it went',
  { timeout: 120_000 },
  async ([, game]) => {
    expect(await replay(game)).toEqual([])
  },
)
