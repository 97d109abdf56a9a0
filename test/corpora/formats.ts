/** Draws from a seed. */
class Draw {
  #state: number

  constructor(seed: number) {
    this.#state = (seed * 2_654_435_761 + 97) >>> 0 || 1
  }

  /** A whole number below the limit. */
  below(limit: number): number {
    this.#state ^= this.#state << 13
    this.#state ^= this.#state >>> 17
    this.#state ^= this.#state << 5
    this.#state >>>= 0
    return this.#state % limit
  }

  one<T>(of: readonly T[]): T {
    return of[this.below(of.length)]!
  }

  text(alphabet: string, length: number): string {
    return Array.from({ length }, () => alphabet[this.below(alphabet.length)]).join('')
  }
}

const digits = '0123456789'
const small = 'abcdefghijklmnopqrstuvwxyz'
const large = small.toUpperCase()
const hexadecimal = `${digits}abcdef`
const mixed = small + large + digits
const base64 = `${mixed}+/`
const url = `${mixed}_-`

interface Format {
  /** The name of the variable that holds it. */
  name: string
  /** What a person calls it. */
  called: string
  make(draw: Draw): string
}

const format = (name: string, called: string, make: (draw: Draw) => string): Format => ({
  name,
  called,
  make,
})
const prefixed = (
  name: string,
  called: string,
  prefix: [string, string],
  alphabet: string,
  length: number,
) => format(name, called, (draw) => prefix.join('') + draw.text(alphabet, length))
const bare = (name: string, called: string, alphabet: string, length: number) =>
  format(name, called, (draw) => draw.text(alphabet, length))

const words =
  'river candle orbit maple thunder velvet harbor pixel lantern cobalt meadow saffron'.split(' ')

const marked: readonly Format[] = [
  prefixed('AWS_ACCESS_KEY_ID', 'AWS access key', ['AK', 'IA'], `${large}234567`, 16),
  prefixed('GITHUB_TOKEN', 'GitHub token', ['gh', 'p_'], mixed, 36),
  prefixed('GH_PAT', 'GitHub token', ['github_', 'pat_'], mixed, 82),
  prefixed('GITLAB_TOKEN', 'GitLab token', ['gl', 'pat-'], url, 20),
  prefixed('SLACK_BOT_TOKEN', 'Slack token', ['xo', 'xb-'], digits, 12),
  prefixed('STRIPE_SECRET_KEY', 'Stripe key', ['sk_', 'live_'], mixed, 24),
  prefixed('STRIPE_RESTRICTED', 'Stripe key', ['rk_', 'live_'], mixed, 99),
  prefixed('OPENAI_API_KEY', 'OpenAI key', ['sk-', 'proj-'], url, 120),
  prefixed('ANTHROPIC_API_KEY', 'Anthropic key', ['sk-', 'ant-api03-'], url, 95),
  prefixed('GOOGLE_API_KEY', 'Google key', ['AI', 'za'], url, 35),
  prefixed('GOOGLE_CLIENT_SECRET', 'Google client secret', ['GOC', 'SPX-'], url, 28),
  prefixed('NPM_TOKEN', 'npm token', ['np', 'm_'], mixed, 36),
  prefixed('PYPI_TOKEN', 'PyPI token', ['py', 'pi-AgEIcHlwaS5vcmc'], url, 130),
  prefixed('DOCKER_PAT', 'Docker token', ['dckr_', 'pat_'], url, 27),
  prefixed('DO_TOKEN', 'DigitalOcean token', ['dop_', 'v1_'], hexadecimal, 64),
  prefixed('HF_TOKEN', 'Hugging Face token', ['h', 'f_'], small + large, 34),
  prefixed('VAULT_TOKEN', 'Vault token', ['hv', 's.'], url, 90),
  prefixed('SENDGRID_API_KEY', 'SendGrid key', ['S', 'G.'], url, 22),
  prefixed('SHOPIFY_TOKEN', 'Shopify token', ['shp', 'at_'], hexadecimal, 32),
  prefixed('TWILIO_API_KEY', 'Twilio key', ['S', 'K'], hexadecimal, 32),
  prefixed('DATABRICKS_TOKEN', 'Databricks token', ['da', 'pi'], hexadecimal, 32),
  prefixed('LINEAR_API_KEY', 'Linear key', ['lin_', 'api_'], mixed, 40),
  prefixed('NOTION_TOKEN', 'Notion token', ['nt', 'n_'], mixed, 46),
  prefixed('TAILSCALE_KEY', 'Tailscale key', ['tskey-', 'auth-'], mixed, 40),
]

