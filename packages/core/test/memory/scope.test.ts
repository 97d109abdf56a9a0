import { expect, test } from 'vitest'
import { readScope } from '../../src/memory/scope.ts'
import { ObjectStore } from '../../src/memory/store.ts'

test.each([
  ['memex', 'memex'],
  ['roof', 'project:roof'],
  ['Project: Roof Tiles', 'project:roof tiles'],
  ['session:a-1', 'session:a-1'],
  ['../etc', null],
  ['', null],
])('%j is %s', (text, scope) => {
  expect(readScope(text)).toBe(scope)
})

test('the scope is inherited', () => {
  const drawer = (scope: string) => `:PROPERTIES:\n:SCOPE: ${scope}\n:END:\n`
  const store = new ObjectStore()
  const scopes = () => [...store.objects()].map(({ scope }) => scope)
  const text = (top: string) => `${top}* A\n** B\n${drawer('memex')}*** C\n* D\n${drawer('?!')}`
  store.ingestFile('a.org', text('#+property: scope Roof\n'))
  expect(scopes()).toEqual(['project:roof', 'project:roof', 'memex', 'memex', 'project:roof'])
  store.ingestFile('a.org', text(drawer('session:s')))
  expect(scopes()).toEqual(['session:s', 'session:s', 'memex', 'memex', 'session:s'])
  store.ingestFile('a.org', text(''))
  expect(scopes()).toEqual(['memex', 'memex', 'memex', 'memex', 'memex'])
})
