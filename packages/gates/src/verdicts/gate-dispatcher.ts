import { realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { defineSkill, type Gate, type Runtime, type Signal, type Skill } from '@passepartout/core'
import { privacy } from '../secrets/privacy.ts'
import { secretContent } from '../secrets/secret-content.ts'
import { type Check, runChecks } from './check.ts'
import type { DispatcherFacts } from './check-arguments.ts'
import { checkBreadth } from './check-breadth.ts'
import { checkCode, prepareParser } from './check-code.ts'
import { checkForeign } from './check-foreign.ts'
import { checkImpact } from './check-impact.ts'
import { checkLeaving } from './check-leaving.ts'
import { checkPaths } from './check-paths.ts'
import { checkSelf } from './check-self.ts'
import { checkShell } from './check-shell.ts'
import { provenance } from './provenance.ts'
import { ruleExamples } from './rule-examples.ts'
import { sessionFacts } from './session-facts.ts'

/** The checks of the dispatcher; all are asked. */
export const checks: readonly Check[] = [
  checkPaths,
  checkSelf,
  checkCode,
  checkShell,
  checkImpact,
  checkLeaving,
  privacy,
  provenance,
  checkForeign,
  checkBreadth,
  secretContent,
]

/** The gate in front of everything that leaves the realm of notes. */
export const dispatcherGate: Gate = {
  name: 'dispatcher',
  priority: 150,
  prepare: prepareParser,
  check: (action, context) => runChecks(checks, action, context),
}

interface Known {
  root: string
  privateFiles: readonly string[]
}

const knownOf = new WeakMap<object, Known>()

function privateFiles({ store, memex }: Runtime): readonly string[] {
  const root = store.root()
  const before = knownOf.get(store)
  if (before?.root === root) return before.privateFiles
  const files = new Set<string>()
  for (const object of store.objects()) if (object.private) files.add(join(memex.dir, object.file))
  knownOf.set(store, { root, privateFiles: [...files] })
  return [...files]
}

const ownFolders: readonly string[] = [
  dirname(dirname(dirname(dirname(realpathSync(import.meta.filename))))),
]

function facts(runtime: Runtime, signal: Signal): DispatcherFacts {
  const session = sessionFacts(runtime, signal)
  return { ownFolders, privateFiles: privateFiles(runtime), session }
}

/** The skill that brings the dispatcher gate. */
export const dispatcher: Skill = defineSkill({
  name: 'gate-dispatcher',
  description:
    'Refuses secrets and destructive commands; asks a person about what changes something.',
  gates: [dispatcherGate],
  examples: ruleExamples,
  facts,
})