const alsoMarked: readonly Format[] = [
  prefixed('GRAFANA_TOKEN', 'Grafana token', ['gl', 'sa_'], mixed, 41),
  prefixed('FIGMA_TOKEN', 'Figma token', ['fi', 'gd_'], url, 40),
  prefixed('GROQ_API_KEY', 'Groq key', ['gs', 'k_'], mixed, 52),
  prefixed('XAI_API_KEY', 'xAI key', ['xa', 'i-'], mixed, 80),
  prefixed('PERPLEXITY_KEY', 'Perplexity key', ['pp', 'lx-'], mixed, 48),
  prefixed('SUPABASE_KEY', 'Supabase key', ['sbp', '_'], hexadecimal, 40),
  prefixed('POSTMAN_KEY', 'Postman key', ['PM', 'AK-'], hexadecimal, 59),
  prefixed('NEW_RELIC_KEY', 'New Relic key', ['NR', 'AK-'], large + digits, 27),
  prefixed('RESEND_KEY', 'Resend key', ['re', '_'], mixed, 8),
  format(
    'TELEGRAM_BOT_TOKEN',
    'bot token',
    (d) => `${d.text('123456789', 10)}:A${'A'}${d.text(url, 33)}`,
  ),
  format(
    'DISCORD_TOKEN',
    'Discord bot token',
    (d) => `M${d.text(mixed, 25)}.${d.text(mixed, 6)}.${d.text(url, 38)}`,
  ),
  format(
    'JWT',
    'session token',
    (d) => `ey${'J'}${d.text(mixed, 33)}.ey${'J'}${d.text(mixed, 90)}.${d.text(url, 43)}`,
  ),
  format(
    'SLACK_WEBHOOK',
    'web hook',
    (d) =>
      `https://hooks.slack.com/${'services'}/T${d.text(large, 10)}/B${d.text(large, 10)}/${d.text(mixed, 24)}`,
  ),
  format(
    'MAILCHIMP_KEY',
    'Mailchimp key',
    (d) => `${d.text(hexadecimal, 32)}-u${'s'}${d.below(20) + 1}`,
  ),
]

const unmarked: readonly Format[] = [
  bare('AWS_SECRET_ACCESS_KEY', 'AWS secret access key', base64, 40),
  bare('AZURE_CLIENT_SECRET', 'client secret', `${mixed}~_-`, 40),
  bare('CLOUDFLARE_API_TOKEN', 'Cloudflare API token', url, 40),
  bare('HEROKU_API_KEY', 'Heroku API key', hexadecimal, 36),
  bare('DATADOG_API_KEY', 'Datadog API key', hexadecimal, 32),
  bare('MISTRAL_API_KEY', 'Mistral API key', mixed, 32),
  bare('COHERE_API_KEY', 'Cohere API key', mixed, 40),
  bare('ALGOLIA_ADMIN_KEY', 'Algolia admin key', hexadecimal, 32),
  bare('TWILIO_AUTH_TOKEN', 'Twilio auth token', hexadecimal, 32),
  bare('SESSION_SECRET', 'session secret', mixed, 64),
  bare('DJANGO_SECRET_KEY', 'secret key', `${small}${digits}!@#$%^&*(-_=+)`, 50),
  bare('JWT_SECRET', 'signing secret', base64, 44),
  bare('ENCRYPTION_KEY', 'encryption key', hexadecimal, 64),
  bare('WEBHOOK_SECRET', 'webhook secret', hexadecimal, 40),
  bare('BITBUCKET_CLIENT_SECRET', 'client secret', mixed, 32),
  bare('DROPBOX_APP_SECRET', 'app secret', small + digits, 15),
  bare('SPOTIFY_CLIENT_SECRET', 'client secret', hexadecimal, 32),
  bare('ACCESS_TOKEN', 'access token', url, 60),
  bare('REFRESH_TOKEN', 'refresh token', url, 80),
  bare('S3_SECRET_KEY', 'S3 secret key', base64, 40),
]

