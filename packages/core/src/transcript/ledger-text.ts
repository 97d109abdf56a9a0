import type { Ledger, LedgerItem, LedgerLine, LedgerRank, LedgerSection } from './ledger.ts'

const titles: Record<LedgerSection, string> = {
  open: 'Open',
  owner: 'What the owner said',
  commands: 'Commands, with the exit code of each run or how it ended',
  files: 'Files; a number in brackets says which change of all it was',
  calls: 'Other calls',
  others: 'Also known',
}

/** What an item is printed as; null for not at all. */
type Form = (item: LedgerItem) => string | null

function lineText(head: string, items: readonly LedgerItem[], form: Form): string {
  let text = `- ${head}`
  let isFirst = true
  for (const item of items) {
    const shown = form(item)
    if (shown === null) continue
    const times = item.times > 1 ? ` ×${item.times}` : ''
    text += item.isEnd ? ` → ${shown}${times}` : `${isFirst ? ':' : ';'} ${shown}`
    isFirst = item.isEnd
  }
  return `${text}\n`
}

/** The sections with those lines that `keeps` wants, and their items in this form. */
function printed(ledger: Ledger, keeps: (line: LedgerLine) => boolean, form: Form): string {
  const sections = Object.entries(titles) as [LedgerSection, string][]
  return sections
    .map(([name, title]) => {
      const texts = ledger[name].filter(keeps).map((line) => lineText(line.head, line.items, form))
      return texts.length === 0 ? '' : `* ${title}\n${texts.join('')}`
    })
    .join('')
}

const ranks: readonly LedgerRank[] = ['open', 'done', 'used', 'seen', 'known']

/** The ledger as a text of at most so many tokens. Empty when there is nothing in it. */
export function ledgerText(
  ledger: Ledger,
  tokensMax: number,
  count: (text: string) => number,
): string {
  const whole = printed(
    ledger,
    () => true,
    ({ wide }) => wide,
  )
  if (count(whole) <= tokensMax) return whole
  const parts = partsOf(ledger)
  const room = tokensMax - count(Object.values(titles).join('\n* ')) - count(leftOut(parts.length))
  const grants = grantsOf(parts, room, count)
  for (let length = grants.length; length > 0; length = Math.floor(length * 0.97)) {
    const text = grantedText(ledger, grants.slice(0, length), parts.length)
    if (count(text) <= tokensMax) return text
  }
  return ''
}

/** The head of a line, or an item of it. */
interface Part {
  line: LedgerLine
  item: LedgerItem | null
}

/** All parts, from what matters most to what matters least. */
function partsOf(ledger: Ledger): Part[] {
  const lines: LedgerLine[] = Object.values(ledger).flat()
  const parts = lines.flatMap((line): Part[] => [
    { line, item: null },
    ...line.items.map((item) => ({ line, item })),
  ])
  const key = ({ item, line }: Part) => ranks.indexOf((item ?? line).rank)
  const at = ({ item, line }: Part) => (item ?? line).at
  return parts.sort((a, b) => key(a) - key(b) || at(b) - at(a))
}

type Grant = Part & { isWide: boolean }

function grantsOf(
  parts: readonly Part[],
  tokensMax: number,
  count: (text: string) => number,
): Grant[] {
  const grants: Grant[] = []
  const lines = new Set<LedgerLine>()
  let room = tokensMax
  for (const { item, line } of parts) {
    const head = lines.has(line) ? 0 : count(line.head) + 2
    const cost = head + (item === null ? 0 : count(item.narrow) + 1)
    if (cost > room) continue
    room -= cost
    lines.add(line)
    grants.push({ line, item, isWide: false })
  }
  for (const { item, line } of [...grants]) {
    const cost = item === null ? 0 : count(item.wide) - count(item.narrow)
    if (cost === 0 || cost > room) continue
    room -= cost
    grants.push({ line, item, isWide: true })
  }
  return grants
}

function grantedText(ledger: Ledger, grants: readonly Grant[], parts: number): string {
  const lines = new Set(grants.map(({ line }) => line))
  const narrow = new Set(grants.map(({ item }) => item))
  const wide = new Set(grants.flatMap(({ isWide, item }) => (isWide ? [item] : [])))
  const form: Form = (item) => {
    if (!narrow.has(item)) return null
    return wide.has(item) ? item.wide : item.narrow
  }
  const left = parts - lines.size - narrow.size + (narrow.has(null) ? 1 : 0)
  const text = printed(ledger, (line) => lines.has(line), form)
  return left === 0 ? text : text + leftOut(left)
}

function leftOut(parts: number): string {
  return `(There was no room for ${parts} more; they stand in the transcript of this session.)\n`
}
