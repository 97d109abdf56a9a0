import { stripTypeScriptTypes } from 'node:module'
import { posix } from 'node:path'
import type { Action, GateContext, Verdict } from '@passepartout/core'
import { parse } from 'unbash'
import type { Check } from './check.ts'
import { isPathName, isWriting, stringsOf } from './check-arguments.ts'

const lengthMax = 50_000
const typed = /^\.[cm]?[jt]s$/i

/** What is wrong with the text as the content of this file, or null. */
export function syntaxErrorOf(path: string, text: string): string | null {
  if (text.length > lengthMax) return null
  const extension = posix.extname(path).toLowerCase()
  if (
    extension === '.json' &&
    !/(^|\/)(\.vscode\/|[tj]sconfig|\.\w|devcontainer|biome|deno|turbo)/i.test(path)
  ) {
    return errorIn(() => JSON.parse(text))
  }
  if (typed.test(extension)) return errorIn(() => stripTypeScriptTypes(text.replace(/^#!.*/, '')))
  if (/^\.(sh|bash)$/.test(extension)) return parse(text).errors?.[0]?.message ?? null
  return null
}

/** Loads the parser of TypeScript, which takes longer than a gate has, when the action names such a file. */
export function prepareParser(action: Action): void {
  const isTyped = ({ name, value }: { name: string; value: string }) =>
    isPathName(name) && typed.test(posix.extname(value))
  if (stringsOf(action).some(isTyped)) stripTypeScriptTypes('')
}

function errorIn(read: () => unknown): string | null {
  try {
    read()
    return null
  } catch (error) {
    if (!(error instanceof Error)) return String(error)
    if ('code' in error && error.code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') return null
    return error.message.trim().split('\n')[0] ?? 'it cannot be parsed'
  }
}

const partTools = /(^|[-_])(append|prepend|insert|edit|replace|patch|multi-?edit|add)([-_]|$)/i
const partFields =
  /^(line|insert_?line|start_?line|position|after|before|offset|append|old_?(str|string|text)?)$/i

function check(action: Action, context: GateContext): Verdict {
  if (!isWriting(action, context)) return { kind: 'pass' }
  const strings = stringsOf(action)
  const isPart = strings.some(({ name, value }) => name === 'key' && partFields.test(value))
  if (isPart || partTools.test(action.payload.tool ?? '')) return { kind: 'pass' }
  const path = strings.find(({ name, value }) => isPathName(name) && posix.extname(value) !== '')
  const content = strings.find(({ name }) =>
    /^(content|contents|text|body|data|source|code)$/i.test(name),
  )
  if (path === undefined || content === undefined) return { kind: 'pass' }
  const error = syntaxErrorOf(path.value, content.value)
  if (error === null) return { kind: 'pass' }
  return {
    kind: 'reject',
    rule: 'code.syntax',
    reason: `Refused: ${path.value} would not parse: ${error}`,
  }
}

/** Refuses to write a source file that its own language cannot parse. */
export const checkCode: Check = { name: 'code', check }
