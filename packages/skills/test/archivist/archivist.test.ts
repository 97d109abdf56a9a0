import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '@passepartout/gates/secrets'
import { expect, onTestFinished, test } from 'vitest'
import { archivistSection, openProposals } from '../../src/archivist/archivist.ts'

function read(...lines: string[]) {
  const text = `* Archivist\n:PROPERTIES:\n:ARCHIVIST: yes\n${lines.join('\n')}\n:END:\n`
  return readConfig(text, 'config.org', { archivist: archivistSection })
}

test('the archivist does what it is told, and no more', () => {
  const { problems, sections } = read(
    ':AUTOMATIC: links, ids',
    ':ARCHIVE_AFTER: 0',
    ':SCRIBE: model',
  )
  expect(problems).toEqual([])
  expect(sections.archivist).toEqual([
    { isOn: true, automatic: ['links', 'ids'], archiveAfter: 0, staleAfter: 90, scribe: 'model' },
  ])
  const wrong = read(':AUTOMATIC: links everything')
  expect(wrong.sections.archivist).toEqual([])
  expect(wrong.problems).toMatchObject([
    { line: 4, message: ':AUTOMATIC: expected some of links, ids, archive' },
  ])
})

test('what was proposed is known to the next daemon', () => {
  const dir = mkdtempSync(join(tmpdir(), 'archivist-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const path = join(dir, 'state/archivist.db')
  const one = openProposals(path)
  expect(one.was('a', 0)).toBe(false)
  one.note('a', 1_000)
  one.close()
  const other = openProposals(path)
  expect([other.was('a', 999), other.was('a', 1_000), other.was('b', 0)]).toEqual([
    true,
    false,
    false,
  ])
  other.close()
})
