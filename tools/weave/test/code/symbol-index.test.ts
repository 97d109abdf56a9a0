import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readAtlas } from '../../src/code/symbol-index.ts'

test('the tangler is asked once for each state of the documents', async () => {
  const root = mkdtempSync(join(tmpdir(), 'atlas-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const file = join(root, 'a.org')
  const write = (text: string) => {
    writeFileSync(file, text)
    return new Map([[file, text]])
  }
  const memory = join(root, 'memory')
  const ask = (texts: Map<string, string>) => readAtlas(root, texts, memory)
  expect(await ask(write('A note.\n'))).toBeNull()
  const texts = write('#+begin_src sh :tangle a.sh\necho one\n#+end_src\n')
  expect((await ask(texts))?.targets[0]).toMatchObject({
    path: 'a.sh',
    document: 'a.org',
    text: 'echo one\n',
    runs: [0, 28, 1, 8, 0, 0],
    uses: [],
  })
  const kept = join(memory, readdirSync(memory)[0]!)
  const said = readFileSync(kept, 'utf8')
  writeFileSync(kept, said.replace('echo one', 'echo two'))
  expect((await ask(texts))?.targets[0]?.text).toBe('echo two\n')
  const damaged = [said.slice(0, -20), said.replace('"symbols":[', '"symbols":[{"name":"x"}')]
  for (const text of [...damaged, said.replace('"runs":[0', '"runs":["0"')]) {
    writeFileSync(kept, text.replace('echo one', 'echo two'))
    expect((await ask(texts))?.targets[0]?.text).toBe('echo one\n')
  }
})
