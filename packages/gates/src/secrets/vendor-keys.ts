import { z } from 'zod'
import { readRules } from '../paths/rule-table.ts'
import { isRandom } from './placeholders.ts'
import { type Alphabet, around, marked, type SecretRule, sample } from './secret-rule.ts'

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

const prefixed: readonly SecretRule[] = readRules('vendor-keys', table, cells, (row) => {
  const { name, letters, least, most } = row
  const prefixes = row['begins with'].split(' ')
  return ruleOf({ name, prefixes, letters, least, most: most === '' ? least : most })
})

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

/** The rules for the keys of vendors. */
export const vendorKeys: readonly SecretRule[] = [...prefixed, ...formed, ...money, ...named]
