import ignore from 'ignore'

/** Whether a path, relative and with slashes, is left out. */
export type Ignore = (path: string, isFolder: boolean) => boolean

/** The patterns of a file in the syntax of gitignore(5). Never throws. */
export function parseIgnore(text: string): Ignore {
  const patterns = ignore({ ignorecase: false }).add(text)
  return (path, isFolder) => patterns.ignores(isFolder ? `${path}/` : path)
}