const passwords: readonly Format[] = [
  format('DB_PASSWORD', 'database password', (d) => d.text(mixed, 16)),
  format('POSTGRES_PASSWORD', 'Postgres password', (d) => `${d.one(words)}${d.text(digits, 4)}!`),
  format(
    'MYSQL_ROOT_PASSWORD',
    'root password',
    (d) => `${d.text(small, 4)}${d.text(digits, 2)}${d.text(large, 4)}#`,
  ),
  format('SMTP_PASSWORD', 'mail password', (d) =>
    [1, 2, 3, 4].map(() => d.text(small, 4)).join(''),
  ),
  format(
    'ADMIN_PASSWORD',
    'admin password',
    (d) => `${d.one(words)}-${d.one(words)}-${d.text(digits, 2)}`,
  ),
  format('REDIS_PASSWORD', 'Redis password', (d) => d.text(mixed, 32)),
  format(
    'WIFI_PASSWORD',
    'Wi-Fi password',
    (d) => `${d.text(large, 1)}${d.text(small, 6)}${d.text(digits, 3)}`,
  ),
  format('LDAP_BIND_PASSWORD', 'bind password', (d) => `${d.text(mixed, 10)}$${d.text(mixed, 3)}`),
  format('VPN_PASSWORD', 'VPN password', (d) => d.text(`${mixed}!?%&+`, 14)),
  format(
    'KEYSTORE_PASSWORD',
    'keystore password',
    (d) => `${d.one(words)}${d.one(words)}${d.text(digits, 3)}`,
  ),
]

/** All that is one value. */
export const formats: readonly Format[] = [...marked, ...alsoMarked, ...unmarked, ...passwords]

type Place = (value: string, format: Format, draw: Draw) => string

const camel = (name: string) =>
  name.toLowerCase().replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
const snake = (name: string) => name.toLowerCase()
const isPassword = ({ name }: Format) => name.endsWith('PASSWORD')

const places: Record<string, Place> = {
  'a file of settings': (value, { name }) => `NODE_ENV=production\n${name}=${value}\nPORT=8080\n`,
  'an export': (value, { name }) => `export ${name}="${value}"\nmake deploy`,
  YAML: (value, { name }) => `service:\n  region: eu-central-1\n  ${snake(name)}: ${value}\n`,
  JSON: (value, { name }) =>
    `{\n  "region": "eu",\n  "${camel(name)}": ${JSON.stringify(value)}\n}`,
  TOML: (value, { name }) => `[service]\n${snake(name)} = "${value}"\nretries = 3\n`,
  TypeScript: (value, { name }) =>
    `const ${camel(name)} = '${value}'\nclient.connect(${camel(name)})`,
  Python: (value, { name }) => `${name} = "${value}"\nclient = Client(${name})`,
  'a letter': (value, { called }) =>
    `Hi Bob,\nthe ${called} for the new server is ${value}\nPlease keep it to yourself.\nAnn`,
  'a chat': (value, { called }) => `${called}: ${value}`,
  'a note in Org': (value, { name, called }) =>
    `* ${called} of the shop\n:PROPERTIES:\n:${name}: ${value}\n:END:\nRenew it in May.`,
  'a log': (value, { name }) =>
    `2026-11-22T10:15:00Z INFO starting with ${snake(name)}=${value} in region eu-central-1`,
  'a command': (value, format) =>
    isPassword(format)
      ? `mysql -u root -p${value} shop`
      : `curl -H "Authorization: Bearer ${value}" https://api.example.org/v1/me`,
  'an address': (value, format) =>
    isPassword(format)
      ? `postgres://shop:${encodeURIComponent(value)}@db.example.org:5432/shop`
      : `https://api.example.org/v1/items?${snake(format.name)}=${encodeURIComponent(value)}&page=2`,
  Compose: (value, { name }) =>
    `    environment:\n      - TZ=Europe/Berlin\n      - ${name}=${value}\n`,
}

