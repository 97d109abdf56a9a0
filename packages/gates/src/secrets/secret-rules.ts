import { z } from 'zod'
import { readRules } from '../paths/rule-table.ts'

/** One kind of secret. */
export interface SecretRule {
  /** Lower case with dashes; named in reasons. */
  name: string
  /** In lower case; one of them is in every text that the pattern matches. */
  keywords: readonly string[]
  /** Global; the first group, or the whole match, is the secret. Linear. */
  pattern: RegExp
  /** What the secret must be besides: not a placeholder, always; random enough, often. */
  accepts?: (secret: string) => boolean
  /** Found by a mark in the secret itself, so that it can be looked for where the text around it is lost. */
  marked: boolean
  /** Made when asked, so that none stands in this file. */
  match(): string[]
  notMatch(): string[]
}

const alphabets = {
  hex: '0123456789abcdef',
  upper: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567',
  lower: 'abcdefghijklmnopqrstuvwxyz0123456789',
  alnum: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789',
  word: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-',
  base64: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
}

type Alphabet = keyof typeof alphabets

/** Characters that look random and are the same each time. */
export function sample(alphabet: Alphabet, length: number, seed = 7): string {
  const letters = alphabets[alphabet]
  let state = seed * 2_654_435 + length
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return letters[(state >>> 8) % letters.length]
  }).join('')
}

const classes: Record<Alphabet, string> = {
  hex: '[0-9a-fA-F]',
  upper: '[A-Z0-9]',
  lower: '[a-z0-9]',
  alnum: '[A-Za-z0-9]',
  word: '[\\w-]',
  base64: '[A-Za-z0-9+/=_-]',
}

function quoted(text: string): string {
  return text.replace(/[.*+?^$()|[\]{}\\/]/g, '\\$&')
}

interface KeyRow {
  name: string
  prefixes: readonly string[]
  letters: Alphabet
  least: number
  most: number
}

function ruleOf({ name, prefixes, letters, least, most }: KeyRow): SecretRule {
  const end = letters === 'base64' || letters === 'word' ? '' : `(?![A-Za-z0-9])`
  const beginning = `(?<![A-Za-z0-9])(?:${prefixes.map(quoted).join('|')})`
  const source = `${beginning}${classes[letters]}{${least},${most}}${end}`
  return {
    name,
    keywords: prefixes.map((prefix) => prefix.toLowerCase()),
    pattern: new RegExp(source, 'g'),
    accepts: (secret) => isRandom(secret, 2.2) && !/^[^A-Z\d]*$/.test(secret.slice(4)),
    marked: true,
    match: () => prefixes.map((prefix, index) => prefix + sample(letters, least, index + 3)),
    notMatch: () => [`${prefixes[0]}${sample(letters, least - 1)}`, prefixes[0]!],
  }
}

