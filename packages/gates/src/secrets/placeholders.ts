/** The entropy of the text's characters, in bits for each. 0 for an empty text. */
export function entropy(text: string): number {
  const counts = new Map<string, number>()
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values())
    bits -= (count / text.length) * Math.log2(count / text.length)
  return bits
}

/** Whether the text has at least so many bits for each character. */
export function isRandom(secret: string, bits: number): boolean {
  return entropy(secret) >= bits
}

const placeholderMarks =
  /examples?|placeholders?|your|redacted|dummy|samples?|change[ _-]?(?:me|it|this)|replaced?|insert|fake|foo|bar|baz|lorem|ipsum|undefined|randomstring|todo|fixme|mock|deadbeef|xxx+|\.{3,}|…|\*{3,}/g

const filling =
  /passphrase|password|passwd|secrets?|tokens?|keys?|name|user|client|access|auth|bearer|private|public|value|string|text|here|goes|with|this|that|from|not|real|please|database|server|host|staging|production|prod|live|local|test|chars?|characters?|long|random|base64|hex|github|gitlab|google|openai|slack|stripe|proj|admin|app|api|pass|pwd|and|the|new|old|for|put|use|my|an|of|or|in|id|is|me|it|db|pw/g

function saysNothingElse(value: string): boolean {
  const lower = withoutSteps(value.toLowerCase())
  const marked = lower.replace(placeholderMarks, ' * ')
  if (!marked.includes('*')) return false
  const rest = marked.replace(/^[a-z]{1,8}\d?(?=[_-]|\*| \*)(?!\s\* $)/, '').replace(filling, ' ')
  return rest.split(/[^\p{L}\d]+/u).every((part) => /^[a-z]?\d{0,4}$/.test(part))
}

const stepsMin = 5

/** The text with a star for each row of characters that are equal, or that count up. */
function withoutSteps(text: string): string {
  let result = ''
  let begin = 0
  for (let at = 1; at <= text.length; at++) {
    const step = text.charCodeAt(at) - text.charCodeAt(at - 1)
    const goesOn = at < text.length && isStep(text, begin, at, step)
    if (goesOn) continue
    result += at - begin >= stepsMin ? '*' : text.slice(begin, at)
    begin = at
  }
  return result
}

function isStep(text: string, begin: number, at: number, step: number): boolean {
  if (at - begin > 1) return step === text.charCodeAt(begin + 1) - text.charCodeAt(begin)
  return step === 0 || step === 1
}

const fieldName = '[A-Za-z_][A-Za-z_-]*\\d{0,2}[A-Za-z_-]*'
const lookups =
  'process\\.env|import\\.meta|os\\.(?:environ|getenv)|env|getenv|System\\.getenv|config|settings|secrets?|vault'

