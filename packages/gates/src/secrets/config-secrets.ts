import {
  type Config,
  type ConfigSection,
  parseConfig,
  parseConfigFile,
  type SecretFinder,
} from '@passepartout/core'
import { secretsIn } from './secret-content.ts'

const knownSecrets =
  /\b(?:sk-[\w-]{16,}|(?:gsk|xai|hf|ghp|gho|r8|pplx|nvapi)[_-][A-Za-z0-9]{16,}|glpat-[\w-]{16,}|github_pat_\w{20,}|AIza[\w-]{30,}|AKIA[A-Z0-9]{12,}|AGE-SECRET-KEY-\w+|eyJ[\w-]{10,400}\.[\w-]{10}|xox[abprs]-[\w-]{10,})|-----BEGIN [A-Z ]*PRIVATE KEY|\bBearer\s+[\w.~+/-]{12,}|\/\/[^\s/@:]*:[^\s/@]+@/

function isSecret(value: string): boolean {
  if (knownSecrets.test(value) || secretsIn(value).length > 0) return true
  if (/[?&;](?:api[_-]?key|key|token|secret|password|auth|sig)\w*=./i.test(value)) return true
  return (value.match(/[A-Za-z0-9+=]{20,}/g) ?? []).some((run) => {
    const digits = run.replace(/\D/g, '').length
    return digits >= 3 && run.length - digits >= 3
  })
}

function linesOf(text: string): number[] {
  const begins = secretsIn(text).map(({ begin }) => begin)
  begins.sort((a, b) => b - a)
  let offset = 0
  return text.split('\n').flatMap((content, index) => {
    offset += content.length + 1
    let found = knownSecrets.test(content)
    while (begins.length > 0 && begins.at(-1)! < offset) found = begins.pop() !== undefined
    return found ? [index + 1] : []
  })
}

/** What looks like a secret in the configuration. */
export const configSecrets: SecretFinder = { isSecret, linesOf }

/** Reads the text of a configuration; what looks like a secret is a problem. Never throws. */
export function readConfig<Table extends Record<string, ConfigSection<unknown>>>(
  text: string,
  file: string,
  table: Table,
): Config<Table> {
  return parseConfig(text, file, table, configSecrets)
}

/** Reads the file, which need not exist; what looks like a secret is a problem. Never throws. */
export function readConfigFile<Table extends Record<string, ConfigSection<unknown>>>(
  file: string,
  table: Table,
): Config<Table> {
  return parseConfigFile(file, table, configSecrets)
}
