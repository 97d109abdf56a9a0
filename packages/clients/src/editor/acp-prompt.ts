import type { AvailableCommand, ContentBlock } from '@agentclientprotocol/sdk'

/** A prompt as the daemon takes it. */
interface Prompt {
  /** What the owner has typed. */
  text: string
  /** What was attached, each with a name. */
  attached: { name: string; text: string }[]
}

/** A prompt that cannot be taken. */
export class PromptError extends Error {}

const attachedMax = 8

/** Reads the blocks of a prompt. Throws a PromptError that says what is wrong. */
export function readPrompt(blocks: readonly ContentBlock[]): Prompt {
  const typed = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  const attached = blocks.flatMap(attachedIn)
  if (attached.length > attachedMax) {
    throw new PromptError(`Expected at most ${attachedMax} attachments, got ${attached.length}`)
  }
  const text = sentenceOf(typed.join('\n').trim())
  if (text === '') throw new PromptError('Expected some text beside what is attached')
  return { text, attached }
}

function attachedIn(block: ContentBlock): Prompt['attached'] {
  switch (block.type) {
    case 'resource': {
      const { resource } = block
      if ('text' in resource) return [{ name: resource.uri, text: resource.text }]
      return [{ name: resource.uri, text: '(not text, and not shown)' }]
    }
    case 'resource_link':
      return [{ name: block.name, text: `A link: ${block.uri}` }]
    case 'text':
      return []
    default:
      throw new PromptError(`Expected text and resources, got ${block.type}`)
  }
}

interface EditorCommand {
  name: string
  description: string
  /** What may be typed after it; null for nothing. */
  hint: string | null
  /** What it says, before what was typed after it. */
  says: string
}

const commands: readonly EditorCommand[] = [
  { name: 'agenda', description: 'The days to come', hint: 'this week', says: 'agenda' },
  { name: 'next', description: 'What could be done now', hint: null, says: 'what is next' },
  { name: 'search', description: 'Find notes', hint: 'words or a query', says: 'find' },
  { name: 'show', description: 'One note in full', hint: 'words of its title', says: 'show' },
  { name: 'list', description: 'Open tasks', hint: '#tag or project', says: 'list' },
  { name: 'capture', description: 'Put a task into the inbox', hint: 'a task', says: 'capture' },
  { name: 'done', description: 'Complete a task', hint: 'its title', says: 'complete' },
  { name: 'project', description: 'Go into a project', hint: 'its name', says: 'push-context' },
  { name: 'leave', description: 'Leave the project', hint: null, says: 'pop-context' },
  { name: 'undo', description: 'Take back the last change', hint: null, says: 'undo' },
  { name: 'why', description: 'Explain the last decision', hint: null, says: 'why' },
  { name: 'help', description: 'What can be said', hint: null, says: 'help' },
]

/** The commands, as an editor lists them. */
export const editorCommands: AvailableCommand[] = commands.map(({ name, description, hint }) => ({
  name,
  description,
  ...(hint === null ? {} : { input: { hint } }),
}))

function sentenceOf(text: string): string {
  const [, name, rest = ''] = /^\/([a-z]+)(?:\s+([\s\S]*))?$/.exec(text) ?? []
  const command = commands.find((one) => one.name === name)
  return command === undefined ? text : `${command.says} ${rest}`.trim()
}