const references = [
  /^\$\(?[A-Za-z_][\w./-]*\)?$|^%[A-Z_]+%$|^\{\{.{0,2}$|^f?\{\w+(?:![rsa])?\}$|^<[^<>\d]*>?$/,
  new RegExp(`^(?:${lookups})(?:[.:/[(]{1,3}(?:${fieldName})?[\\])]{0,2}){0,6}$`, 'i'),
  new RegExp(`^(?:\\{\\{|op://|sops:)(?:[./|]?(?:${fieldName})){0,8}(?:\\}\\}?)?$`),
  /^(?:arn:)?aws:[a-z-]*:[\w:/.-]*$|^ENC\[(?:AES256_GCM|PKCS7|GPG|KMS)$/,
  /^(?:[!&*][A-Za-z_./-]*|null|none|nil|true|false|undefined|string|required|optional|hunter2)$/i,
  /^A[KS]IA[A-Z0-9]{9}EXAMPLE$|^wJalrXUtnFEMI\/K7MDENG\/bPxRfiCYEXAMPLEKEY$|^je7MtGbClwBF\/2Zp9Utk\/h3yCo8nvbEXAMPLEKEY$/,
]

function isReference(value: string): boolean {
  const fallback = /^\$\{\w+(?::?[-=+?](.*?))?\}?$/.exec(value)
  if (fallback !== null) return (fallback[1] ?? '') === '' || isPlaceholder(fallback[1]!)
  return references.some((pattern) => pattern.test(value))
}

const yours =
  /^(?:[a-z]{2,8}[-_ ])?(?:(?:insert|put|enter|paste|add|type|use|replace[-_ ]with|change[-_ ]to)[-_ ])?your(?:[-_ ][a-z]{2,16}){0,6}[-_ ](?:here|keys?|tokens?|secrets?|passwords?|passphrase|credentials?|value|string|id|url|name)$/i

/** Whether the value stands for a secret and is none: the whole of it. */
export function isPlaceholder(value: string): boolean {
  return isReference(value) || saysNothingElse(value) || yours.test(value)
}

function isCodeOrPath(value: string): boolean {
  return (
    /^[A-Z][A-Z0-9]*_[A-Z0-9_]+$/.test(value) ||
    /^[\w$.!]*\(|\)[;,]?$|=>|^(?:~?\/|\.\.?\/|https?:\/\/)/.test(value) ||
    /^[\w.]+\[[^\]]*\]$|^[\w.+-]+@[\w-]+(?:\.[a-z]{2,})+$/i.test(value) ||
    /^(?:base(?:16|32|64)(?:url)?|utf-?(?:8|16)|sha-?\d+|md5|latin-?1|urllib\d)$/i.test(value) ||
    /^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+$/.test(value) ||
    /^\d[\d.,:%-]*\w{0,3}$/.test(value)
  )
}

/** Whether the value of a name such as a password's looks like one. */
export function isPassword(value: string): boolean {
  if (value.length < 6 || isPlaceholder(value) || isCodeOrPath(value)) return false
  if (!/\p{L}/u.test(value))
    return /\d/.test(value) && value.length >= 8 && /[!@#$%^&*]/.test(value)
  if (/\d/.test(value) || isScrambled(value)) return true
  return /[!@#$%^&*+?]/.test(value.replace(/[!?.]+$/, '')) && !/\p{Lo}/u.test(value)
}

/** Letters alone, of which more change their size than in a name that was put together from words. */
function isScrambled(value: string): boolean {
  if (!/^[A-Za-z]{10,}$/.test(value)) return false
  return value.split(/(?=[A-Z])/).length > value.length / 3
}

/** Whether the value of a name such as a token's looks like one: long, and random. */
export function isToken(value: string): boolean {
  if (value.length < 12 || isPlaceholder(value) || isCodeOrPath(value)) return false
  if (isIdentifier(value)) return false
  return /\d/.test(value) && /[A-Za-z]/.test(value) && isRandom(value, 2.8)
}

function isIdentifier(value: string): boolean {
  if (/^[A-Z][a-z]+\d*(?:[A-Z][a-z]+)+\d?$/.test(value)) return true
  if (!/^[A-Za-z]\w*$/.test(value) || (value.match(/\d/g) ?? []).length > 2) return false
  return value.length / value.split(/(?=[A-Z])|_/).length >= 4
}

const wordsForSecrets =
  /^(?:(?:my|the|your|new|old|user|db|api|current|confirm|admin)[_-]?)*(?:passwords?|passwd|pass|secret|token|key|username|field|value|string|required|optional|postgres(?:ql)?|mysql|mariadb|mongodb|redis|rabbitmq|admin(?:istrator)?|guest|default|testing)(?:[_-]\w+)?$/i

/** Whether the value is a password where it is surely a setting, so that letters alone are enough. */
export function isSetting(value: string): boolean {
  if (/^[A-Za-z_-]+$/.test(value)) {
    return value.length >= 8 && !isPlaceholder(value) && !wordsForSecrets.test(value)
  }
  return isPassword(value)
}
