import { expandPath, type PathPlaces } from '../paths/paths.ts'
import { canReachSecret, judgeRead, pathRules } from '../paths/secret.ts'
import type { Argument } from './options.ts'
import { programs } from './programs.ts'
import { type Doubt, doubt, first, placesAt, type Reader } from './reader-state.ts'
import type { Field } from './words.ts'

/** The doubt about one argument of this program, or null. */
export function judgeArgument(
  reader: Reader,
  program: string,
  { role, field, option }: Argument,
): Doubt | null {
  const { value } = field
  if (field.doubtful) return doubt('variable', 'it may show the value of a secret variable')
  if (role === 'text') {
    const isHarmless = programs().get(program)?.harmless === true
    const free =
      isHarmless ||
      program === 'echo' ||
      program === 'printf' ||
      program === 'true' ||
      option !== null
    return field.splits && !free
      ? doubt('expansion', `how many words ${value} becomes is not known`)
      : null
  }
  if (role === 'script') return null
  if (field.splits) return doubt('expansion', `what ${value} becomes is not known`)
  if (role === 'pattern') return judgePattern(reader, program, field)
  if (!field.known && !field.glob)
    return doubt('expansion', `which file ${value} is cannot be known`)
  if (value === '-' || value === '') return null
  return first(reader.folders, (cwd) => {
    const places = placesAt(reader, cwd)
    const outside = judgeHole(value, places)
    if (outside !== null) return outside
    if (role === 'name') return judgeName(value, places)
    if (role === 'tree' && canReachSecret(value, places)) {
      return doubt('walk', `it reads everything below ${value}`)
    }
    if (role !== 'revision') return judgeContent(value, places)
    if (/^[/~.]/.test(value) && canReachSecret(value, places)) {
      return doubt('walk', `it compares everything below ${value}`)
    }
    const inside = value.slice(value.indexOf(':') + 1)
    return judgeContent(value, places) ?? judgeContent(inside, places)
  })
}

function judgeHole(value: string, places: PathPlaces): Doubt | null {
  const at = value.indexOf('\0')
  if (at === -1) return null
  const folder = value.slice(0, value.lastIndexOf('/', at) + 1)
  const goesUp = value.slice(at).split('/').includes('..')
  if (!goesUp && !canReachSecret(folder === '' ? '.' : folder, places)) return null
  return doubt('walk', `it opens what it finds below ${folder === '' ? '.' : folder}`)
}

function judgePattern(reader: Reader, program: string, field: Field): Doubt | null {
  if (!field.known && !field.glob) return doubt('expansion', 'what is searched for is not known')
  if (field.varying && program !== 'find') return doubt('expansion', 'what is searched for changes')
  if (
    /private key|BEGIN.{0,20}PRIVATE|AKIA|aws_secret|secret_access_key|gh[pousr]_|xox[bap]|sk-(live|proj|ant)|sk_live/i.test(
      field.value,
    )
  ) {
    return doubt('secret-search', 'it searches for secrets')
  }
  const isName = /^(find|fd|fdfind|locate|mlocate|plocate)$/.test(program)
  if (isName && namesSecret.test(field.value)) {
    return doubt('secret-search', `it looks for ${field.value}, where secrets are kept`)
  }
  if (isName || !field.glob) return null
  return judgeName(field.value, reader.places, true)
}

const namesSecret =
  /id_(rsa|dsa|ecdsa|ed25519|\*)|\.(ssh|gnupg|aws|kube|netrc|pgpass|password-store)\b|\.(pem|key|p12|pfx|kdbx|jks|keystore|ppk)\b|(^|\/|\*)\.env|shadow$|credential|passw(or)?d|secret|[*_]history|wallet\.dat|htpasswd|authorized_keys/i

const secretRules = new Set(
  Object.entries(pathRules)
    .filter(([, rule]) => rule.level === 'secret')
    .map(([name]) => `paths.${name}`),
)

/** The doubt about a name that is looked at and not opened, or null. */
export function judgeName(value: string, places: PathPlaces, strict = false): Doubt | null {
  const { level, rule } = judgeRead(value, places)
  if (level === 'plain' || rule === 'paths.private-file') return null
  const folder = /^\/(root|run\/user)(\/|$)/.test(expandPath(value, places))
  const isPattern = /[*?[{]/.test(value)
  if (level === 'private' && !strict && !folder && (isPattern || !secretRules.has(rule)))
    return null
  return { rule, reason: `it looks at ${value.replaceAll('\0', '…')}, where secrets are kept` }
}

function judgeContent(value: string, places: PathPlaces): Doubt | null {
  const walked = value.includes('\0') ? { ...places, privateFiles: undefined } : places
  const { level, rule } = judgeRead(value, walked)
  if (level === 'plain') return null
  const shown = value.replaceAll('\0', '…')
  if (level === 'secret')
    return { rule, reason: `it touches ${shown}, which is secret`, secret: true }
  return { rule, reason: `${shown} may hold something private` }
}

/** The doubt about a walk that is given no folder: it goes through the current one, which need not be the memex. */
export function judgeWalk(
  reader: Reader,
  program: string,
  args: readonly Field[],
  found: readonly Argument[],
): Doubt | null {
  const walks =
    /^(rg|ag|tokei|cloc|scc)$/.test(program) ||
    (/^[ef]?grep$|^zgrep$/.test(program) &&
      args.some(({ value }) =>
        /^-[a-zA-Z]*[rRd]|^--(dereference-)?recursive$|^--directories/.test(value),
      ))
  const hasFolder = found.some(({ role, option }) => option === null && role === 'tree')
  if (!walks || hasFolder) return null
  return first(reader.folders, (cwd) =>
    canReachSecret('.', placesAt(reader, cwd))
      ? doubt('walk', 'it reads everything in the folder that it is in')
      : null,
  )
}