const dashes = '-'.repeat(5)
const pem = (label: string, rows: number) => (d: Draw) =>
  [
    `${dashes}BEGIN ${label}${dashes}`,
    ...Array.from({ length: rows }, () => d.text(base64, 64)),
    `${d.text(base64, 30)}==`,
    `${dashes}END ${label}${dashes}`,
  ].join('\n')
const uuid = (d: Draw) => [8, 4, 4, 4, 12].map((length) => d.text(hexadecimal, length)).join('-')
const human = (d: Draw) =>
  `${d.one(words)}${d.text(digits, 3)}${d.one(['!', '#', '$', '%'])}${d.text(large, 2)}`
const inBase64 = (text: string) => Buffer.from(text).toString('base64')

const forms: Record<string, (d: Draw) => string> = {
  'RSA key': pem(`RSA PRIVATE ${'KEY'}`, 12),
  'PKCS8 key': pem(`PRIVATE ${'KEY'}`, 8),
  'EC key': pem(`EC PRIVATE ${'KEY'}`, 2),
  'OpenSSH key': pem(`OPENSSH PRIVATE ${'KEY'}`, 5),
  'encrypted key': pem(`ENCRYPTED PRIVATE ${'KEY'}`, 9),
  'PGP key': (d) =>
    pem(`PGP PRIVATE KEY ${'BLOCK'}`, 9)(d).replace('\n', '\nVersion: GnuPG v2\n\n'),
  'service account': (d) =>
    `{"type": "service_account", "private_key_id": "${d.text(hexadecimal, 40)}", "private_key": "${dashes}BEGIN PRIVATE ${'KEY'}${dashes}\\n${d.text(base64, 64)}\\n${d.text(base64, 64)}\\n"}`,
  kubeconfig: (d) =>
    `users:\n- name: admin\n  user:\n    client-key-data: ${inBase64(`${dashes}BEGIN RSA PRIVATE ${'KEY'}${dashes}\n${d.text(base64, 64)}`)}`,
  'kubeconfig token': (d) => `users:\n- name: bot\n  user:\n    token: ${d.text(mixed, 64)}`,
  npmrc: (d) => `//registry.example.org/:_auth${'Token'}=${uuid(d)}`,
  'npmrc password': (d) => `//registry.example.org/:_pass${'word'}=${inBase64(human(d))}`,
  'Docker login': (d) =>
    `{"auths": {"registry.example.org": {"auth": "${inBase64(`ann:${human(d)}`)}"}}}`,
  netrc: (d) => `machine git.example.org\n  login ann\n  pass${'word'} ${human(d)}`,
  pgpass: (d) => `db.example.org:5432:shop:ann:${human(d)}`,
  htpasswd: (d) => `ann:$apr${'1'}$${d.text(mixed, 8)}$${d.text(mixed, 22)}`,
  shadow: (d) => `ann:$${'y'}$j9T$${d.text(mixed, 22)}$${d.text(mixed, 43)}:19700:0:99999:7:::`,
}

