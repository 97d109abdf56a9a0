import { closeElement, depthMax, type ParseEnv, skipBlankLines } from '../environment/env.ts'
import { Inlinetask } from '../tree/nodes.ts'
import { countStars, readTitle } from './headline.ts'
import { elementsBelow } from './property-drawer.ts'

/** Parses the inlinetask on a line, with its contents when an end follows. */
export function parseInlinetask(env: ParseEnv, line: number, limit: number): Inlinetask {
  const { lines } = env
  const task = new Inlinetask('inlinetask', env.origin, lines.starts[line]!)
  readTitle(env, task, line, countStars(env, line))
  const last = taskEnd(env, line, limit)
  task.preBlank = 0
  task.children = []
  if (last !== -1 && env.depth < depthMax) {
    const first = skipBlankLines(env, line + 1, last)
    task.preBlank = first - line - 1
    task.contain(lines.starts[first]!, lines.starts[last]!)
    env.depth++
    task.children = elementsBelow(env, line + 1, first, last, env.elements)
    env.depth--
  }
  closeElement(env, task, last === -1 ? line + 1 : last + 1, limit)
  return task
}

/** The line of the task's `END`, or -1 when it has none. */
function taskEnd(env: ParseEnv, line: number, limit: number): number {
  const { lines, text } = env
  for (let at = line + 1; at < limit; at++) {
    const stars = countStars(env, at)
    if (stars === 0) continue
    const rest = text.slice(lines.starts[at]! + stars, lines.ends[at])
    return /^[ \t]*END[ \t]*$/i.test(rest) ? at : -1
  }
  return -1
}
