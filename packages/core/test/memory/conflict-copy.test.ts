import { expect, test } from 'vitest'
import { isConflictCopy, noteOfCopy } from '../../src/memory/conflict-copy.ts'

test.each([
  'notes.sync-conflict-20261122-093000-ABCDEFG.org',
  'a/notes.sync-conflict-20261122-093000.org',
  'notes (Ann’s conflicted copy 2026-11-22).org',
  "notes (Ann's MacBook's conflicted copy 2026-11-22).org",
  'notes (Case Conflict).org',
  'notes (conflicted copy 2026-11-22 093000).org',
  'notes_conflict-20261122-093000.org',
  'notes (SFConflict ann@example.org 2026-11-22-09-30-00).org',
  'notes (conflict on 2026-11-22).org',
  'notes.Conflict.org',
  'notes [conflicted].org',
  'notes (Konfliktkopie von Ann 2026-11-22).org',
  'notes (Anns in Konflikt stehende Kopie 2026-11-22).org',
  'notes (copie en conflit de Ann 2026-11-22).org',
  'notes_REMOTE_4711.org',
])('%s is a copy', (path) => {
  expect(isConflictCopy(path)).toBe(true)
  expect(noteOfCopy(path)?.split('/').at(-1)).toBe('notes.org')
})

test.each([
  'notes.org',
  'conflict.org',
  'a-conflict-of-interest.org',
  'conflicts (list).org',
  'list (1).org',
  'sync-conflict.org',
  'the_BASE_camp.org',
  'conflict (2026)/notes.org',
])('%s is a note', (path) => expect(isConflictCopy(path)).toBe(false))