const statements: Record<string, (d: Draw) => string> = {
  JDBC: (d) => `jdbc:postgresql://db.example.org/shop?user=ann&pass${'word'}=${d.text(mixed, 14)}`,
  ODBC: (d) => `Driver={ODBC Driver 18};Server=db;Database=shop;Uid=ann;P${'wd'}=${human(d)};`,
  MongoDB: (d) => `mongodb+srv${'://'}ann:${d.text(mixed, 16)}@cluster0.example.net/shop`,
  AMQP: (d) => `amqps${'://'}ann:${d.text(mixed, 20)}@mq.example.org/vhost`,
  'Azure storage': (d) =>
    `DefaultEndpointsProtocol=https;AccountName=shop;Account${'Key'}=${d.text(base64, 86)}==;EndpointSuffix=core.windows.net`,
  'Azure SAS': (d) =>
    `https://shop.blob.core.windows.net/a/b.csv?sv=2024-11-04&sr=b&sp=r&se=2027-01-01&sig=${encodeURIComponent(`${d.text(base64, 43)}=`)}`,
  'signed address': (d) =>
    `https://bucket.s3.amazonaws.com/a.csv?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Expires=900&X-Amz-Signature=${d.text(hexadecimal, 64)}`,
  SQL: (d) => `ALTER USER ann WITH ENCRYPTED PASS${'WORD'} '${human(d)}';`,
  'SQL of MySQL': (d) => `CREATE USER 'ann'@'%' IDENTIFIED ${'BY'} '${human(d)}';`,
  'Spring properties': (d) =>
    `spring.datasource.url=jdbc:mysql://db/shop\nspring.datasource.pass${'word'}=${d.text(mixed, 12)}`,
  XML: (d) => `<server><username>ann</username><pass${'word'}>${human(d)}</pass${'word'}></server>`,
  Dockerfile: (d) => `FROM node:26\nENV API_${'KEY'} ${d.text(mixed, 32)}\nRUN npm ci`,
  Terraform: (d) =>
    `resource "db" "shop" {\n  username = "ann"\n  pass${'word'} = "${human(d)}"\n}`,
  PowerShell: (d) => `$p = ConvertTo-Secure${'String'} "${human(d)}" -AsPlainText -Force`,
  wpa_supplicant: (d) => `network={\n  ssid="Garden"\n  p${'sk'}="${human(d)}"\n}`,
  WireGuard: (d) => `[Interface]\nPrivate${'Key'} = ${d.text(base64, 43)}=\nAddress = 10.0.0.2/32`,
  sshpass: (d) => `ssh${'pass'} -p '${human(d)}' ssh ann@host.example.org`,
  'curl with a user': (d) => `curl -u ann:${human(d).replace('$', '+')} https://api.example.org/`,
}

const writtenDown: Record<string, (d: Draw) => string> = {
  'basic header': (d) => `Authorization: Bas${'ic'} ${inBase64(`ann:${human(d)}`)}`,
  cookie: (d) => `Cookie: session${'id'}=${d.text(small + digits, 32)}; theme=dark`,
  'one-time secret': (d) =>
    `otpauth${'://'}totp/Shop:ann?secret=${d.text(`${large}234567`, 32)}&issuer=Shop`,
  'recovery codes': (d) =>
    `Recovery ${'codes'}:\n${[1, 2, 3, 4].map(() => `${d.text(small + digits, 5)}-${d.text(small + digits, 5)}`).join('\n')}`,
  'seed phrase': (d) =>
    `Seed ${'phrase'}: ${Array.from({ length: 12 }, () => d.one(words)).join(' ')}`,
  PIN: (d) => `The P${'IN'} of the card is ${d.text(digits, 4)}`,
  'table of Org': (d) =>
    `| site | user | pass${'word'} |\n|------+------+----------|\n| shop | ann  | ${human(d)} |`,
  'login line': (d) => `user: ann / p${'w'}: ${human(d)}`,
  'German letter': (d) => `das Pass${'wort'} für das WLAN lautet ${human(d)}`,
  age: (d) => `AGE-SECRET-${'KEY-1'}${d.text('QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L', 58)}`,
}

const around: Record<string, (text: string) => string> = {
  alone: (text) => text,
  'in a letter': (text) => `Hi Bob, as promised:\n\n${text}\n\nSee you on Monday.\nAnn`,
  'in a block of Org': (text) => `* Setup\n#+begin_example\n${text}\n#+end_example\n`,
}

/** A text with a secret in it. */
interface SecretText {
  format: string
  place: string
  text: string
}

/** One half of the formats in all places. */
export function secretTexts(half: 'tuned' | 'held out', seed: number): SecretText[] {
  const draw = new Draw(seed)
  const isOwn = (_: unknown, at: number) => (at % 2 === 0) === (half === 'tuned')
  const shaped = Object.entries({ ...forms, ...statements, ...writtenDown })
    .filter(isOwn)
    .flatMap(([format, make]) =>
      Object.entries(around).map(([place, put]) => ({ format, place, text: put(make(draw)) })),
    )
  const valued = formats.filter(isOwn).flatMap((format) =>
    Object.entries(places).map(([place, put]) => {
      const value = completed(format, format.make(draw), draw)
      return { format: format.name, place, text: put(value, format, draw) }
    }),
  )
  return [...valued, ...shaped]
}

