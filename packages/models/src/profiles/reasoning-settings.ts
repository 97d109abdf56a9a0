import {
  answerTimeoutMs,
  breakerDefaults,
  type ConfigSection,
  defineSection,
  duration,
  type MindSettings,
  oneOf,
  personaDefaults,
  promptDefaults,
  streamDefaults,
  tierDefaults,
  turnLimits,
  whole,
  words,
} from '@passepartout/core'
import { z } from 'zod'

const minutes = (count: number) => count * 60_000
const yesOrNo = () => oneOf('yes', 'no')

/** An amount of money in US dollars, with or without the word. */
function dollars(most: number): z.ZodType<number> {
  const error = `an amount such as 2.50 USD, at most ${most} USD`
  return z
    .string({ error })
    .regex(/^\s*\d{1,9}(?:\.\d{1,6})?\s*(?:usd)?\s*$/i, { error })
    .transform((text) => Number.parseFloat(text))
    .refine((amount) => amount > 0 && amount <= most, { error })
}

const schema = z.object({
  MIND: oneOf('yes'),
  CONSENSUS: whole(1, 5).default(1),
  CONSENSUS_DEADLINE: duration(minutes(10)).default(minutes(1)),
  BACKGROUND: oneOf('reflex', 'cognition', 'reasoning').default(tierDefaults.background),
  REFLEX: yesOrNo().default('yes'),
  ROOM: whole(1_000, 2_000_000).default(promptDefaults.tokensMax),
  NOTES_ROOM: whole(0, 1_000_000).default(promptDefaults.contextMax),
  NAME: words('what the agent is called').default(personaDefaults.name),
  VOICE: words('how the agent speaks, in a sentence').default(personaDefaults.voice),
  ANSWER_TIMEOUT: duration(minutes(60)).default(answerTimeoutMs),
  HOLD_BACK: whole(40, 100_000).default(streamDefaults.holdBack),
  BREAKER_FAILURES: whole(1, 100).default(breakerDefaults.failuresMax),
  BREAKER_REST: duration(minutes(60)).default(breakerDefaults.restMs),
  TURN_MONEY: dollars(10_000).default(turnLimits.money),
  TURN_TOKENS: whole(1_000, 1_000_000_000).default(turnLimits.tokens),
  TURN_TIME: duration(minutes(24 * 60)).default(turnLimits.timeMs),
})

/** The section about thinking. */
export const mindSection: ConfigSection<MindSettings> = defineSection({
  marker: 'MIND',
  properties: schema,
  read: (values) => ({
    answerTimeoutMs: values.ANSWER_TIMEOUT,
    breaker: {
      failuresMax: values.BREAKER_FAILURES,
      restMs: values.BREAKER_REST,
      restMaxMs: values.BREAKER_REST * 32,
    },
    consensus:
      values.CONSENSUS === 1
        ? null
        : { providers: values.CONSENSUS, deadlineMs: values.CONSENSUS_DEADLINE },
    tiers: { background: values.BACKGROUND, reflex: values.REFLEX === 'yes' },
    prompt: { tokensMax: values.ROOM, contextMax: values.NOTES_ROOM },
    persona: { name: values.NAME, voice: values.VOICE },
    stream: { ...streamDefaults, holdBack: values.HOLD_BACK },
    turn: { money: values.TURN_MONEY, tokens: values.TURN_TOKENS, timeMs: values.TURN_TIME },
  }),
})
