const addressFields =
  /(?:^|[._-])(?:ur[li]s?|links?|hrefs?|src|hosts?|hostnames?|domains?|sites?|websites?|pages?|webpages?|endpoints?|webhooks?)$/i

/** Whether a text under this name is the address of something on the network. */
export function isAddress({ field, text }: { field: string; text: string }): boolean {
  const address = text.trim()
  if (/^file:\/\/(?:localhost)?\//i.test(address)) return false
  if (/^(?:[a-z][a-z0-9+.-]*:\/\/|www\.)/i.test(address)) return true
  const name = field.replace(/([a-z])([A-Z])/g, '$1_$2')
  return addressFields.test(name) && /^(?:[\w-]+\.)+[a-z]{2,24}(?::\d+)?(?:[/?#]|$)/i.test(address)
}

const lengthMax = 300
const wordLengthMax = 3
const spareMax = 6

const usualNames = new Set(
  'page lang language query search format output type sort order limit offset start year month json html text'.split(
    ' ',
  ),
)

/** Whether the address could tell its server something that is not in `said`, which is in lower case. */
export function carriesData(address: string, said: string): boolean {
  const parts = /^(?:([a-z][a-z0-9+.-]*):\/\/)?([^/?#]*)([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/is.exec(
    address.trim(),
  )
  if (parts === null || address.length > lengthMax) return true
  const [, , host = '', path = '', query = '', fragment = ''] = parts
  const words = wordsOf(`${query} ${fragment}`).filter(
    (word) => !isSmall(word) && !isIn(word, said),
  )
  if (words.join('').length > spareMax || words.some((word) => hasCode(word))) return true
  return hostCarries(host, said) || pathCarries(path, said)
}

function wordsOf(text: string): string[] {
  return decoded(text)
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

function isSmall(word: string): boolean {
  return word.length <= wordLengthMax || /^\d{1,4}$/.test(word) || usualNames.has(word)
}

function isIn(word: string, said: string): boolean {
  return word.length > wordLengthMax && said.includes(word)
}

const codeLengthMin = 16

function hasCode(word: string): boolean {
  return word.length >= codeLengthMin && /\d/.test(word) && /[a-z]/i.test(word)
}

const usualLabels = new Set(
  (
    'www m web en de fr es it pt nl pl ja zh api app apps blog blogs community cdn data dev developer ' +
    'developers doc docs download downloads forum forums ftp git help home info learn lists mail maps ' +
    'media mirror mirrors mobile news old packages raw registry rss search shop static status store ' +
    'support test tools tv video weather wiki'
  ).split(' '),
)

function hostCarries(host: string, said: string): boolean {
  if (host.includes('@')) return true
  const labels = host.toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '').split('.')
  if (labels.length < 2 || /^\d+$/.test(labels.at(-1) ?? '') || host.startsWith('[')) return true
  const bought = /^(?:com?|ac|org|net|gov|edu)$/.test(labels.at(-2) ?? '') ? 3 : 2
  const free = labels
    .slice(0, Math.max(labels.length - bought, 0))
    .filter((label) => !isUsual(label, said))
  return (
    labels.length - bought > 2 ||
    free.length > 1 ||
    free.some((label) => !/^[a-z]{1,12}$/.test(label))
  )
}

function isUsual(label: string, said: string): boolean {
  return usualLabels.has(label) || isIn(label, said)
}

const pathLengthMax = 160
const pieceLengthMax = 40

function pathCarries(path: string, said: string): boolean {
  const pieces = path.split('/').filter((piece) => !isIn(piece.toLowerCase(), said))
  if (pieces.join('').length > pathLengthMax) return true
  return pieces.some(
    (piece) =>
      piece.length > pieceLengthMax ||
      /%[0-9a-f]{2}.*%[0-9a-f]{2}/i.test(piece) ||
      piece.split(/[^A-Za-z\d]+/).some((word) => hasCode(word)),
  )
}