/** Three issuers put several parts into one key. */
function completed({ name }: Format, value: string, draw: Draw): string {
  if (name === 'SLACK_BOT_TOKEN') return `${value}-${draw.text(digits, 13)}-${draw.text(mixed, 24)}`
  if (name === 'SENDGRID_API_KEY') return `${value}.${draw.text(url, 43)}`
  return name === 'RESEND_KEY' ? `${value}_${draw.text(mixed, 24)}` : value
}

type Look = (draw: Draw) => string

const looks: readonly Look[] = [
  (d) => `commit ${d.text(hexadecimal, 40)}\nAuthor: Ann <ann@example.org>`,
  (d) => `COPY --from=build@sha256:${d.text(hexadecimal, 64)} /app /app`,
  (d) => `"integrity": "sha512-${d.text(base64, 86)}==",`,
  (d) =>
    `"resolved": "https://registry.example.org/left-pad/-/left-pad-1.3.0.tgz#${d.text(hexadecimal, 40)}"`,
  (d) => `request_id=${uuid(d)} user_id=${uuid(d)} status=200`,
  (d) => `trace_id: ${d.text(hexadecimal, 32)}\nspan_id: ${d.text(hexadecimal, 16)}`,
  (d) => `background: url(data:image/png;base64,iVBORw0KGgo${d.text(base64, 200)}=);`,
  (d) =>
    `!function(e,t){var n=${d.text(small, 1)};return ${d.text(small, 2)}.${d.text(small, 4)}(e[${d.below(99)}],t)}(this,0);`,
  (d) =>
    `.${d.text(small, 6)}-${d.text(mixed, 5)}{color:#${d.text(hexadecimal, 6)};margin:${d.below(40)}px}`,
  (d) =>
    `auth.password.${d.one(['required', 'too_short', 'reset_link'])}: "Please enter your password"`,
  (d) =>
    `ISBN 978-${d.below(9)}-${d.text(digits, 3)}-${d.text(digits, 5)}-${d.below(9)}, call +49 30 ${d.text(digits, 7)}`,
  () =>
    `AWS_ACCESS_KEY_ID=AKIAIOSFODNN7${'EXAMPLE'}\nAWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCY${'EXAMPLEKEY'}`,
  (d) => `${d.one(formats).name}=your-${d.one(words)}-here`,
  (d) => `${d.one(formats).name}=\${${d.one(formats).name}}`,
  (d) => `${d.one(formats).name}=<${d.one(words)}>`,
  (d) => `${snake(d.one(formats).name)}: "{{ vault_${d.one(words)} }}"`,
  (d) => `const ${camel(d.one(formats).name)} = process.env.${d.one(formats).name}`,
  (d) => `${d.one(formats).name} = os.environ["${d.one(formats).name}"]`,
]

const mentions: readonly Look[] = [
  (d) => `${snake(d.one(formats).name)}: !secret ${d.one(words)}_${d.one(words)}`,
  (d) => `secretKeyRef:\n  name: ${d.one(words)}-credentials\n  key: ${snake(d.one(formats).name)}`,
  (d) => `password = getpass.getpass("Password for ${d.one(words)}: ")`,
  (d) => `if (!token || token.length < ${d.below(60) + 8}) throw new Error('Invalid token')`,
  (d) => `type ${d.one(['Token', 'Secret', 'Password'])} = { value: string; expiresAt: number }`,
  (d) => `The ${d.one(formats).called} is kept in the ${d.one(words)} vault; ask Ann.`,
  (d) => `Rotate the ${d.one(formats).called} every ${d.below(80) + 10} days.`,
  (d) => `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${d.text(base64, 43)} ann@${d.one(words)}`,
  (d) => `/nix/store/${d.text(small + digits, 32)}-${d.one(words)}-1.${d.below(20)}.0/bin`,
  (d) => `etag: "${d.text(hexadecimal, 32)}"\nx-request-id: ${d.text(mixed, 24)}`,
  (d) => `https://www.example.org/watch?v=${d.text(url, 11)}&list=PL${d.text(url, 32)}`,
  (d) => `https://docs.example.org/d/${d.text(url, 44)}/edit#gid=${d.text(digits, 9)}`,
  (d) =>
    `"cursor": "${Buffer.from(`{"id":${d.text(digits, 9)}}`).toString('base64')}", "hasNextPage": true`,
  (d) => `order no. ${d.text(large, 2)}-${d.text(digits, 8)}, tracking ${d.text(digits, 20)}`,
  (d) => `:ID: ${uuid(d)}\n:CUSTOM_ID: ${d.one(words)}-${d.one(words)}`,
  (d) => `sha256sum: ${d.text(hexadecimal, 64)}  ${d.one(words)}.tar.gz`,
  (d) => `yarn.lock: checksum: 10/${d.text(hexadecimal, 128)}`,
  (d) => `go.sum: github.com/x/${d.one(words)} v1.2.3 h1:${d.text(base64, 43)}=`,
  (d) => `--password-file /run/${d.one(words)}.txt --token-url https://id.example.org/oauth/token`,
  (d) => `passwords must have ${d.below(10) + 8} characters, 1 digit and 1 sign`,
  (d) =>
    `expect(parse("password=hunter2")).toEqual({ password: "${d.one(['secret', 'test', 'hunter2'])}" })`,
]

