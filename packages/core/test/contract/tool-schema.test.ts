import { expect, test } from 'vitest'
import { z } from 'zod'
import { callSchema, toolJson } from '../../src/contract/tool-schema.ts'

test('names, kinds, choices and words stay', () => {
  const parameters = z.object({
    query: z.string().min(1).max(500).describe('words'),
    limit: z.int().min(1).max(20).default(10),
    order: z.enum(['best', 'newest']).optional(),
    default: z.array(z.object({ pattern: z.string().regex(/x/) })).optional(),
    when: z.union([z.iso.date(), z.literal('none')]).optional(),
    counts: z.record(z.string(), z.int()).optional(),
  })
  expect(callSchema(parameters)).toEqual({
    type: 'object',
    properties: {
      query: { type: 'string', description: 'words' },
      limit: { type: 'integer' },
      order: { type: 'string', enum: ['best', 'newest'] },
      default: {
        type: 'array',
        items: {
          type: 'object',
          properties: { pattern: { type: 'string' } },
          required: ['pattern'],
        },
      },
      when: { anyOf: [{ type: 'string' }, { type: 'string', const: 'none' }] },
      counts: { type: 'object', additionalProperties: { type: 'integer' } },
      explanation: { type: 'string' },
    },
    required: ['query', 'explanation'],
  })
})

test('a schema that has no JSON form has its names', () => {
  let depth = 0
  const endless: z.ZodType = z.lazy(() => z.object({ [`at${depth++}`]: endless }))
  const text = toolJson({ name: 'a', description: 'b', parameters: z.object({ odd: endless }) })
  expect(text).toContain('"odd"')
})
