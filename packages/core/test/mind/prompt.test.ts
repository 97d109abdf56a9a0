import fc from 'fast-check'
import { expect, test } from 'vitest'
import { materialOf, systemPrompt } from '../../src/mind/prompt.ts'

test('the prompt is the same each time, in the owner’s name and voice', () => {
  expect(systemPrompt()).toMatch(/^You are Passepartout, .*language\.$/s)
  expect(systemPrompt({ name: 'Aouda', voice: 'Dry, no greetings.' })).toMatch(
    /^You are Aouda, .*voice: Dry, no greetings\.$/s,
  )
})

const count = (text: string) => text.length
const parts = {
  day: 'Sat Nov 21 2026',
  context: (max: number) => '* Beans\nSown in March.'.slice(0, max),
  skills: ['You like beans.', 'Never shout.'],
}

test('the material, with the rules next to the request', () => {
  expect(materialOf(parts, 2_000, count).text).toMatchInlineSnapshot(`
    "Today is Sat Nov 21 2026.

    The owner's notes, in part; find more with search-notes:
    * Beans
    Sown in March.

    You like beans.

    Never shout."
  `)
  const bare = { ...parts, context: () => '', skills: [] }
  expect(materialOf(bare, 2_000, count)).toEqual({ text: 'Today is Sat Nov 21 2026.', cuts: [] })
})

test('whatever there is, the material keeps to its room and says what is missing', () => {
  const texts = fc.array(fc.string({ maxLength: 200 }), { maxLength: 20 })
  fc.assert(
    fc.property(texts, fc.integer({ min: 200, max: 3_000 }), (skills, max) => {
      const context = (room: number) => 'x'.repeat(room)
      const { cuts, text } = materialOf({ ...parts, skills, context }, max, count)
      expect(text.length).toBeLessThanOrEqual(max + 20)
      expect(text.includes('Left out')).toBe(cuts.length > 0)
    }),
  )
})
