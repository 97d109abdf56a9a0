import { type Above, frame, type ParseEnv } from '../environment/env.ts'
import { trim } from '../text/characters.ts'
import { unescapeCode } from '../text/escape.ts'
import { lineText, textBetween } from '../text/lines.ts'
import type { ExampleBlock, SrcBlock } from '../tree/lesser-elements.ts'

const headPattern = /^(?: +(\S+))?((?: +(?:-(?:l ".+"|[ikr])|[-+]n(?: *[0-9]+)?))+)?(.*?)[ \t]*$/is

/** Parses `#+begin_src` … `#+end_src`; `closer` is the last line. */
export function parseSrcBlock(
  env: ParseEnv,
  above: Above,
  line: number,
  limit: number,
  closer: number,
): SrcBlock {
  const { lines } = env
  const head = lineText(lines, line, '#+begin_src'.length)
  const match = headPattern.exec(head)!
  const block = frame(env, 'src-block', above, line, closer + 1, limit)
  block.language = match[1] ?? null
  block.switches = trim(match[2] ?? '') || null
  block.parameters = trim(match[3]!) || null
  readSwitches(block, match[2] ?? null)
  block.value = unescapeCode(textBetween(lines, line + 1, closer))
  return block
}

/** Reads the switches of a source or an example block; null when it has none. */
export function readSwitches(block: SrcBlock | ExampleBlock, switches: string | null): void {
  const text = switches ?? ''
  const numbers = /([-+])n(?: *([0-9]+))?(?![\w$%'])/i.exec(text)
  const has = (name: string) => new RegExp(`-${name}(?![\\w$%'])`, 'i').test(text)
  block.numberLines =
    numbers === null
      ? null
      : {
          type: numbers[1] === '-' ? 'new' : 'continued',
          offset: numbers[2] === undefined ? 0 : Number(numbers[2]) - 1,
        }
  block.preserveIndent = has('i')
  block.retainLabels = !has('r') || (numbers !== null && has('k'))
  block.useLabels = block.retainLabels && !has('k')
  block.labelFmt = /-l +"([^"\n]+)"/i.exec(text)?.[1] ?? null
}
