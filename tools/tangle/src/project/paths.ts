/** The absolute name; `folder` is where a relative one begins, and absolute itself. */
export function expandFileName(name: string, folder: string, home: string): string {
  if (/^~(?=\/|$)/.test(name)) return normalise(home + name.slice(1))
  if (name === '') return normalise(`${folder}/.`)
  return normalise(name.startsWith('/') ? name : `${folder}/${name}`)
}

function normalise(path: string): string {
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  const joined = `/${parts.join('/')}`
  return parts.length > 0 && path.endsWith('/') && !path.endsWith('./') ? `${joined}/` : joined
}

/** Up to the last slash; null when there is none. */
export function fileNameDirectory(name: string): string | null {
  const at = name.lastIndexOf('/')
  return at === -1 ? null : name.slice(0, at + 1)
}

/** Behind the last slash. */
export function fileNameNondirectory(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1)
}

/** Without its extension, and without the tilde of a backup. */
export function withoutExtension(name: string): string {
  const plain = name.replace(/(?<=[^/])(?:\.~[^/~]+)?~$/, '')
  return plain.replace(/(?<=[^/])\.[^./]*$/, '')
}

/** The extension without its dot; null when there is none. */
export function fileExtension(name: string): string | null {
  return /[^/]\.([^./]*)$/.exec(name)?.[1] ?? null
}

/** The name as seen from a folder, both absolute. */
export function relativeFileName(name: string, folder: string): string {
  const path = normalise(name)
  let base = `${normalise(folder).replace(/\/$/, '')}/`
  let up = ''
  while (!`${path}/`.startsWith(base)) {
    base = base.slice(0, base.lastIndexOf('/', base.length - 2) + 1)
    up += '../'
  }
  const rest = path.slice(base.length)
  return up + rest === '' ? '.' : rest === '' ? up.slice(0, -1) : up + rest
}
