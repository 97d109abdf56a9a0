import { commandName, messageOf, stateDirectory } from '@passepartout/core'
import { placesOf, readDaemonConfig, skillsOf } from '@passepartout/daemon'
import { openVault, type Vault } from '@passepartout/gates/secrets'
import { knownSkills } from '@passepartout/skills/improve'
import type { Answer, Environment, Given } from '../line/program.ts'
import {
  checkConfigured,
  checkDatabases,
  checkMachine,
  checkMemex,
  checkOwnSkills,
  checkState,
  type Finding,
} from './doctor-checks.ts'
import { checkModels } from './doctor-models.ts'

/**
 * Everything that was found. `isOffline` asks no model; `known` is what was found of the models a
 * moment ago. Never rejects.
 */
export async function examine(
  env: Environment,
  { isOffline = false, known }: { isOffline?: boolean; known?: Finding[] } = {},
): Promise<Finding[]> {
  const stateDir = stateDirectory(env)
  const findings = checkMachine(env.PATH ?? '', stateDir)
  findings.push(...(await checkState(stateDir)), ...checkDatabases(stateDir))
  try {
    const vault = await vaultOf(env)
    const config = readDaemonConfig(env, (name) => vault?.get(name) ?? null)
    findings.push(...checkMemex(config.memexDir))
    findings.push(...checkConfigured(config, vault, skillsOf(config, vault)))
    const own = await knownSkills(placesOf(config), stateDir)
    findings.push(
      ...checkOwnSkills(own),
      ...(known ?? (await checkModels(config.models, isOffline))),
    )
  } catch (error) {
    const found = messageOf(error)
    findings.push({ check: 'memex', level: 'error', found, todo: `${commandName} setup` })
  }
  return findings
}

async function vaultOf(env: Environment): Promise<Vault | null> {
  const passphrase = env.PASSEPARTOUT_VAULT_PASSPHRASE
  return openVault({ dir: stateDirectory(env), passphrase }).catch(() => null)
}

/** Looks at everything that a daemon needs, and puts right what it is asked to. */
export async function callDoctor({
  env,
  options: { 'dry-run': isDry, fix: isFixing, offline: isOffline },
}: Given<{ fix: boolean; 'dry-run': boolean; offline: boolean }>): Promise<Answer> {
  let findings = await examine(env, { isOffline })
  const done: string[] = []
  for (const { fix, found, todo } of findings) {
    if (!isFixing || fix === undefined) continue
    const failure = isDry ? null : await failureOf(fix)
    const what = isDry ? 'would do' : failure === null ? 'done' : `could not do (${failure})`
    done.push(`${what}: ${todo} (${found})`)
  }
  if (done.length > 0 && !isDry) {
    findings = await examine(env, { known: findings.filter(({ check }) => check === 'providers') })
  }
  const code = findings.some(({ level }) => level === 'error') ? 1 : 0
  return { code, text: asText(findings, done), rows: findings.map(plain) }
}

/** Why a fix did not work; null when it did. */
async function failureOf(fix: NonNullable<Finding['fix']>): Promise<string | null> {
  try {
    await fix()
    return null
  } catch (error) {
    return messageOf(error)
  }
}

function plain({ check, fix, found, level, todo }: Finding) {
  return { check, level, found, todo, fixable: fix !== undefined }
}

function asText(findings: readonly Finding[], done: readonly string[]): string {
  const signs = { ok: 'ok   ', warn: 'warn ', error: 'ERROR' }
  const lines = findings.map(({ check, fix, found, level, todo }) => {
    const what = `${signs[level]} ${check}: ${found}`
    if (level === 'ok') return what
    return `${what}\n        ${todo}${fix === undefined ? '' : `  (or: ${commandName} doctor --fix)`}`
  })
  return `${[...done, ...lines].join('\n').replace(/[^\P{Cc}\n]/gu, ' ')}\n`
}
