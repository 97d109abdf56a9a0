interface Imports {
  comments: RegExp
  statement: RegExp
}

const script: Imports = {
  comments: /\/\*[\s\S]*?\*\/|\/\/[^\n]*/g,
  statement: /^import\b(?:[\w$*{}\s,]+?\bfrom)?\s*(['"])[^'"\n]+\1(?:\s+with\s*\{[^}]*\})?;?\s*/,
}

const python: Imports = {
  comments: /#[^\n]*/g,
  statement: /^(?:from\s+[\w.]+\s+)?import\s+(?:\([^)]*\)|[^\n(;]+);?\s*/,
}

const lisp: Imports = {
  comments: /;[^\n]*/g,
  statement: /^\(require\s+'[\w/-]+[^()]*\)\s*/,
}

const c: Imports = {
  comments: script.comments,
  statement: /^#\s*include\s*[<"][^>"\n]+[>"]\s*/,
}

const rust: Imports = {
  comments: script.comments,
  statement: /^(?:pub\s+)?use\s+[^;]+;\s*/,
}

const languages = new Map<string, Imports>([
  ...['typescript', 'ts', 'tsx', 'javascript', 'js', 'jsx'].map((name) => [name, script] as const),
  ['python', python],
  ['emacs-lisp', lisp],
  ['elisp', lisp],
  ['C', c],
  ['c', c],
  ['cpp', c],
  ['C++', c],
  ['rust', rust],
])

function isImports(language: string, body: string): boolean {
  const imports = languages.get(language)
  if (imports === undefined) return false
  let rest = body.replace(imports.comments, '').trimStart()
  if (rest === '') return false
  for (let found = imports.statement.exec(rest); found; found = imports.statement.exec(rest)) {
    rest = rest.slice(found[0].length)
  }
  return rest === ''
}

/** What a source block is for: `code` is everything that is worth reading. */
export type BlockRole = 'imports' | 'fixtures' | 'code'

/** The role of a block; `target` is the file that it is tangled to, or null. */
export function blockRole(language: string, body: string, target: string | null): BlockRole {
  if (isImports(language, body)) return 'imports'
  const isTest = /[._-](?:test|spec)\.\w+$|(?:^|\/)test_[^/]*\.py$/.test(target ?? '')
  const hasTest = /\b(?:test|it|describe|bench)(?:\.\w+)*\s*\(|\bdef test|\(ert-deftest\b/.test(
    body,
  )
  return isTest && !hasTest ? 'fixtures' : 'code'
}
