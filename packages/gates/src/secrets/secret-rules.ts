import { labelledSecrets } from './labelled-secrets.ts'
import { isPassword, isPlaceholder, isRandom, isToken } from './placeholders.ts'
import { around, marked, type SecretRule, sample } from './secret-rule.ts'
import { vendorKeys } from './vendor-keys.ts'

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
  ...vendorKeys,
  ...databases,
  ...headers,
  ...addresses,
  ...files,
  ...commands,
  ...labelledSecrets,
]
