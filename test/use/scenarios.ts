import { pathToFileURL } from 'node:url'
import { type Scenario, setStage } from '../servers/scenario-stage.ts'
import { errands } from './scenarios-errands.ts'
import { strangers } from './scenarios-strangers.ts'
import { weather } from './scenarios-weather.ts'

/** Every story there is. */
export const scenarios: readonly Scenario[] = [...errands, ...strangers, ...weather]

/** How a story ended. */
export interface Played {
  scenario: Scenario
  /** In its own words, or the first line of what was wrong. */
  happened: string
  holds: boolean
  /** What was thrown, when it does not hold. */
  fault: unknown
}

/** Plays a story on a stage of its own. Never rejects. */
export async function playScenario(scenario: Scenario): Promise<Played> {
  const stage = await setStage(scenario.scene())
  try {
    await stage.start()
    return { scenario, happened: await scenario.play(stage), holds: true, fault: null }
  } catch (fault) {
    const [first = ''] = (fault instanceof Error ? fault.message : String(fault)).split('\n')
    return { scenario, happened: first, holds: false, fault }
  } finally {
    await stage.close()
  }
}

const head = ['scenario', 'what was asked', 'what the model tried', 'what happened', 'holds']

/** The stories as a table. */
export function tableOf(played: readonly Played[]): string {
  const rows = played.map(({ happened, holds, scenario: { asked, name, tried } }) =>
    [name, asked, tried, happened, holds ? 'yes' : 'NO'].map((text) =>
      text.replaceAll('|', '\\vert{}'),
    ),
  )
  const widths = head.map((_, at) =>
    Math.max(...[head, ...rows].map((row) => (row[at] ?? '').length)),
  )
  const line = (row: readonly string[]) =>
    `| ${row.map((text, at) => text.padEnd(widths[at] ?? 0)).join(' | ')} |`
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('+')}|`
  return [line(head), rule, ...rows.map(line)].join('\n')
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const wanted = process.argv[2] ?? ''
  const played: Played[] = []
  for (const scenario of scenarios) {
    if (scenario.name.includes(wanted)) played.push(await playScenario(scenario))
  }
  const broken = played.filter(({ holds }) => !holds)
  for (const { fault, scenario } of broken) console.error(`${scenario.name}:`, fault)
  console.log(`${tableOf(played)}\n\n${played.length - broken.length} of ${played.length} hold`)
  process.exitCode = broken.length === 0 ? 0 : 1
}
