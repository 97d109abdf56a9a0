const conflictWord =
  'conflict(?:ed|s)?|sfconflict|konflikt\\w*|in konflikt|en conflit|en conflicto|in conflitto|em conflito|競合'
const patterns = [
  /\.sync-conflict-\d{8}-\d{6}(?:-\w+)?\.org$/i,
  /_conflict-\d{8}-\d{6}\.org$/i,
  /\.conflict(?:-\w+)?\.org$/i,
  /_(?:BASE|LOCAL|REMOTE|BACKUP)_\d+\.org$/,
  new RegExp(`[([][^()[\\]]*(?:\\b|_)(?:${conflictWord})[^()[\\]]*[)\\]]\\.org$`, 'iu'),
]

/** Whether a file of this name is a version that a synchroniser or a merge has put beside a note. */
export function isConflictCopy(path: string): boolean {
  return patterns.some((pattern) => pattern.test(path))
}

/** The path of the note that this is a conflict copy of; null for any other file. */
export function noteOfCopy(path: string): string | null {
  const pattern = patterns.find((one) => one.test(path))
  return pattern === undefined ? null : `${path.replace(pattern, '').trimEnd()}.org`
}
