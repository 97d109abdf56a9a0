import { type Action, fieldText, messageAction, type Signal } from '@passepartout/core'

/** What the owner is told when the time of a note has come. */
export function remind({ payload }: Signal): Action {
  const { file, line } = payload
  const title = (fieldText(payload.title) || 'a note').slice(0, 200)
  return messageAction(`It is time: ${title}\n${fieldText(file)}:${fieldText(line)}`)
}
