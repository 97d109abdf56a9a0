import type { Log } from '../base/log-file.ts'
import { messageOf } from '../base/printing.ts'

/** The two masks. */
export interface PromptMasks {
  /** What of a text a model may be shown. */
  promptMask: (text: string) => string
  /** What a model may be shown of a text that is neither the owner's nor cleaned already. */
  materialMask: (text: string) => string
  log: Log
}

/** What of a text a model may be shown; of a text that cannot be judged, nothing. Never throws. */
export function masked(
  { log, promptMask }: Omit<PromptMasks, 'materialMask'>,
  text: string,
): string {
  return attempted(promptMask, text, log)
}

/** What a model may be shown of material; of a text that cannot be judged, nothing. Never throws. */
export function maskedMaterial(
  { log, materialMask }: Omit<PromptMasks, 'promptMask'>,
  text: string,
): string {
  return attempted(materialMask, text, log)
}

/** What of a text may leave with a question: nothing secret, and nothing of a private note. Never throws. */
export function maskedAbroad(masks: PromptMasks, text: string): string {
  return masked(masks, maskedMaterial(masks, text))
}

function attempted(mask: (text: string) => string, text: string, log: Log): string {
  try {
    return mask(text)
  } catch (error) {
    log('error', `a part of the prompt was withheld: ${messageOf(error)}`)
    return '(This could not be checked for secrets and was withheld.)'
  }
}