const table = `
| name                  | begins with                                      | letters | least | most |
|-----------------------+--------------------------------------------------+---------+-------+------|
| aws-access-key-id     | AKIA ASIA ABIA ACCA                              | upper   | 16    |      |
| aws-bedrock-key       | ABSK                                             | base64  | 100   | 260  |
| google-api-key        | AIza                                             | word    | 35    |      |
| google-access-token   | ya29.                                            | word    | 20    | 400  |
| google-client-secret  | GOCSPX-                                          | word    | 28    |      |
| google-refresh-token  | 1//0                                             | word    | 40    | 200  |
| digitalocean-token    | dop_v1_ doo_v1_ dor_v1_                          | hex     | 64    |      |
| alibaba-access-key    | LTAI                                             | alnum   | 12    | 24   |
| tencent-secret-id     | AKID                                             | alnum   | 32    |      |
| scaleway-access-key   | SCW                                              | upper   | 17    |      |
| fly-token             | fo1_ fm1r_ fm1a_ fm2_                            | base64  | 40    | 900  |
| heroku-key            | HRKU-AA                                          | word    | 58    |      |
| heroku-platform-key   | HRKU-                                            | word    | 36    |      |
| netlify-token         | nfp_                                             | alnum   | 36    | 40   |
| render-key            | rnd_                                             | alnum   | 24    | 40   |
| vercel-token          | vcp_ vci_ vca_ vcr_ vck_                         | alnum   | 24    | 80   |
| vault-token           | hvs. hvb. hvr.                                   | word    | 24    | 200  |
| pulumi-token          | pul-                                             | hex     | 40    |      |
| doppler-token         | dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.   | alnum   | 40    | 44   |
| databricks-token      | dapi                                             | hex     | 32    |      |
| planetscale-token     | pscale_tkn_ pscale_pw_ pscale_oauth_             | word    | 32    | 64   |
| supabase-token        | sbp_ sb_secret_                                  | word    | 24    | 60   |
| neon-key              | napi_                                            | lower   | 60    | 70   |
| neon-password         | npg_                                             | alnum   | 12    | 20   |
| cockroach-key         | CCDB1_                                           | word    | 40    | 100  |
| tailscale-key         | tskey-api- tskey-auth- tskey-client- tskey-scim- | word    | 20    | 80   |
| cloudflare-origin-key | v1.0-                                            | hex     | 24    | 200  |
| prefect-key           | pnu_ pnb_                                        | alnum   | 36    |      |
| infracost-key         | ico-                                             | alnum   | 32    |      |
| ibm-key               | ApiKey-                                          | word    | 36    | 44   |

| name                      | begins with                                     | letters | least | most |
|---------------------------+-------------------------------------------------+---------+-------+------|
| github-token              | ghp_ gho_ ghu_ ghs_ ghr_                        | alnum   | 36    | 255  |
| github-fine-grained-token | github_pat_                                     | word    | 40    | 100  |
| gitlab-token              | glpat- gldt- glrt- glcbt- glsoat- glffct- glft- | word    | 20    | 64   |
|                           | glimt-                                          |         |       |      |
| gitlab-trigger-token      | glptt-                                          | hex     | 40    |      |
| gitlab-agent-token        | glagent- gloas-                                 | word    | 50    | 70   |
| gitlab-runner-token       | GR1348941                                       | word    | 20    | 30   |
| openshift-token           | sha256~                                         | word    | 43    |      |
| intra-secret              | s-s4t2ud- s-s4t2af-                             | hex     | 64    |      |
| yandex-key                | AQVN                                            | word    | 35    | 40   |
| readme-docs-key           | rdme_                                           | alnum   | 60    | 80   |
| settlemint-token          | sm_pat_ sm_aat_ sm_sat_                         | alnum   | 16    |      |
| scalingo-token            | tk-us-                                          | word    | 48    |      |
| clickhouse-key            | 4b1d                                            | alnum   | 38    |      |
| bitbucket-app-password    | ATBB                                            | alnum   | 24    | 40   |
| atlassian-token           | ATATT3 ATCTT3                                   | base64  | 60    | 260  |
| npm-token                 | npm_                                            | alnum   | 36    |      |
| pypi-token                | pypi-AgE                                        | word    | 50    | 300  |
| rubygems-key              | rubygems_                                       | hex     | 48    |      |
| crates-token              | cio                                             | alnum   | 32    |      |
| nuget-key                 | oy2                                             | lower   | 43    |      |
| docker-token              | dckr_pat_ dckr_oat_                             | word    | 27    | 36   |
| sonarqube-token           | sqp_ squ_ sqa_                                  | hex     | 40    |      |
| circleci-token            | CCIPAT_ CCIPRJ_                                 | word    | 40    | 80   |
| buildkite-token           | bkua_                                           | hex     | 40    |      |
| jfrog-key                 | AKCp                                            | alnum   | 60    | 80   |
| jfrog-reference-token     | cmVmdGtu                                        | alnum   | 50    | 70   |
| postman-key               | PMAK-                                           | word    | 50    | 62   |
| figma-token               | figd_                                           | word    | 40    | 50   |
| linear-key                | lin_api_ lin_oauth_                             | alnum   | 40    | 64   |
| notion-token              | ntn_                                            | alnum   | 40    | 50   |
| notion-secret             | secret_                                         | alnum   | 43    |      |
| typeform-token            | tfp_                                            | word    | 44    | 70   |
| contentful-token          | CFPAT-                                          | word    | 43    |      |
| sentry-token              | sntrys_ sntryu_                                 | base64  | 60    | 300  |
| newrelic-key              | NRAK- NRJS- NRII- NRRA-                         | word    | 19    | 42   |
| grafana-token             | glsa_ glc_                                      | base64  | 32    | 400  |
| dynatrace-token           | dt0c01. dt0s01.                                 | alnum   | 24    |      |
| honeycomb-key             | hcaik_ hcxik_ hcalk_                            | lower   | 50    | 64   |
| posthog-key               | phx_                                            | alnum   | 40    | 50   |
| segment-token             | sgp_                                            | word    | 40    | 70   |
| sourcegraph-token         | sgp_local_ sgs_                                 | hex     | 40    |      |
| onepassword-token         | ops_eyJ                                         | base64  | 100   | 900  |
| age-secret-key            | AGE-SECRET-KEY-1                                | upper   | 58    |      |
| launchdarkly-key          | api-ld- sdk-ld-                                 | word    | 36    |      |
| adafruit-key              | aio_                                            | alnum   | 28    |      |
| clojars-token             | CLOJARS_                                        | lower   | 60    |      |
| terraform-token           | ATLASV1.                                        | word    | 60    | 70   |

| name                  | begins with                                     | letters | least | most |
|-----------------------+-------------------------------------------------+---------+-------+------|
| stripe-key            | sk_live_ sk_test_ rk_live_ rk_test_ sk_prod_    | alnum   | 16    | 250  |
|                       | rk_prod_                                        |         |       |      |
| stripe-webhook-secret | whsec_                                          | base64  | 24    | 80   |
| square-token          | sq0atp- sq0csp- sq0idp-                         | word    | 22    | 60   |
| square-access-token   | EAAA                                            | word    | 56    | 64   |
| shopify-token         | shpat_ shpss_ shpca_ shppa_                     | hex     | 32    |      |
| plaid-token           | access-sandbox- access-production-              | word    | 36    |      |
|                       | access-development-                             |         |       |      |
| razorpay-key          | rzp_live_ rzp_test_                             | alnum   | 14    | 20   |
| flutterwave-key       | FLWSECK_TEST- FLWSECK-                          | alnum   | 12    | 50   |
| easypost-key          | EZAK EZTK                                       | alnum   | 54    |      |
| duffel-token          | duffel_live_ duffel_test_                       | word    | 43    |      |
| shippo-token          | shippo_live_ shippo_test_                       | hex     | 40    |      |
| frameio-token         | fio-u-                                          | word    | 64    |      |
| paystack-key          | sk_paystack_                                    | alnum   | 30    | 50   |
| slack-token           | xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxe- xoxe. | word    | 20    | 300  |
| slack-app-token       | xapp-                                           | word    | 40    | 200  |
| twilio-key            | SK                                              | hex     | 32    |      |
| sendgrid-key          | SG.                                             | word    | 16    | 24   |
| mailgun-key           | key-                                            | hex     | 32    |      |
| brevo-key             | xkeysib- xsmtpsib-                              | word    | 64    | 90   |
| mailersend-key        | mlsn.                                           | hex     | 64    |      |
| facebook-token        | EAA                                             | alnum   | 80    | 400  |
| twitter-bearer        | AAAAAAAAAAAAAAAAAAAAA                           | alnum   | 50    | 120  |
| hubspot-token         | pat-na1- pat-eu1-                               | word    | 36    |      |
| klaviyo-key           | pk_klaviyo_                                     | hex     | 34    |      |
| openai-project-key    | sk-proj- sk-svcacct- sk-admin-                  | word    | 32    | 300  |
| anthropic-key         | sk-ant-                                         | word    | 32    | 200  |
| openrouter-key        | sk-or-                                          | word    | 48    | 80   |
| sk-key                | sk-                                             | alnum   | 28    | 80   |
| groq-key              | gsk_                                            | alnum   | 40    | 60   |
| huggingface-token     | hf_ api_org_                                    | alnum   | 34    | 40   |
| replicate-token       | r8_                                             | alnum   | 37    | 40   |
| perplexity-key        | pplx-                                           | alnum   | 40    | 56   |
| tavily-key            | tvly-                                           | word    | 28    | 60   |
| jina-key              | jina_                                           | word    | 40    | 70   |
| xai-key               | xai-                                            | alnum   | 60    | 90   |
| together-key          | tgp_v1_                                         | word    | 40    | 60   |
| fireworks-key         | fw_                                             | alnum   | 22    | 30   |
| elevenlabs-key        | sk_                                             | hex     | 48    |      |
| langsmith-key         | lsv2_pt_ lsv2_sk_                               | word    | 40    | 50   |
| pinecone-key          | pcsk_                                           | word    | 40    | 90   |
| nvidia-key            | nvapi-                                          | word    | 50    | 80   |
| cerebras-key          | csk-                                            | lower   | 40    | 60   |
| pinterest-token       | pina_                                           | word    | 32    | 90   |
| dropbox-token         | sl.                                             | word    | 100   | 400  |
| mapbox-secret-token   | sk.eyJ                                          | word    | 40    | 120  |
`

