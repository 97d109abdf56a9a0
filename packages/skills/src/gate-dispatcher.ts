import {
  type Action,
  defineSkill,
  type Gate,
  type GateContext,
  type Skill,
  type Verdict,
} from '@passepartout/core'
import { type Check, runChecks } from './check.ts'
import { privacy } from './privacy.ts'
import { provenance } from './provenance.ts'
import { secretContent } from './secret-content.ts'
import { isSecretPath, type PathPlaces } from './secret-paths.ts'
import { judgeShell } from './shell.ts'

function secretIn(value: unknown, places: PathPlaces, depth = 0): string | null {
  if (typeof value === 'string') {
    return value !== '' && !/\s/.test(value) && isSecretPath(value, places) ? value : null
  }
  if (value === null || typeof value !== 'object') return null
  if (depth > 8) return 'What is nested so deep'
  for (const part of [...Object.keys(value), ...Object.values(value)]) {
    const found = secretIn(part, places, depth + 1)
    if (found !== null) return found
  }
  return null
}

/** Refuses secrets and catastrophes, asks about other shell commands, passes the rest. */
export function checkDispatch(action: Action, context: GateContext): Verdict {
  const { payload, target } = action
  const places: PathPlaces = {
    home: context.home,
    cwd: context.memexDir,
    stateDir: context.stateDir,
    realPath: context.realPaths,
  }
  const secret = secretIn(payload.args, places)
  if (secret !== null)
    return reject(`${secret} is a secret; find another way that does not need it`)
  if (target !== 'shell' && payload.cmd === undefined) return { kind: 'pass' }
  const command = payload.cmd ?? ''
  if (command.trim() === '') return reject('a shell action needs the command in :cmd')
  const judgment = judgeShell(command, places)
  if (judgment.kind === 'forbid')
    return reject(`the command ${command} is not allowed: ${judgment.reason}`)
  if (judgment.kind === 'understood') return { kind: 'pass' }
  return { kind: 'approval', reason: `${judgment.reason}: ${command}` }
}

function reject(reason: string): Verdict {
  return { kind: 'reject', reason: `Refused: ${reason}.` }
}

/** The checks of the dispatcher; all are asked, so the order decides only whose words come first. */
export const checks: readonly Check[] = [
  { name: 'shell', check: checkDispatch },
  privacy,
  provenance,
  secretContent,
]

/** The gate in front of everything that leaves the realm of notes. */
export const dispatcherGate: Gate = {
  name: 'dispatcher',
  priority: 150,
  check: (action, context) => runChecks(checks, action, context),
}

/** The skill that brings the dispatcher gate. */
export const dispatcher: Skill = defineSkill({
  name: 'gate-dispatcher',
  description: 'Refuses secrets and destructive commands; asks a person about the shell.',
  gates: [dispatcherGate],
})
