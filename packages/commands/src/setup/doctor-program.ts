import { parseArgs } from 'node:util'
import { commandName, messageOf, print, stateDirectory } from '@passepartout/core'
import { placesOf, readDaemonConfig, skillsOf } from '@passepartout/daemon'
import { openVault, type Vault } from '@passepartout/gates/secrets'
import { knownSkills } from '@passepartout/skills/improve'
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

type Env = Record<string, string | undefined>

/**
 * Everything that was found. `isOffline` asks no model; `known` is what was found of the models a
 * moment ago. Never rejects.
 */
export async function examine(
  env: Env,
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

async function vaultOf(env: Env): Promise<Vault | null> {
  const passphrase = env.PASSEPARTOUT_VAULT_PASSPHRASE
  return openVault({ dir: stateDirectory(env), passphrase }).catch(() => null)
}

const help = `passepartout doctor [--fix [--dry-run]] [--json]

  Looks at everything that a daemon needs, and says what to do.
  --fix      puts right what can be without losing anything
  --dry-run  says what --fix would do, and does nothing
  --offline  asks no model; each is asked one tiny question otherwise, and the cost is told
  --json     one object for each finding: check, level, found, todo
`

/** Runs the doctor; returns what to print and the exit code. */
export async function runDoctor(args: readonly string[], env: Env): Promise<[string, number]> {
  const flag = { type: 'boolean', default: false } as const
  const options = {
    fix: flag,
    'dry-run': flag,
    offline: flag,
    json: flag,
    help: { ...flag, short: 'h' },
  }
  let values: Record<string, boolean | undefined>
  try {
    values = parseArgs({ args: [...args], options }).values
  } catch (error) {
    return [`${messageOf(error)}\n\n${help}`, 2]
  }
  if (values.help === true) return [help, 0]
  const isOffline = values.offline === true
  let findings = await examine(env, { isOffline })
  const done: string[] = []
  for (const { fix, found, todo } of findings) {
    if (values.fix !== true || fix === undefined) continue
    const isDry = values['dry-run'] === true
    const failure = isDry ? null : await failureOf(fix)
    const what = isDry ? 'would do' : failure === null ? 'done' : `could not do (${failure})`
    done.push(`${what}: ${todo} (${found})`)
  }
  if (done.length > 0 && values['dry-run'] !== true) {
    findings = await examine(env, { known: findings.filter(({ check }) => check === 'providers') })
  }
  const code = findings.some(({ level }) => level === 'error') ? 1 : 0
  const text = values.json === true ? asJson(findings) : asText(findings, done)
  return [text, code]
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

function asJson(findings: readonly Finding[]): string {
  return findings.map((finding) => `${JSON.stringify(plain(finding))}\n`).join('')
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

if (import.meta.main) {
  const [text, code] = await runDoctor(process.argv.slice(2), process.env)
  print(text)
  process.exitCode = code
}