const nearMisses: readonly Look[] = [
  (d) =>
    `Windows 11 Pro, serial ${[1, 2, 3, 4, 5].map(() => d.text(large + digits, 5)).join('-')}, box 3`,
  (d) =>
    `${dashes}BEGIN CERTIFICATE${dashes}\n${d.text(base64, 64)}\n${d.text(base64, 64)}\n${dashes}END CERTIFICATE${dashes}`,
  (d) =>
    `${dashes}BEGIN PUBLIC KEY${dashes}\n${d.text(base64, 64)}\n${dashes}END PUBLIC KEY${dashes}`,
  (d) => `[Peer]\nPublicKey = ${d.text(base64, 43)}=\nAllowedIPs = 10.0.0.0/24`,
  (d) => `postgres://${d.one(words)}@db.example.org:5432/shop and redis://cache:6379/0`,
  (d) =>
    `https://user:password@${d.one(words)}.example.org/ is how an address with a password looks`,
  (d) =>
    `docker run -e POSTGRES_PASSWORD=${d.one(['postgres', 'password', 'secret', 'changeme', 'example'])} postgres:17`,
  (d) => `kubectl create secret generic ${d.one(words)}-tls --from-file=tls.key`,
  (d) =>
    `<input type="password" id="${d.one(words)}-password" placeholder="Password" autocomplete="new-password">`,
  (d) =>
    `pass: ${d.below(900)}, fail: ${d.below(9)}, skipped: ${d.below(9)}; tokens: ${d.below(90000)}`,
  (d) =>
    `{"access_token_ttl": ${d.below(9999)}, "token_endpoint": "https://id.example.org/token", "refresh": true}`,
  (d) => `public key fingerprint SHA256:${d.text(base64, 43)} (ED25519)`,
  (d) =>
    `Passkey login with ${d.one(words)} failed at 2026-11-${d.below(18) + 10}T10:${d.below(50) + 10}:00Z`,
  (d) => `VITE_PUBLIC_KEY=pk_${'live_'}${d.text(mixed, 24)}`,
  (d) =>
    `client_id: ${d.text(digits, 12)}-${d.text(small + digits, 32)}.apps.googleusercontent.com`,
  (d) => `export const TOKEN_KEY = '${d.one(words)}.${d.one(words)}.token'`,
  (d) => `| password | at least ${d.below(9) + 8} characters | required |`,
  (d) => `git checkout -b fix/${d.one(words)}-token-refresh-${d.below(9999)}`,
  (d) => `bitcoin address bc1q${d.text(small + digits, 38)}, block ${d.text(digits, 6)}`,
  () => `msgid "Your password is too short."\nmsgstr "Ihr Passwort ist zu kurz."`,
  (d) =>
    `${d.one(words)} key: ${d.one(['Ctrl-C', 'F5', 'Alt+Enter', 'Escape'])} opens the ${d.one(words)} menu`,
]

const allLooks: readonly Look[] = [...looks, ...mentions, ...nearMisses]

/** Texts without a secret, as many as asked for. */
export function lookAlikes(count: number, seed: number): string[] {
  const draw = new Draw(seed)
  return Array.from({ length: count }, (_, at) => allLooks[at % allLooks.length]!(draw))
}
