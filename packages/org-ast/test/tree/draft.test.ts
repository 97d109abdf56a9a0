import { expectTypeOf, test } from 'vitest'
import type { Draft, ElementDraft, ObjectDraft, OrgDraft } from '../../src/tree/draft.ts'
import type { Paragraph } from '../../src/tree/lesser-elements.ts'
import type { AnyOrgNode, Headline, OrgElement } from '../../src/tree/nodes.ts'
import type { OrgObject } from '../../src/tree/object-nodes.ts'

test('a parsed node can be printed, and so can a small one', () => {
  expectTypeOf<AnyOrgNode>().toExtend<OrgDraft>()
  expectTypeOf<OrgElement>().toExtend<ElementDraft>()
  expectTypeOf<OrgObject>().toExtend<ObjectDraft>()
  expectTypeOf<{ type: 'paragraph' }>().toExtend<Draft<Paragraph>>()
  expectTypeOf<{ type: 'headline'; level: 1 }>().toExtend<Draft<Headline>>()
})

test('what nobody can guess is asked for', () => {
  expectTypeOf<{ type: 'headline' }>().not.toExtend<OrgDraft>()
  expectTypeOf<{ type: 'plain-text' }>().not.toExtend<ObjectDraft>()
  expectTypeOf<{ type: 'link'; path: string }>().not.toExtend<ObjectDraft>()
  expectTypeOf<{ type: 'paragraph'; children: [{ type: 'table' }] }>().not.toExtend<OrgDraft>()
})
