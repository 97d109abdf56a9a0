import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { exampleOf, readArguments } from '../../src/contract/tool-arguments.ts'

const parameters = z.object({
  query: z.string().min(1).max(500),
  limit: z.int().min(1).max(20).default(10),
  order: z.enum(['best', 'newest']).optional(),
  within: z.object({ file: z.string(), lines: z.array(z.int()).optional() }).optional(),
})
const tool = { name: 'search-notes', parameters }

function fault(args: unknown): string {
  const read = readArguments(tool, args)
  return read.ok ? 'passed' : read.reason
}

test.each<[unknown, RegExp | string]>([
  [{ query: 'rye' }, 'passed'],
  [{ query: 'rye', within: { file: 'a.org', lines: [1] } }, 'passed'],
  [
    { quary: 'rye' },
    /no argument “quary”, did you mean “query”\?; “query” is missing\. search-notes/,
  ],
  [{ q: 'rye' }, /no argument “q”, did you mean “query”\?/],
  [{ query: 'rye', Limits: 3 }, /no argument “Limits”, did you mean “limit”\?/],
  [{ query: 'rye', zoom: 3 }, /^there is no argument “zoom”\. search-notes takes query \(text\),/],
  [{ query: 'rye', within: { path: 'a', file: 'b' } }, /no argument “path” in “within”\./],
  [{ query: 3 }, /^“query”: expected string, received number\./],
  [{ query: 'rye', order: 'first' }, /“order”: .*order \(one of best, newest, may be left out\)/],
  [undefined, /^“query” is missing\. .*, for example {"query":"text"}\.$/],
  [[], /^the arguments: expected object/],
  [{ query: 'rye', 'a\nb': 1 }, /“a�b” is no name/],
])('%j is answered with %s', (args, said) => {
  if (typeof said === 'string') expect(fault(args)).toBe(said)
  else expect(fault(args)).toMatch(said)
})

test('a header field takes one line, whatever its schema forgot', () => {
  const mail = {
    name: 'send-mail',
    parameters: z.object({
      subject: z.string(),
      body: z.string(),
      headers: z.record(z.string(), z.string()).optional(),
      to: z.array(z.string()).optional(),
    }),
  }
  const sent = { subject: 'Hello', body: 'two\nlines' }
  expect(readArguments(mail, sent)).toMatchObject({ ok: true })
  for (const break_ of ['\n', '\r', '\r\n', '\0', '\u2028', '\x1b', '\x85']) {
    const broken = `Hello${break_}Bcc: eve@evil.net`
    for (const args of [{ subject: broken }, { to: [broken] }, { headers: { 'X-A': broken } }]) {
      expect(readArguments(mail, { ...sent, ...args })).toMatchObject({
        ok: false,
        reason: expect.stringContaining('expected one line'),
      })
    }
  }
})

test('no argument is dropped in silence', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ minLength: 1 }), fc.jsonValue()), (more) => {
      const read = readArguments(tool, { ...more, query: 'rye' })
      const known = Object.keys(parameters.shape)
      const strange = Object.keys(more).filter((key) => !known.includes(key))
      if (strange.length > 0) expect(read.ok).toBe(false)
    }),
  )
})

test('an example is one that passes, or there is none', () => {
  expect(exampleOf(parameters)).toEqual({ query: 'text' })
  const odd = z.object({ day: z.iso.date(), code: z.string().regex(/^zz-\d{7}$/) })
  expect(exampleOf(odd)).toBeNull()
  const helped = z.object({
    code: z
      .string()
      .regex(/^zz-\d$/)
      .meta({ examples: ['zz-1'] }),
  })
  expect(exampleOf(helped)).toEqual({ code: 'zz-1' })
})
