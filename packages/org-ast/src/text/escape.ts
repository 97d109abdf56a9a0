const escaped = /(?<![^\n])([ \t]*,*),(?=\*|#\+)/g
const guarded = /(?<![^\n])([ \t]*)(?=,*(?:\*|#\+))/g

/** Removes one guarding comma from each line that has any; `org-unescape-code-in-string`. */
export function unescapeCode(code: string): string {
  return code.includes(',') ? code.replace(escaped, '$1') : code
}

/** Puts a comma before each line that would be Org; `org-escape-code-in-string`. */
export function escapeCode(code: string): string {
  return code.replace(guarded, '$1,')
}
