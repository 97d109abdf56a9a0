import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { heartbeatMinutes, Jail, readSkillDocument, trySkill } from '@passepartout/core'
import { parse, sourceBlocks } from 'org-ast'
import { expect, onTestFinished, test } from 'vitest'
import { toldNames } from '../../packages/skills/src/improve/skill-names.ts'

const manual = join(import.meta.dirname, '../../org/manual/skills.org')

function example() {
  const text = readFileSync(manual, 'utf8')
  const block = sourceBlocks(parse(text), text).find(({ language }) => language === 'org')
  const read = readSkillDocument(`${block?.body}\n`, 'short-answers.org')
  if (!read.ok) throw new Error(JSON.stringify(read.problems))
  return read.document
}

test('the example of the manual loads and passes its tests', async () => {
  const { contributions, passed, problems } = await trySkill(example(), 'owner')
  expect(problems).toEqual([])
  expect(contributions.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
    'gate hundred-words',
    'tool mentions',
    'hook heartbeat',
  ])
  expect(passed).toEqual(['short is good', 'long is not', 'mentions are counted'])
})

test('the example of the manual reminds once a day', async () => {
  const jail = new Jail()
  onTestFinished(() => jail.close())
  await jail.load('short-answers', example().code.text)
  const called: string[] = []
  const effects = async (tool: string) => {
    called.push(tool)
    return { ok: true, text: 'TODO x\n'.repeat(60) }
  }
  const input = { signal: {}, at: '2026-11-21T09:00:00.000Z', state: null }
  const first = await jail.call('short-answers', 'hook:heartbeat', input, effects)
  expect(first).toEqual({ state: { said: '2026-11-21' }, notice: 'there are 61 lines of tasks' })
  const { state } = first as { state: unknown }
  expect(
    await jail.call('short-answers', 'hook:heartbeat', { ...input, state }, effects),
  ).toBeNull()
  expect(called).toEqual(['list-tasks'])
  const long = { action: { payload: { action: 'message', text: 'word '.repeat(101) } } }
  const asked = [{ skill: 'short-answers', entry: 'gate:hundred-words' }]
  expect(await jail.judge(asked, long)).toMatchObject([
    { said: { kind: 'reject', reason: 'say it in 100 words; these are 101' } },
  ])
})

test('the manual says what the code does', () => {
  const text = readFileSync(manual, 'utf8')
  for (const [kind, names] of Object.entries(toldNames)) {
    const row = `| ~${kind}~ | ${names.map((name) => `~${name}~`).join(' ')} |`
    expect(text).toContain(row)
  }
  expect(heartbeatMinutes).toBe(15)
  expect(text).toContain('The heart beats every fifteen minutes')
})
