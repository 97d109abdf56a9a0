/** A command of the screen. */
export interface SlashCommand {
  name: string
  /** What may follow it; null for nothing. */
  takes: string | null
  about: string
}

/** All of them. */
export const commands: readonly SlashCommand[] = [
  { name: 'agenda', takes: '[DAYS]', about: 'the days to come' },
  { name: 'search', takes: 'WORDS', about: 'find notes, and open one' },
  { name: 'show', takes: 'NOTE', about: 'a note, by title, id or file:line' },
  { name: 'next', takes: null, about: 'what could be done now' },
  { name: 'capture', takes: 'WORDS', about: 'put a task into the inbox' },
  { name: 'approvals', takes: null, about: 'what waits for your word' },
  { name: 'why', takes: '[ID]', about: 'explain the last decision' },
  { name: 'undo', takes: null, about: 'take back the last change' },
  { name: 'sessions', takes: null, about: 'go on with an earlier conversation' },
  { name: 'resume', takes: '[NAME]', about: 'the last conversation, or the one of this name' },
  { name: 'mouse', takes: null, about: 'leave the mouse to the terminal, or take it' },
  { name: 'clear', takes: null, about: 'empty the screen' },
  { name: 'help', takes: null, about: 'keys and commands' },
  { name: 'quit', takes: null, about: 'leave; the daemon goes on' },
]

/** The commands that a line may become, while its first word is being typed; none for other lines. */
export function matching(line: string): readonly SlashCommand[] {
  const typed = /^\/([a-z]*)$/.exec(line)?.[1]
  if (typed === undefined) return []
  const begins = commands.filter(({ name }) => name.startsWith(typed))
  return [...begins, ...commands.filter((one) => one.name.includes(typed) && !begins.includes(one))]
}

/** The line with the command's whole name, and a blank when more may follow. */
export function completed({ name, takes }: SlashCommand): string {
  return takes === null ? `/${name}` : `/${name} `
}

/** The command and the rest of a line; null for a line that is none. */
export function readSlash(line: string): { name: string; rest: string } | null {
  const found = /^\/([a-z]+)(?:\s+([\s\S]*))?$/.exec(line.trim())
  return found === null ? null : { name: found[1]!, rest: (found[2] ?? '').trim() }
}
