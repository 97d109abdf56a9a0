import { relative, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { styleText } from 'node:util'
import { type LintOutcome, rules } from './lint.ts'

/** One line for each finding, paths relative to `cwd`. */
export function lintLines({ findings }: LintOutcome, cwd: string): string[] {
  return findings.map(({ file, line, column, severity, message, rule }) => {
    const place = `${relative(cwd, file) || file}:${line}:${column}:`
    const stream = process.stdout
    const kind = styleText(severity === 'error' ? 'red' : 'yellow', severity, { stream })
    return `${styleText('bold', place, { stream })} ${kind}: ${message} [${rule}]`
  })
}

/** The outcome as a value for `JSON.stringify`; paths are relative to `root`. */
export function lintJson(outcome: LintOutcome): object {
  const findings = outcome.findings.map((finding) => {
    return { ...finding, file: relative(outcome.root, finding.file) }
  })
  return { ...outcome, findings }
}

/** The outcome as a SARIF 2.1.0 log, a value for `JSON.stringify`. */
export function lintSarif({ root, findings }: LintOutcome): object {
  const driver = {
    name: 'org-tangle',
    rules: rules.map(({ id, description }) => ({ id, shortDescription: { text: description } })),
  }
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver },
        columnKind: 'utf16CodeUnits',
        originalUriBaseIds: { ROOT: { uri: `${pathToFileURL(root).href}/` } },
        results: findings.map(({ rule, severity, message, file, line, column }) => ({
          ruleId: rule,
          ruleIndex: rules.findIndex(({ id }) => id === rule),
          level: severity,
          message: { text: message },
          locations: [
            {
              physicalLocation: {
                artifactLocation: { uri: addressOf(root, file), uriBaseId: 'ROOT' },
                region: { startLine: line, startColumn: column },
              },
            },
          ],
        })),
      },
    ],
  }
}

function addressOf(root: string, file: string): string {
  return relative(root, file).split(sep).map(encodeURIComponent).join('/')
}
