import { expect, test } from 'vitest'
import { programs, serverPrograms } from '../../src/definitions/programs.ts'
import { programsIn } from '../../src/line/program.ts'

const found = [...programs, ...serverPrograms].flatMap((program) => programsIn(program))

test.each(found)('$path is explained', ({ program }) => {
  const { options = {}, programs: below, run, summary } = program
  expect(summary).toMatch(/^[a-z*].{3,90}[^.]$/)
  expect(run === undefined).toBe(below !== undefined)
  for (const [name, { about }] of Object.entries(options)) {
    expect(name).toMatch(/^[a-z][a-z-]*$/)
    expect(about).toMatch(/^.{3,100}[^.]$/)
  }
})