const number = z.string().regex(/^\d+$/).transform(Number)

const cells = z.strictObject({
  name: z.string(),
  'begins with': z.string().min(2),
  letters: z.enum(['hex', 'upper', 'lower', 'alnum', 'word', 'base64']),
  least: number,
  most: z.literal('').or(number),
})

const prefixed: readonly SecretRule[] = readRules('secret-rules', table, cells, (row) => {
  const { name, letters, least, most } = row
  const prefixes = row['begins with'].split(' ')
  return ruleOf({ name, prefixes, letters, least, most: most === '' ? least : most })
})

/** The entropy of the text's characters, in bits for each. 0 for an empty text. */
export function entropy(text: string): number {
  const counts = new Map<string, number>()
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values())
    bits -= (count / text.length) * Math.log2(count / text.length)
  return bits
}

function isRandom(secret: string, bits: number): boolean {
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

/** Whether the value stands for a secret and is none: the whole of it. */
export function isPlaceholder(value: string): boolean {
  return isReference(value) || saysNothingElse(value)
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

function isPassword(value: string): boolean {
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

function isToken(value: string): boolean {
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

function isSetting(value: string): boolean {
  if (/^[A-Za-z_-]+$/.test(value)) {
    return value.length >= 8 && !isPlaceholder(value) && !wordsForSecrets.test(value)
  }
  return isPassword(value)
}

const passwordName =
  'passw(?:or)?d|passwort|kennwort|passcode|passphrase|passwd|mot de passe|contrase(?:n|ñ)a|\\bpwd|_pwd|\\bpsk|\\bpass|_pass|\\bpw'

const tokenName =
  'api[ _-]?key|apikey|access[ _-]?key|secret[ _-]?key|auth[ _-]?key|private[ _-]?key|account[ _-]?key|' +
  'encryption[ _-]?key|signing[ _-]?key|license[ _-]?key|master[ _-]?key|ssh[ _-]?key|shared[ _-]?key|' +
  'secret|(?<!page)(?<!page[ _-])(?<!next)(?<!next[ _-])(?<!continuation)(?<!cancel)(?<!web)(?<!public)(?<!public[ _-])(?<!csrf)(?<!csrf[ _-])(?<!xsrf[ _-])(?<!authenticity_)token|credentials?|creds|user_auth|' +
  'wi-?fi[ _-]?key|wpa[ _-]?key|network[ _-]?key|webhook[ _-]?key|bot[ _-]?key|app[ _-]?key|x-api-key|session[ _-]?cookie|sessionid|connect\\.sid|' +
  'session[ _-]?key|recovery[ _-]?(?:code|key)|backup[ _-]?code|seed[ _-]?key|totp|2fa[ _-]?(?:secret|key)'

const suffix =
  '(?!s?[ ._-]?(?:name|ref|path|file|url|uri|endpoint|type|length|count|policy|field|arn|limit|usage|izer|expir|ttl|manager|store|hint|ids?\\b|identifier|audience|vault|tostore|ing\\b|board))\\w{0,20}'

const typed = `(?:\\s{1,3}(?:string|str|String))?`
const sign = `["'\`\\]]?${typed}\\s{0,3}(?::=|=>|==?|:|>|,)\\s{0,3}["'\`]?`
const assign = `["'\`\\]]?${typed}\\s{0,3}(?::=|=>|==?|:|>|,|\\s)\\s{0,3}["'\`]?`

function around(rule: {
  name: string
  keywords: string
  pattern: RegExp
  accepts?: (secret: string) => boolean
  match: () => string[]
  notMatch: () => string[]
}): SecretRule {
  return { ...rule, keywords: rule.keywords.split(' '), marked: false }
}

/** A rule that goes by the secret itself. */
function marked(rule: Parameters<typeof around>[0]): SecretRule {
  return { ...around(rule), marked: true }
}

const passwordWords = 'psk pw passw kennwort passcode passphrase mot contrase pwd pass'

const tokenWords =
  'key secret token credential creds user_auth session connect.sid recovery backup totp 2fa apikey'

const assignments: readonly SecretRule[] = [
  around({
    name: 'password-assignment',
    keywords: passwordWords,
    pattern: new RegExp(`(?:${passwordName})${suffix}${sign}([^\\s"'\`,;<>]{6,200})`, 'gi'),
    accepts: isPassword,
    match: () => [`password: ${sample('alnum', 10)}`, `{"db_password":"Tr0ub4dor&${3}"}`],
    notMatch: () => ['password: string', 'pwd: /home/ann', 'password = readPassword()'],
  }),
  around({
    name: 'password-setting',
    keywords: 'password passwd pwd',
    pattern:
      /(?:\b[A-Z][A-Z0-9_]{0,40}(?:PASSWORD|PASSWD|PWD|_PASS)=|["'](?:password|passwd|pwd)["']\s?:\s?|\bpassword\s{0,8}=\s{0,8}(?=["']))["']?([^\s"'`,;<>]{8,200})/g,
    accepts: isSetting,
    match: () => [`DB_PASSWORD=${'open'}sesame`, `"password": "${'open'}sesame"`],
    notMatch: () => ['DB_PASSWORD=changeme', '"password": "string"', 'PASSWORD=$SECRET'],
  }),
  around({
    name: 'token-assignment',
    keywords: tokenWords,
    pattern: new RegExp(`(?:${tokenName})${suffix}${assign}([^\\s"'\`,;<>]{12,400})`, 'gi'),
    accepts: isToken,
    match: () => [`API_KEY=${sample('alnum', 24)}`, `"client_secret": "${sample('hex', 32)}"`],
    notMatch: () => ['API_KEY=YOUR_API_KEY', 'token_count: 4096', 'secret_name: prod-db-2024'],
  }),
]

const sentences: readonly SecretRule[] = [
  around({
    name: 'password-in-a-sentence',
    keywords: passwordWords,
    pattern: new RegExp(
      `(?:${passwordName.replace('|\\bpass|_pass', '')})\\b(?!@)[^\\n]{0,40}?(?:\\b(?:is|are|was|to|be|as|use|lautet|ist|est|es)\\b|[:=]|->|→)\\s{0,3}["'\`“‘«]?([^\\s"'\`“”‘’«»,;<>]{6,200})`,
      'gi',
    ),
    accepts: isPassword,
    match: () => [`The wifi password for guests is ${sample('alnum', 9)}1.`],
    notMatch: () => ['The password is required.', 'Set the password to something strong.'],
  }),
  around({
    name: 'token-in-a-sentence',
    keywords: tokenWords,
    pattern: new RegExp(
      `(?:${tokenName})${suffix}\\b[^\\n]{0,40}?(?:\\b(?:is|are|was|to|be|as|use|with)\\b|[:=]|->|→)\\s{0,3}["'\`“‘«]?([^\\s"'\`“”‘’«»,;<>]{16,400})`,
      'gi',
    ),
    accepts: isToken,
    match: () => [`the API key for staging is ${sample('alnum', 24)}`],
    notMatch: () => ['the API key is in the settings', 'the token is documented-in-chapter-twelve'],
  }),
  around({
    name: 'password-then-value',
    keywords: passwordWords,
    pattern: new RegExp(`(?:${passwordName})\\s{1,2}["'\`]?([^\\s"'\`,;<>]{8,100})`, 'gi'),
    accepts: (value) =>
      isPassword(value) && /[A-Z]/.test(value) && /[a-z]/.test(value) && /\d/.test(value),
    match: () => [`user admin password ${sample('alnum', 10)}X9z`],
    notMatch: () => ['password manager', 'password 2026-11-21', 'password authentication'],
  }),
  around({
    name: 'login-pair',
    keywords: 'creds credentials login account',
    pattern:
      /\b(?:creds|credentials|logins?|account)\b[^\n:=]{0,20}[:=]\s?[\w.@+-]{2,60}\s?[/|,:]\s?([^\s"'`,;<>]{6,100})/gi,
    accepts: (value) => isPassword(value) && /[A-Z]/.test(value) && /\d/.test(value),
    match: () => [`creds: admin / ${sample('alnum', 10)}X9z`],
    notMatch: () => ['login: ann / bob', 'login: https://example.org'],
  }),
  around({
    name: 'seed-phrase',
    keywords: 'seed mnemonic recovery',
    pattern:
      /(?:seed|mnemonic|recovery)(?: ?phrase| ?words)?\b[^\n\w]{0,6}(?:is|are)?[:= "']{0,6}((?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})\b/gi,
    match: () => [
      `seed phrase: ${'abandon ability able about above absent absorb abstract '}${'absurd abuse access accident'}`,
    ],
    notMatch: () => ['seed phrase: write it down on paper and keep it safe.'],
  }),
]

const tables: readonly SecretRule[] = [
  around({
    name: 'password-in-a-table',
    keywords: 'passw kennwort token secret',
    pattern:
      /\|[^\n]{0,200}\b(?:password|passwd|passwort|kennwort|token|secret)\b[^\n]{0,100}\|[ \t]{0,4}\n(?:[^\n]{0,200}\n){0,5}?[^\n]{0,160}\|[ \t]{0,20}((?=[^\s|]{0,60}\d)(?=[^\s|]{0,60}[a-z])[^\s|]{8,60})[ \t]{0,40}\|/gi,
    accepts: (value) =>
      isPassword(value) &&
      (/[!@#$%^&*?+]/.test(value) || (/[A-Z]/.test(value) && /[a-z]/.test(value))),
    match: () => [`| site | password |\n|------+----------|\n| shop | ${sample('alnum', 9)}7! |`],
    notMatch: () => ['| password |\n| at least 8 characters |', '| token | count |\n| a | 42 |'],
  }),
]

const codes: readonly SecretRule[] = [
  around({
    name: 'code-in-a-sentence',
    keywords: 'pin code otp',
    pattern:
      /\b(?:pin|otp|(?:verification|security|one-time|2fa|login|alarm|door|safe|access|gate) code|code (?:for|of|to) (?:the|my|our) (?:alarm|door|safe|gate|house|garage|lock|card))\b(?! code)[^\n.;]{0,30}?(?:\bis\b|[:=]|ist\b)\s{0,2}["'`]?(\d{3,8})(?![\w.-])/gi,
    accepts: (value) => value.length >= 4,
    match: () => [`The PIN of the card is ${'47'}11`, `code for the alarm is ${'47'}11`],
    notMatch: () => ['the pin code area is 12345', 'pin: 13', 'The zip code is 12345.'],
  }),
  around({
    name: 'code-for-once',
    keywords: 'g- your',
    pattern: /\b(G-\d{6}|\d{4,8}) is your [\w ]{0,30}(?:code|otp|pin|password)\b/gi,
    match: () => [`${'493'}021 is your verification code`],
    notMatch: () => ['4711 is your room'],
  }),
  around({
    name: 'card-code',
    keywords: 'cvv cvc',
    pattern: /\b(?:cvv2?|cvc2?)\b[\s:=]{1,3}(\d{3,4})\b/gi,
    match: () => [`CVV: ${'12'}3`],
    notMatch: () => ['the CVV is on the back'],
  }),
  around({
    name: 'backup-codes',
    keywords: 'codes',
    pattern:
      /\b(?:backup|recovery|rescue|scratch) codes?\b[^\n:=]{0,20}[:=]\s{0,3}((?:[A-Za-z0-9]{4,8}[- ,\n]{1,2}){1,20}[A-Za-z0-9]{4,8})/gi,
    accepts: (value) => (value.match(/\d/g) ?? []).length >= 4,
    match: () => [`Backup codes: ${'1234'}-5678 9876-${'5432'}`],
    notMatch: () => ['recovery codes: keep them in a safe place'],
  }),
  around({
    name: 'wifi-password',
    keywords: 'wifi wi-fi ssid wlan',
    pattern:
      /\b(?:wi-?fi|ssid|wlan)\b[^\n]{0,40}?[/,:]\s?(?:key|pw|psk)?\s?:?\s?((?=\S{0,63}\d)[^\s"'`,;<>]{8,63})(?=$|[\s"'`,;.])/gi,
    accepts: (value) =>
      isPassword(value) && /[A-Z]/.test(value) && /[a-z]/.test(value) && /\d/.test(value),
    match: () => [`wifi: GardenNet / ${sample('alnum', 11)}1Aa`],
    notMatch: () => ['wifi: ask at the desk', 'SSID: GardenNet'],
  }),
  around({
    name: 'passphrase',
    keywords: 'passphrase password',
    pattern:
      /(?:passphrase["']?\s?[:=]\s?["']?|password["']?\s?[:=]\s?["'])((?:[a-z]{3,12}[ -]){3,9}[a-z]{3,12})(?![a-z])/gi,
    accepts: (value) =>
      !/\b(?:enter|your|password|please|must|choose|the|new|and|with|for|not)\b/i.test(value),
    match: () => [`passphrase: correct-horse-${'battery'}-staple`],
    notMatch: () => ['password: "please enter your password"'],
  }),
]

const dashes = '-'.repeat(5)
const bodyRow =
  '(?<![A-Za-z0-9+/=])(?=[a-z0-9+/]*[A-Z])(?=[A-Z0-9+/]*[a-z])(?=[A-Za-z+/]*\\d)[A-Za-z0-9+/]{32,}'

const armour: readonly SecretRule[] = [
  marked({
    name: 'private-key',
    keywords: '-----begin',
    pattern: new RegExp(
      `-----BEGIN[A-Z0-9 ]{0,30} PRIVATE KEY(?: BLOCK)?-----(?:(?:\\\\[rn]|\\s|[A-Za-z-]{3,20}: [^\\n]{0,80}\\n){0,8}[A-Za-z0-9+/=\\\\]{16,}|[\\s\\S]{1,400}?${bodyRow})`,
      'g',
    ),
    accepts: (value) => isRandom(value.slice(value.lastIndexOf('-----') + 5), 2.2),
    match: () => [
      `${dashes}BEGIN RSA PRIVATE KEY${dashes}\n${sample('base64', 64)}`,
      `k.pem:1:${dashes}BEGIN PRIVATE KEY${dashes}\nk.pem:2:${sample('base64', 64)}`,
      `// ${dashes}BEGIN EC PRIVATE KEY${dashes}\n// ${sample('base64', 64)}`,
    ],
    notMatch: () => [
      `The line ${dashes}BEGIN PRIVATE KEY${dashes} begins it, and a body of base64 follows.`,
    ],
  }),
]

const row64 = '[A-Za-z0-9+/]'

const bodies: readonly SecretRule[] = [
  marked({
    name: 'private-key-body',
    keywords:
      'b3blbnnzac1rzxktdje ibaak bgkqhkig9w0baqefaas bgkqhkig9w0bbq0 ageambmg mc4caqaw mhccaqee mihcageb migkageb migiageb',
    pattern: new RegExp(
      `(?<!${row64})(?:b3BlbnNzaC1rZXktdjEA|MII${row64}{2}[AQgw]IBAAK[BC]|MI[GHI]${row64}{0,5}IBADANBgkqhkiG9w0BAQEFAASC|MI[GHI]${row64}{1,10}BgkqhkiG9w0BBQ0|MIG[0-9A-Za-z]AgEAMBMG|MC4CAQAwBQYDK2V[wu]|MHcCAQEEI|MIHcAgEBBEI|MIGkAgEBBDA)${row64}{20,}`,
      'g',
    ),
    match: () => [`b3BlbnNzaC1rZXktdjEA${sample('base64', 44)}`, `MHcCAQEEI${sample('alnum', 55)}`],
    notMatch: () => [`MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A${sample('alnum', 32)}`, 'MHcCAQEEI'],
  }),
  marked({
    name: 'pgp-key-body',
    keywords:
      'lqi lqj lqk lql lqm lqn lqo lqp lqu lqv lqw lqx lqc lqd lqe lqf lfge liye xvge xyye xcl xcm xcn xco xcp xcu xcv xcw xcx xcd xce xcf',
    pattern: new RegExp(
      `(?<!${row64})(?:(?:lQ|xc)[I-PU-Xc-f]${row64}B${row64}{59}|(?:lFgE|lIYE|xVgE|xYYE)${row64}{60})(?!${row64})[^A-Za-z0-9+/]{1,12}(?:[\\w./-]{0,40}[: ])?${row64}{64}(?!${row64})`,
      'g',
    ),
    match: () => [`lQOYB${sample('alnum', 59)}\n${sample('alnum', 64)}`],
    notMatch: () => [`lQOYB${sample('alnum', 59)}`],
  }),
]

const keys: readonly SecretRule[] = [
  around({
    name: 'putty-key',
    keywords: 'private-lines',
    pattern: /Private-Lines: \d{1,3}\s{1,4}[A-Za-z0-9+/=]{16,}/g,
    match: () => [`Private-Lines: 8\n${sample('base64', 64)}`],
    notMatch: () => ['Private-Lines: 8'],
  }),
  around({
    name: 'wireguard-key',
    keywords: 'privatekey presharedkey',
    pattern: /(?:PrivateKey|PresharedKey)\s?=\s?([A-Za-z0-9+/]{43}=)/g,
    match: () => [`PrivateKey = ${sample('base64', 43)}=`],
    notMatch: () => [`PublicKey = ${sample('base64', 43)}=`],
  }),
  around({
    name: 'password-hash',
    keywords: '$2 $6$ $5$ $y$ $argon2 $apr1$ $1$',
    pattern:
      /(?:\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}|\$[156y]\$[^\s$:]{1,40}\$[./A-Za-z0-9]{20,90}|\$apr1\$[^\s$:]{1,16}\$[./A-Za-z0-9]{20,30}|\$argon2id?\$[^\s:]{20,200})/g,
    match: () => [`$2b$12$${sample('alnum', 53)}`, `$6$salt$${sample('alnum', 86)}`],
    notMatch: () => ['costs $20 or $60'],
  }),
]

const headers: readonly SecretRule[] = [
  {
    ...around({
      name: 'json-web-token',
      keywords: 'eyj',
      pattern: /(?<![\w-])eyJ[\w-]{10,2000}\.eyJ[\w-]{10,4000}\.[\w-]{0,1000}/g,
      match: () => [`eyJ${sample('word', 30)}.eyJ${sample('word', 60)}.${sample('word', 43)}`],
      notMatch: () => [`eyJ${sample('word', 30)}`],
    }),
    marked: true,
  },
  around({
    name: 'bearer-header',
    keywords: 'bearer',
    pattern: /\bbearer[ :=]{1,3}["']?([\w.~+/=-]{16,4000})/gi,
    accepts: isToken,
    match: () => [`Authorization: Bearer ${sample('word', 40)}`],
    notMatch: () => ['Authorization: Bearer $TOKEN', 'bearer of excellent-news-today'],
  }),
  around({
    name: 'basic-header',
    keywords: 'basic',
    pattern: /authorization["']?\s?[:=]\s?["']?basic ([A-Za-z0-9+/]{8,400}={0,2})/gi,
    accepts: (value) => Buffer.from(value, 'base64').toString('latin1').includes(':'),
    match: () => [`Authorization: Basic ${Buffer.from('ann:opensesame').toString('base64')}`],
    notMatch: () => ['Authorization: Basic authentication'],
  }),
  around({
    name: 'custom-header',
    keywords: 'x- authorization cookie',
    pattern:
      /\b(?:x-[\w-]{0,20}(?:key|token|auth|secret)|authorization|private-token|cookie|set-cookie)["']?\s?:\s{0,3}["']?(?:token |apikey |[\w.-]{1,40}=)?([\w.~+/=-]{20,1000})/gi,
    accepts: isToken,
    match: () => [`X-Auth-Token: ${sample('alnum', 30)}`],
    notMatch: () => ['X-Auth-Token: $TOKEN'],
  }),
]

const addresses: readonly SecretRule[] = [
  around({
    name: 'password-in-address',
    keywords: '://',
    pattern: /[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@"'<>]{0,100}:([^\s/@"'<>]{3,200})@[\w.[-]/gi,
    accepts: (value) =>
      !isPlaceholder(value) &&
      !/^(?:(?:my)?pass(?:word)?|pwd?|secret|token|root|postgres|test|guest|anon\w{0,8}|abc|xyz|foo|bar)$/i.test(
        value,
      ),
    match: () => [`postgres://app:${sample('alnum', 12)}@db.internal/x`],
    notMatch: () => [
      'postgres://app:$PASSWORD@db/x',
      'https://user:password@host/',
      'http://a:80/',
    ],
  }),
  around({
    name: 'token-in-address',
    keywords: 'token= key= secret= sig= signature= password= sas= auth=',
    pattern:
      /[?&](?![\w-]{0,20}(?:page|next|continuation))(?:[\w-]{0,30}(?:token|key|secret|signature|password|passwd|auth)|sig|code)=([^\s&#"'<>]{12,1000})/gi,
    accepts: isToken,
    match: () => [`https://example.org/x?api_key=${sample('alnum', 24)}`],
    notMatch: () => ['https://example.org/x?api_key=YOUR_KEY_HERE', 'https://x.org/?key=garden'],
  }),
  {
    ...around({
      name: 'chat-webhook',
      keywords:
        'hooks.slack.com api/webhooks webhook.office.com hooks.zapier.com chat.googleapis.com',
      pattern:
        /(?:hooks\.slack\.com\/(?:services|workflows|triggers)\/[\w/-]{30,120}|discord(?:app)?\.com\/api\/webhooks\/\d{15,22}\/[\w-]{50,90}|webhook\.office\.com\/webhookb2\/[\w@/-]{40,300}|hooks\.zapier\.com\/hooks\/catch\/\d{4,12}\/\w{5,20}|chat\.googleapis\.com\/v1\/spaces\/[\w/-]{5,40}messages\?key=[\w-]{20,60})/gi,
      match: () => [
        `https://hooks.slack.com/services/T${sample('upper', 9)}/B${sample('upper', 9)}/${sample('alnum', 24)}`,
      ],
      notMatch: () => ['https://hooks.slack.com/services/'],
    }),
    marked: true,
  },
  around({
    name: 'one-time-secret',
    keywords: 'otpauth',
    pattern: /otpauth:\/\/[^\s"']{0,200}secret=([A-Za-z2-7]{16,128})/gi,
    match: () => [`otpauth://totp/x:ann?secret=${sample('upper', 32)}`],
    notMatch: () => ['otpauth://totp/x'],
  }),
]

const formed: readonly SecretRule[] = [
  marked({
    name: 'onepassword-secret-key',
    keywords: 'a3-',
    pattern:
      /(?<![A-Z0-9])A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}/g,
    match: () => [`A3-${sample('upper', 6)}-${sample('upper', 11)}-ABCD2-EFGH3-JKLM4`],
    notMatch: () => ['A3-paper'],
  }),
  marked({
    name: 'facebook-app-token',
    keywords: Array.from({ length: 10 }, (_, digit) => `${digit}| ${digit}%7c`).join(' '),
    pattern: /(?<!\d)\d{15,16}(?:\||%7C)[\w-]{27,40}/gi,
    match: () => [`1234567890123456|${sample('word', 27)}`],
    notMatch: () => ['1234567890123456|'],
  }),
  marked({
    name: 'harness-key',
    keywords: 'pat. sat.',
    pattern: /(?<![\w.])[ps]at\.[\w-]{22}\.\w{20,26}\.\w{20}(?!\w)/g,
    match: () => [`pat.${sample('word', 22)}.${sample('alnum', 24)}.${sample('alnum', 20)}`],
    notMatch: () => ['pat.x.y.z'],
  }),
  marked({
    name: 'vault-legacy-token',
    keywords: 's.',
    pattern: /(?<![\w.])s\.[A-Za-z0-9]{24}(?![\w.])/g,
    accepts: (value) => /\d/.test(value) && isRandom(value, 3.5),
    match: () => [`s.${sample('alnum', 24)}`],
    notMatch: () => ['s.makeKubeConfigControllers'],
  }),
  marked({
    name: 'telegram-bot-token',
    keywords: ':aa',
    pattern: /(?<!\d)\d{8,10}:AA[\w-]{32,35}/g,
    match: () => [`123456789:AA${sample('word', 33)}`],
    notMatch: () => ['12:AAA'],
  }),
  marked({
    name: 'discord-bot-token',
    keywords: Array.from('abcdefghijklmnopqrstuvwxyz0123456789_-', (end) => `${end}.`).join(' '),
    pattern: /(?<![\w-])[MNO][A-Za-z\d_-]{23,27}\.[\w-]{6}\.[\w-]{27,38}(?![\w-])/g,
    match: () => [`M${sample('alnum', 23)}.${sample('word', 6)}.${sample('word', 27)}`],
    notMatch: () => [`M${sample('alnum', 23)}.x.y`],
  }),
]

const base58 = '[1-9A-HJ-NP-Za-km-z]'
const base58Sample = (length: number, seed: number) =>
  sample('alnum', length, seed).replace(/[0OIl]/g, 'x')

const money: readonly SecretRule[] = [
  marked({
    name: 'bitcoin-private-key',
    keywords: '5h 5j 5k kw kx ky kz l1 l2 l3 l4 l5',
    pattern: new RegExp(
      `(?<![A-Za-z0-9])(?:5[HJK]${base58}{49}|(?:K[w-z]|L[1-5])${base58}{50})(?![A-Za-z0-9])`,
      'g',
    ),
    accepts: (value) => /\d/.test(value) && /[a-z]/.test(value) && isRandom(value, 4),
    match: () => [
      `5J${base58Sample(49, 3)}`,
      `Kx${base58Sample(50, 4)}`,
      `L3${base58Sample(50, 5)}`,
    ],
    notMatch: () => [`5J${base58Sample(48, 3)}`, `1${base58Sample(33, 6)}`, `K${'a'.repeat(51)}`],
  }),
  marked({
    name: 'extended-private-key',
    keywords: 'xprv yprv zprv tprv',
    pattern: new RegExp(`(?<![A-Za-z0-9])[xyzt]prv${base58}{100,112}(?![A-Za-z0-9])`, 'g'),
    match: () => [`xprv${base58Sample(107, 7)}`],
    notMatch: () => [`xpub${base58Sample(107, 7)}`],
  }),
  marked({
    name: 'paypal-token',
    keywords: 'access_token$',
    pattern: /access_token\$(?:production|sandbox)\$[a-z0-9]{13,20}\$[a-f0-9]{32}/g,
    match: () => [`access_token$production$${sample('lower', 16)}$${sample('hex', 32)}`],
    notMatch: () => ['access_token$production$', 'access_token$PAYPAL_TOKEN'],
  }),
  around({
    name: 'okta-token',
    keywords: 'ssws okta',
    pattern: /(?:\bSSWS\b|\bokta\b[^\n]{0,40}?)["'\s:=]{1,4}(00[\w-]{38,42})(?![\w-])/gi,
    accepts: (value) => isRandom(value, 3.5),
    match: () => [
      `SSWS 00${sample('word', 40)}`,
      `OKTA_API: 00${sample('alnum', 40)}`.replace('_API', ''),
    ],
    notMatch: () => ['SSWS 00', 'Okta 0049 30 901820'],
  }),
]

const databases: readonly SecretRule[] = [
  around({
    name: 'password-file-line',
    keywords: ':5432: :5433: :5434: :6432: :26257: :*:',
    pattern:
      /(?<![\w.:*-])[\w.*-]{1,100}:(?:5432|5433|5434|6432|26257|\*):[\w*-]{1,60}:[\w*.-]{1,60}:([^\s:"'<>]{6,200})(?=$|[\s"'])/gm,
    accepts: (value) => !isPlaceholder(value) && /[\d!@#$%^&*]/.test(value) && isRandom(value, 2.5),
    match: () => [
      `db.internal:5432:main:app:${sample('alnum', 14)}`,
      `*:*:*:app:${sample('alnum', 12)}7`,
    ],
    notMatch: () => ['db:5432:main:app:$PASSWORD', 'x.ts:5432:7:error', 'localhost:5432:5432'],
  }),
  marked({
    name: 'database-address',
    keywords: 'postgres mysql mariadb mongodb redis amqp mssql clickhouse',
    pattern:
      /\b(?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|rediss?|amqps?|mssql|clickhouse):\/\/[^\s:/@"'<>]{0,100}:([^\s/@"'<>]{6,200})@[\w.[-]/g,
    accepts: (value) =>
      !isPlaceholder(value) && isPassword(value) && !/^\d{2,5}[a-z.]+$/i.test(value),
    match: () => [`postgres://app:${sample('alnum', 12)}7@db.internal/x`],
    notMatch: () => ['postgres://app:$PASSWORD@db/x', 'redis://localhost:6379bob@example.org'],
  }),
]

const named: readonly SecretRule[] = [
  marked({
    name: 'mailchimp-key',
    keywords: '-us',
    pattern: /(?<![\da-f])[\da-f]{32}-us\d{1,2}(?!\d)/g,
    match: () => [`${sample('hex', 32)}-us12`],
    notMatch: () => [`${sample('hex', 32)}-use`],
  }),
  marked({
    name: 'airtable-token',
    keywords: 'pat',
    pattern: /(?<![A-Za-z0-9])pat[A-Za-z0-9]{14}\.[\da-f]{64}/g,
    match: () => [`pat${sample('alnum', 14)}.${sample('hex', 64)}`],
    notMatch: () => [`pat${sample('alnum', 14)}`],
  }),
  marked({
    name: 'azure-client-secret',
    keywords: 'q~',
    pattern: /(?<![\w~.-])[\w~.-]{3}\dQ~[\w~.-]{31,34}/g,
    match: () => [`abc8Q~${sample('alnum', 34)}`],
    notMatch: () => ['Q~ is a sign'],
  }),
  marked({
    name: 'azure-connection-string',
    keywords: 'accountkey= sharedaccesskey=',
    pattern: /(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{40,90}={0,2})/gi,
    match: () => [`AccountKey=${sample('base64', 86)}==`],
    notMatch: () => ['AccountKey='],
  }),
  marked({
    name: 'resend-key',
    keywords: 're_',
    pattern: /(?<![A-Za-z0-9])re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,30}/g,
    match: () => [`re_${sample('alnum', 8)}_${sample('alnum', 24)}`],
    notMatch: () => ['re_write_it'],
  }),
  marked({
    name: 'terraform-cloud-token',
    keywords: '.atlasv1.',
    pattern: /[A-Za-z0-9]{14}\.atlasv1\.[\w-]{40,80}/g,
    match: () => [`${sample('alnum', 14)}.atlasv1.${sample('word', 67)}`],
    notMatch: () => ['x.atlasv1.y'],
  }),
]

const files: readonly SecretRule[] = [
  around({
    name: 'key-assignment',
    keywords: 'key',
    pattern:
      /(?<=[a-z0-9][_-]?)(?<!(?:public|primary|foreign|cache|sort|partition|idempotency|object|storage|row|map|dict|pub|unique|lookup)[_-]?)key["']?(?:\s?:\s?string)?\s{0,3}(?::=|=>|=|:)\s{0,3}["'`]([\w+/=-]{20,120})["'`]/gi,
    accepts: (value) => isToken(value) && isRandom(value, 3.3),
    match: () => [`const HEROKU_KEY = "${sample('alnum', 30)}"`],
    notMatch: () => [`publicKey: "${sample('alnum', 30)}"`, 'key: "a-name-of-a-field-in-a-form"'],
  }),
  around({
    name: 'kubernetes-secret',
    keywords: 'secret',
    pattern:
      /\b(?=stringData|data)(?<=kind["']?\s{0,3}:\s{0,3}["']?Secret\b[\s\S]{0,600})(?:stringData|data)["']?\s{0,3}:\s{0,3}\{?\s{0,12}["']?[\w.-]{1,60}["']?\s?:\s{0,3}["']?(?:[|>]-?\s{1,12})?([A-Za-z0-9+/]{8,4000}={0,2})/g,
    match: () => [`kind: Secret\ndata:\n  password: ${sample('base64', 24)}`],
    notMatch: () => [
      'kind: Secret\nmetadata:\n  name: tls',
      'kind: ConfigMap\ndata:\n  key: dmFsdWU=',
    ],
  }),
  around({
    name: 'bundler-credential',
    keywords: 'contribsys',
    pattern: /contribsys[\w.]{0,10}[^\w\n]{1,10}([\da-f]{8}:[\da-f]{8})/gi,
    match: () => [`BUNDLE_ENTERPRISE__CONTRIBSYS__COM=${sample('hex', 8)}:${sample('hex', 8, 9)}`],
    notMatch: () => ['contribsys.com'],
  }),
]

const commands: readonly SecretRule[] = [
  around({
    name: 'password-flag',
    keywords: '--pass --token --secret --api-key --pwd sshpass --key --auth',
    pattern:
      /(?:--(?:[\w-]{0,20}(?:password|passwd|passphrase|token|secret|api-?key|pwd|access-key))[ =]|\bsshpass -p ?)["']?([^\s"']{6,400})/gi,
    accepts: (value) => isPassword(value) || isToken(value),
    match: () => [
      `login --password ${sample('alnum', 10)}1`,
      `sshpass -p ${sample('alnum', 9)}1 ssh x`,
    ],
    notMatch: () => ['login --password-stdin', 'login --token $TOKEN'],
  }),
  around({
    name: 'user-flag',
    keywords: 'curl mysql redis-cli docker htpasswd smbclient',
    pattern:
      /(?:\bcurl\b[^|]{0,300}? (?:-u|--user)[ =]?["']?[\w.@-]{0,60}:|\bmysql(?:dump)?\b[^\n]{0,100}? -p|\bredis-cli\b[^\n]{0,100}? -a |\bdocker login\b[^\n]{0,100}? -p ?|\bhtpasswd -\w{0,4}b\w{0,4} \S{1,80} \S{1,60} |\bsmbclient\b[^\n]{0,60}? -U ?[\w.\\-]{1,40}%|\bpasswd --stdin <<< ?["']?)([^\s"']{4,200})/g,
    accepts: isPassword,
    match: () => [`curl -u ann:${sample('alnum', 10)}1 https://example.org`],
    notMatch: () => ['curl -u ann https://example.org', 'mysql -p notes'],
  }),
  around({
    name: 'password-for-sudo',
    keywords: 'sudo',
    pattern:
      /\b(?:echo|printf)\s{1,3}(?:-\w{1,3}\s{1,3})?["']?([^\s"'|$]{4,80})["']?\s{0,3}\|\s{0,3}sudo\b[^\n|]{0,30}-\w?S/g,
    match: () => [`echo ${sample('alnum', 8)} | sudo -S apt update`],
    notMatch: () => ['echo hello | sudo tee /etc/motd', 'echo "$PW" | sudo -S ls'],
  }),
  around({
    name: 'netrc-line',
    keywords: 'machine identified',
    pattern:
      /(?:machine \S{1,100}\s{1,4}login \S{1,100}\s{1,4}password |identified by ["'])([^\s"']{4,200})/gi,
    accepts: isPassword,
    match: () => [`machine x.org login ann password ${sample('alnum', 12)}`],
    notMatch: () => ['machine learning login page password reset'],
  }),
  around({
    name: 'connection-string',
    keywords: 'password= pwd=',
    pattern:
      /(?:server|data source|host|user id|uid|database|dbname)=[^\n]{1,200}?(?:password|pwd)=["']?([^\s;"']{4,200})/gi,
    accepts: (value) => !isPlaceholder(value),
    match: () => [`Server=db;User Id=sa;Password=${sample('alnum', 10)};`],
    notMatch: () => ['Server=db;Password=$PW;'],
  }),
]

/** Every rule, the most telling first. */
export const secretRules: readonly SecretRule[] = [
  ...armour,
  ...bodies,
  ...keys,
  ...prefixed,
  ...formed,
  ...money,
  ...databases,
  ...named,
  ...headers,
  ...addresses,
  ...files,
  ...commands,
  ...assignments,
  ...sentences,
  ...tables,
  ...codes,
]
