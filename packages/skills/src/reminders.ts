import { defineSkill, messageAction, type Skill } from '@passepartout/core'

/** Tells the owner of notes whose time has come. */
export const reminders: Skill = defineSkill({
  name: 'reminders',
  description: 'Reminds of notes that have a cron property.',
  sensors: {
    cron({ payload }) {
      const { file, line } = payload
      const title = String(payload.title ?? 'a note').slice(0, 200)
      return messageAction(`It is time: ${title}\n${file}:${line}`)
    },
  },
})
