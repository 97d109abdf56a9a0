import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { skill } from '../../src/definitions/programs.ts'
import { told } from '../line/told.ts'

function home() {
  const dir = mkdtempSync(join(tmpdir(), 'skill-home-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const env = { HOME: dir }
  const folder = join(dir, '.local/share/passepartout/skills')
  return { dir, folder, run: (...words: string[]) => told(skill, words, { env }) }
}

test('a skill goes back to what it was', async () => {
  const { folder, run } = home()
  await run('new', 'first')
  await run('enable', 'first')
  const path = join(folder, 'first.org')
  const good = readFileSync(path, 'utf8')
  writeFileSync(path, good.replace('xyzzy', 'zzzyx'))
  await run('enable', 'first')
  expect((await run('versions', 'first')).text).toMatch(
    /^\* \S{8} .*enabled\n {2}\S{8} .*enabled\n$/,
  )
  const dry = await run('back', 'first', '--dry-run')
  expect(dry.text).toMatch(/-.*zzzyx[\s\S]*\+.*xyzzy[\s\S]*would be/)
  expect(readFileSync(path, 'utf8')).toContain('zzzyx')
  expect((await run('back', 'first')).code).toBe(0)
  expect(readFileSync(path, 'utf8')).toBe(good)
  expect(JSON.parse((await run('versions', 'first', '--json')).text)).toMatchObject([
    { isNow: true, how: expect.stringMatching(/^back to/) },
    { isNow: false },
    { isNow: true },
  ])
  expect(await run('back', 'none')).toMatchObject({ code: 1 })
  expect((await run('versions', 'first', '--dry-run')).code).toBe(2)
})

test('new, check, enable, list, why, disable', async () => {
  const { folder, run } = home()
  expect((await run('list')).text).toContain('There are none')
  expect(await run('new', 'first')).toMatchObject({ code: 0 })
  expect(await run('new', 'first')).toMatchObject({
    code: 1,
    text: expect.stringContaining('already'),
  })
  expect(await run('check', 'first')).toMatchObject({
    code: 0,
    text: expect.stringContaining('first is good. It brings: gate magic-word, tool first-words'),
  })
  expect((await run('why', 'first')).text).toContain('not granted: gates prompt tools')
  expect((await run('enable', 'first')).text).toContain('It was granted: gates prompt tools')
  expect(JSON.parse((await run('list', '--json')).text)).toMatchObject([
    { name: 'first', state: 'enabled', origin: 'owner', path: join(folder, 'first.org') },
  ])
  expect((await run('disable', 'first')).code).toBe(0)
  expect((await run('list')).text).toMatch(/^first {2}disabled/)
})

test('a mistake is told at its line', async () => {
  const { folder, run } = home()
  await run('new', 'first')
  const path = join(folder, 'first.org')
  writeFileSync(path, readFileSync(path, 'utf8').replace("'2 words'", "'3 words'"))
  const { code, text } = await run('check', 'first')
  expect([code, text]).toEqual([
    1,
    expect.stringMatching(/first\.org:61: error: The test “words are counted”/),
  ])
  expect(text).toContain('first has 1 mistake.')
  writeFileSync(path, "#+begin_src ts\nthrow new Error('\\x1b[2Jgone')\n#+end_src\n")
  const { text: escaped } = await run('check', 'first')
  expect(escaped).toContain('Error:  [2Jgone')
  expect(escaped).not.toContain('\x1b')
  expect(await run('check', 'none')).toMatchObject({
    code: 1,
    text: 'skill: There is no skill none.\n',
  })
  expect((await run('nonsense')).code).toBe(2)
  expect((await run('list', '--nonsense')).code).toBe(2)
})

test('names are mistakes, and style is none', async () => {
  const { folder, run } = home()
  await run('new', 'first')
  const path = join(folder, 'first.org')
  const good = readFileSync(path, 'utf8')
  writeFileSync(path, good.replace('gates tools prompt', 'gates tools prompt jobs call:shownote'))
  const { code, text } = await run('check', 'first')
  expect(code).toBe(1)
  expect(text).toContain(
    'first.org:3: error: there is no tool “shownote”, did you mean “show-note”?',
  )
  expect(text).toContain('remark: jobs is asked for, and nothing needs it')
  writeFileSync(path, good.replace('#+description: One sentence', '# No sentence'))
  const untidy = await run('check', 'first', '--json')
  expect(untidy.code).toBe(0)
  expect(JSON.parse(untidy.text)).toMatchObject({
    isGood: true,
    problems: [],
    remarks: [expect.stringMatching(/style: description/)],
  })
})

test('two of one name are told', async () => {
  const { folder, run } = home()
  mkdirSync(folder, { recursive: true })
  const about = "{ about: 'x', parameters: {} }"
  const twins = {
    'tool:look': `tool('look', ${about}, async () => 'a')`,
    'gate:look': "gate('look', 10, () => ({ kind: 'pass' }))",
    'hook:heartbeat': "hook('heartbeat', async () => null)",
    'job:look': "job('look', '0 * * * *', async () => null)",
  }
  for (const [key, line] of Object.entries(twins)) {
    const code = `#+begin_src typescript\n${line}\n${line}\n#+end_src\n`
    const head = '#+title: Twins\n#+CAPABILITIES: gates tools hooks jobs\n'
    writeFileSync(join(folder, 'twins.org'), head + code)
    const { code: exit, text } = await run('check', 'twins')
    expect([key, exit, text.match(/twins\.org:5: error: .*/)?.[0]]).toEqual([
      key,
      1,
      `twins.org:5: error: Error: There are two of ${key}`,
    ])
  }
})

test('what may be called is listed', async () => {
  const { run } = home()
  expect((await run('tools')).text).toContain('\nshow-note  (only looks)\n')
  const [tool] = JSON.parse((await run('tools', 'show-note', '--json')).text)
  expect(tool).toMatchObject({ name: 'show-note', readOnly: true })
  const all = JSON.parse((await run('tools', '--json')).text) as {
    name: string
    example: unknown
  }[]
  expect(all.length).toBeGreaterThan(60)
  expect(all.filter(({ example }) => example === null).map(({ name }) => name)).toEqual([])
  expect(await run('tools', 'shownote')).toEqual({
    code: 1,
    text: 'skill: There is no tool shownote, did you mean show-note?\n',
  })
})

test('only what a daemon would load is enabled', async () => {
  const { dir, folder, run } = home()
  await run('new', 'keeper')
  await run('enable', 'keeper')
  const grants = join(dir, '.config/passepartout/skills.org')
  const before = readFileSync(grants, 'utf8')
  for (const name of ['keeper', 'ghost']) {
    const path = join(dir, `${name}.org`)
    writeFileSync(path, '#+CAPABILITIES: prompt\n')
    const { code, text } = await run('enable', path)
    expect([code, text]).toEqual([
      1,
      expect.stringMatching(/is not the skill keeper.*Rename|is in no folder of skills\. Put it/s),
    ])
  }
  mkdirSync(join(folder, 'installed'), { recursive: true })
  writeFileSync(join(folder, 'installed/keeper.org'), '#+CAPABILITIES: network\n')
  expect((await run('enable', join(folder, 'installed/keeper.org'))).code).toBe(1)
  expect(readFileSync(grants, 'utf8')).toBe(before)
  const checked = await run('check', 'keeper')
  expect([checked.code, checked.text]).toEqual([
    0,
    expect.stringContaining('installed/keeper.org:1: remark: There is another skill called keeper'),
  ])
  expect((await run('why', 'keeper')).text).toContain('There is another skill called keeper')
  expect((await run('why', 'keper')).text).toContain('Did you mean keeper?')
  await run('new', 'planner')
  for (const verb of ['check', 'enable']) {
    const { code, text } = await run(verb, 'planner')
    expect([code, text]).toEqual([
      1,
      expect.stringContaining('a skill of the house called planner'),
    ])
  }
  const path = join(folder, 'keeper.org')
  writeFileSync(
    path,
    readFileSync(path, 'utf8')
      .replaceAll('first-words', 'show-note')
      .replaceAll('keeper-words', 'show-note'),
  )
  expect((await run('check', 'keeper')).text).toContain('There is a tool called show-note already')
})

test('a folder is imported as words', async () => {
  const { dir, folder, run } = home()
  mkdirSync(join(dir, 'forms'))
  writeFileSync(
    join(dir, 'forms/SKILL.md'),
    '---\nname: forms\ndescription: Fills in.\n---\nBe careful.\n',
  )
  expect((await run('import', join(dir, 'forms'))).text).toContain(
    join(folder, 'installed/forms.org'),
  )
  expect((await run('enable', 'forms')).text).toContain('from elsewhere, a stranger’s')
  const path = join(folder, 'installed/forms.org')
  writeFileSync(path, readFileSync(path, 'utf8').replace('careful', 'quick'))
  expect((await run('list')).text).toMatch(/^forms {2}waiting/)
  expect(await run('export', 'forms', join(dir, 'out'))).toMatchObject({ code: 0 })
  expect(readFileSync(join(dir, 'out/forms/SKILL.md'), 'utf8')).toContain('Be quick.')
  expect((await run('export', 'forms')).code).toBe(2)
})
