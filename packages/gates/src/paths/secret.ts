import { z } from 'zod'
import {
  componentsOf,
  hasPattern,
  matcherOf,
  type PathPlaces,
  type PathReader,
  pathForms,
  perPlaces,
} from './paths.ts'
import { type RuleExamples, readRules } from './rule-table.ts'
import { type IndexedRule, indexRules, type RuleMatch } from './rules.ts'

/** Plain: read it. Private: ask. Secret: refuse. */
export type ReadLevel = 'plain' | 'private' | 'secret'

/** What reading a path would be, and by which rule. */
interface ReadJudgment {
  level: ReadLevel
  rule: string
}

const plain: ReadJudgment = { level: 'plain', rule: 'paths.plain' }
const exception: ReadJudgment = { level: 'plain', rule: 'paths.public' }

interface PathRule extends RuleExamples {
  level: ReadLevel
  /** Sequences of components, separated by blanks; a trailing slash includes what is below. */
  names: string
}

const cells = z.strictObject({
  rule: z.string(),
  level: z.enum(['plain', 'private', 'secret']),
  names: z.string(),
})

const table = `
| rule        | level  | names                                                      | examples                         |
|-------------+--------+------------------------------------------------------------+----------------------------------|
| keys        | secret | .ssh/ .gnupg/ .password-store/ id_rsa id_dsa id_ecdsa      | ~/.ssh/id_rsa                    |
|             |        | id_ed25519 id_ecdsa_sk id_ed25519_sk ssh_host_*_key *.kdbx | ~/.gnupg/secring.gpg             |
|             |        | *.kdb *.ppk *.p8 *.p12 *.pfx *.pkcs12 *.ovpn *.jks *.bcfks | server.key                       |
|             |        | *.keystore *.1pux *.keychain *.keychain-db *.key           | /mnt/old/root/.ssh/x             |
|             |        | privkey*.pem *private*.pem *key.pem private-key*           | ! id_rsa.md                      |
|             |        | private_key* wallet.dat .electrum/ .bitcoin/ .ethereum/    | ! keyboard.org                   |
|             |        | keychains/ .local/share/keyrings/ .config/age/ .age/       | ! docs/ssh.org                   |
|             |        | krb5.keytab *.keytab ssl/private/ etc/wireguard/           | ! /usr/share/keyrings/docker.gpg |
|             |        |                                                            | ! slides.key                     |
|-------------+--------+------------------------------------------------------------+----------------------------------|
| credentials | secret | .netrc _netrc .authinfo .authinfo.gpg .pgpass .my.cnf      | .env                             |
|             |        | .mylogin.cnf .git-credentials .vault-token                 | .env.production                  |
|             |        | .config/git/credentials .aws/ .azure/ .kube/ .oci/         | ~/.aws/credentials               |
|             |        | .config/gcloud/ .config/gh/ .config/hub                    | ../.netrc                        |
|             |        | .docker/config.json .dockercfg .config/op/ .config/rclone/ | /run/secrets/db                  |
|             |        | .config/doctl/ .cargo/credentials .cargo/credentials.toml  | google-credentials.json          |
|             |        | .gem/credentials .m2/settings-security.xml .pypirc .s3cfg  | deploy_key                       |
|             |        | .boto .terraform.d/credentials.tfrc.json                   | .dev.vars                        |
|             |        | .composer/auth.json .config/composer/auth.json .htpasswd   | ! environment.org                |
|             |        | credentials.json client_secret*.json service-account*.json | ! env.ts                         |
|             |        | service_account*.json application_default_credentials.json | ! credentials.md                 |
|             |        | .env .env.* *.env secrets.env secrets.yml secrets.yaml     | ! .envoy.yaml                    |
|             |        | secrets.json secrets.toml master.key run/secrets/          | ! secrets.md                     |
|             |        | .config/configstore/ .subversion/auth/ .config/bitwarden*/ | ! deploy_key.md                  |
|             |        | .config/keybase/ .thunderbird/ .config/sops/               | ! deploy_key.pub                 |
|             |        | .chatgpt_token .anthropic/ aws_credentials                 | ! credentials-policy.json        |
|             |        | *-credentials.json *_credentials.json token.pickle         | ! vars.dev                       |
|             |        | .dev.vars deploy_key sftp-config.json .config/filezilla/   |                                  |
|             |        | filezilla.xml sitemanager.xml                              |                                  |
|-------------+--------+------------------------------------------------------------+----------------------------------|
| system      | secret | etc/shadow etc/shadow- etc/gshadow etc/gshadow-            | /etc/ipsec.secrets               |
|             |        | etc/sudoers etc/sudoers.d/ etc/master.passwd               | /etc/rancher/k3s/k3s.yaml        |
|             |        | etc/security/opasswd                                       | /etc/shadow                      |
|             |        | etc/networkmanager/system-connections/                     | /host/etc/shadow                 |
|             |        | etc/letsencrypt/live/ etc/letsencrypt/archive/             | /etc/sudoers.d/ann               |
|             |        | etc/ppp/chap-secrets etc/ppp/pap-secrets etc/openvpn/      | ! src/shadow                     |
|             |        | var/lib/private/ etc/credstore/ etc/kubernetes/            | ! shadow.css                     |
|             |        | var/run/secrets/ config/sam etc/rancher/ etc/ipsec.secrets | ! /etc/hostname                  |
|             |        | etc/ipsec.d/private/ wpa_supplicant*.conf tailscaled.state | ! /etc/os-release                |

| rule      | level  | names                                                      | examples                                |
|-----------+--------+------------------------------------------------------------+-----------------------------------------|
| browsers  | secret | .mozilla/ .config/google-chrome*/ .config/chromium/        | ~/.mozilla/firefox/x/cookies.sqlite     |
|           |        | .config/bravesoftware/ .config/microsoft-edge*/            | ~/.config/google-chrome/Default/Cookies |
|           |        | .config/vivaldi/ .config/opera/ .librewolf/ snap/firefox/  | ! ~/memex/firefox.org                   |
|           |        | snap/chromium/ library/application?support/google/         | ! chromium.md                           |
|           |        | library/application?support/firefox/ library/cookies/      |                                         |
|           |        | cookies.sqlite logins.json key4.db key3.db signons.sqlite  |                                         |
|           |        | login?data                                                 |                                         |
|-----------+--------+------------------------------------------------------------+-----------------------------------------|
| processes | secret | proc/*/environ proc/*/mem proc/*/maps proc/*/fd/           | /proc/self/environ                      |
|           |        | proc/*/root/ proc/*/cwd/ proc/*/fdinfo/                    | /proc/1/root/etc/passwd                 |
|           |        | proc/*/task/*/environ proc/*/task/*/mem                    | /dev/sda1                               |
|           |        | proc/*/task/*/root/ proc/*/task/*/fd/ proc/kcore           | /dev/input/event0                       |
|           |        | proc/*/task/*/cwd/ dev/tcp/ dev/udp/ proc/*/auxv           | ! /proc/cpuinfo                         |
|           |        | proc/*/stack proc/kallsyms proc/*/cmdline dev/mem dev/kmem | ! /proc/meminfo                         |
|           |        | dev/port dev/input/ dev/sd* dev/hd* dev/vd* dev/xvd*       | ! /dev/null                             |
|           |        | dev/nvme* dev/mmcblk* dev/disk/ dev/mapper/ dev/dm-*       | ! /dev/stdin                            |

| rule        | level   | names                                                      | examples                  |
|-------------+---------+------------------------------------------------------------+---------------------------|
| accounts    | private | etc/passwd etc/passwd- etc/group etc/group- var/mail/      | /etc/passwd               |
|             |         | var/spool/mail/ maildir/ .maildir/ var/log/auth.log*       | /var/run/docker.sock      |
|             |         | var/log/secure* var/log/audit/ var/lib/docker/             | ! passwd.org              |
|             |         | run/docker.sock var/run/docker.sock run/user/ etc/crypttab | ! docs/root.md            |
|             |         | etc/exports etc/krb5.conf etc/pam.d/                       | ! /var/log/syslog         |
|-------------+---------+------------------------------------------------------------+---------------------------|
| histories   | private | .bash_history .zsh_history .histfile .sh_history .history  | ~/.bash_history           |
|             |         | .python_history .psql_history .mysql_history               | /home/bob/.zsh_history    |
|             |         | .sqlite_history .node_repl_history .irb_history            | ! history.org             |
|             |         | .rediscli_history .local/share/fish/fish_history .lesshst  | ! docs/bash_history.md    |
|             |         | .viminfo .wget-hsts .recently-used.xbel                    |                           |
|-------------+---------+------------------------------------------------------------+---------------------------|
| maybe       | private | *.pem *.crt.key .npmrc .yarnrc.yml .envrc .git/config      | server.pem                |
|             |         | *.tfstate terraform.tfstate* *.tfvars .m2/settings.xml     | .npmrc                    |
|             |         | .gradle/gradle.properties .bundle/config .config/nix/      | terraform.tfstate         |
|             |         | .direnv/ .secrets/ secrets/ .secret *.secret .token        | .git/config               |
|             |         | token.txt password* passwords* auth.json .docker/          | id_rsa_work               |
|             |         | .config/helm/ wp-config.php .config/fish/fish_variables    | .token                    |
|             |         | config/database.yml vault/ .vault/ backup*.sql dump*.sql   | gcp-key.json              |
|             |         | id_rsa_* id_dsa_* id_ecdsa_* id_ed25519_*                  | env.production            |
|             |         | gcp-key*.json gcp_key*.json kaggle.json                    | group_vars/all/vault.yml  |
|             |         | key.properties appsettings.*.json env.production env.local | minisign.sec              |
|             |         | env.staging api_key.txt api-key.txt apikey.txt             | ! secretary.org           |
|             |         | credentials.xml identity.age minisign.sec minisign.key     | ! tokens.css              |
|             |         | group_vars/*/vault.yml host_vars/*/vault.yml               | ! src/password/index.ts/x |
|             |         | secrets.enc.yaml secrets.enc.yml secrets.enc.json          | ! auth.ts                 |
|-------------+---------+------------------------------------------------------------+---------------------------|
| public      | plain   | .ssh/*.pub *.pub .env.d.ts .env.ts .env.js keynote*.key    | id_rsa.pub                |
|             |         | *slides*.key *presentation*.key *talk*.key *lecture*.key   | ~/.ssh/id_rsa.pub         |
|             |         | *pubkey*.pem *fullchain*.pem cert.pem *-cert.pem           | .env.example              |
|             |         | *_cert.pem chain.pem cacert.pem dhparam*.pem .env.md       | password-reset.ts         |
|             |         | .env.org .env.example .env.sample .env.template .env.dist  | cert.pem                  |
|             |         | .env.defaults .env.schema example.env sample.env *.example | tls/chain.pem             |
|             |         | *.sample *.template *.dist *.pub.pem *public*.pem          | dhparam4096.pem           |
|             |         | password*.org password*.md password*.ts password*.js       | lecture-3.key             |
|             |         | password*.py password*.go password*.rs password*.tsx       | id_rsa_work.pub           |
|             |         | password*.css password*.html password*.java password*.rb   | ! .env.local              |
|             |         | private-key*.md private_key*.md private-key*.org           | ! ~/.ssh/id_rsa           |
|             |         | private-key*.ts private_key*.ts private_key*.py            |                           |
|             |         | secrets/*.md secrets/*.org secrets/*.ts secrets/*.py       |                           |
|             |         | vault/*.md vault/*.org vault/*.ts vault/*.py               |                           |
|-------------+---------+------------------------------------------------------------+---------------------------|
| sshSettings | private | .ssh/config .ssh/known_hosts* .ssh/authorized_keys*        | ~/.ssh/config             |
|             |         | .ssh/config.d/ .aws/config                                 | ~/.ssh/known_hosts        |
|             |         |                                                            | ! ssh/config.ts           |
`

/** The rules about reading, each with examples that it is held to. */
export const pathRules: Record<string, PathRule> = Object.fromEntries(
  readRules('secret', table, cells, ({ rule, level, names }, { match, not }) => [
    rule,
    { level, names, match, not },
  ]),
)

const index = indexRules(
  Object.entries(pathRules).map(([name, { level, names }]): [string, ReadJudgment] => [
    names,
    { level, rule: `paths.${name}` },
  ]),
)

function judgeComponents(given: readonly string[]): ReadJudgment {
  const name = given.at(-1) ?? ''
  const own = withoutDecoration(name)
  const components = own === name ? given : [...given.slice(0, -1), own]
  const found = index.find(components)
  if (found.length === 0) return isSecretName(own) ? secretName : plain
  const judged = found
    .filter((match) => !found.some((other) => overrides(other, match)))
    .map(({ rule, to }) => listing(rule, to === components.length - 1))
    .reduce(strictest, exception)
  return judged.level === 'private' && isSecretName(own) ? secretName : judged
}

function overrides(a: RuleMatch<ReadJudgment>, b: RuleMatch<ReadJudgment>): boolean {
  if (a === b || a.from > b.from || a.to < b.to) return false
  if (a.from < b.from || a.to > b.to) return true
  return a.value.level === 'plain' && b.value.level !== 'plain'
}

const copies =
  /(?:~|\.(?:bak|backup|old|orig|save|saved|copy|tmp|temp|swp|swo|rej|prev|\d{1,3}|gz|xz|bz2?|zst|lz4?|lzma|lzo|br|z|tar|tgz|txz|tbz2?|tzst|zip|7z|rar|b64|base64|uue?|hex))$/

function withoutDecoration(name: string): string {
  let own = /^(?:#.+#|\.#.+)$/.test(name) ? name.replace(/^\.?#|#$/g, '') : name
  if (/^\..+\.sw[op]$/.test(own)) own = own.replace(/^\.(?!env)/, '')
  for (let layer = 0; layer < 3 && copies.test(own); layer++) own = own.replace(copies, '')
  return own === '' ? name : own
}

const secretName: ReadJudgment = { level: 'secret', rule: 'paths.names' }

const aboutSecrets =
  /\.(?:md|mdx|org|rst|adoc|tex|html?|css|scss|[cm]?[jt]sx?|vue|svelte|py|rb|go|rs|java|kt|swift|php|c|h|cc|cpp|cs|ex|exs|el|lua|sql|sh|pub|example|sample|template|dist)$/

const secretNames = new RegExp(
  `^(?:${[
    '(?!ssh-).+[-_](?:rsa|dsa|ecdsa|ed25519)(?:_sk)?(?:\\.pem)?',
    '(?:.+[-_.])?kubeconfig(?:[-_.].+)?',
    'wg[-_]?[a-z\\d-]{0,12}\\.conf|wireguard.{0,20}\\.conf',
    '.{0,40}(?:recovery|backup|rescue|scratch|2fa|mfa)[-_ ]?codes?.{0,40}',
    '.{0,40}service[-_]?account.{0,40}\\.json|.{0,60}firebase-adminsdk.{0,40}\\.json',
    '(?:.+[-_])?(?:mnemonic|seed[-_ ]?phrase)(?:[-_.].+)?|seed\\.txt|wallet\\.(?:json|txt)|utc--\\d{4}-.+',
    '(?:bitwarden|lastpass|1password|keepass|dashlane|chrome|firefox|browser).{0,20}(?:export|passwords?|logins?).{0,40}',
    '(?:.+[-_ ])?(?:passwords?|logins?|passwort|kennw(?:o|ö)rter)\\.(?:csv|tsv|xlsx?|ods|txt|docx?|odt)',
    'credentials\\.csv|(?:.+[-_])?(?:access|root|secret)[-_]?keys?\\.csv',
    'secring\\.gpg|(?:private|secret)[-_.]?(?:key)?\\.(?:asc|gpg|pgp)|.*key\\.asc\\.gpg',
    'rclone\\.conf|ntds\\.dit|ntuser\\.dat|krb5cc_.+|\\.?authinfo|cookies\\.txt|docker[-_]?config\\.json',
    '\\.?(?:ansible[-_])?vault[-_]pass(?:word)?(?:\\.txt)?|(?:auto)?unattend\\.xml',
    '(?:.+[-_])?(?:totp|otp)(?:[-_](?:secrets?|seeds?|keys?))?\\.(?:txt|json|csv)',
    '(?:aegis|andotp|authenticator|2fas|raivo)[-_.].{0,40}\\.(?:json|txt|aes|zip|enc)',
    '(?:.+[-_])?(?:oauth|access|refresh|auth|api)[-_]?tokens?\\.(?:json|txt|pickle)|token\\.json',
    '(?:.+[-_.])?age[-_]?keys?(?:\\.txt)?',
    '(?:.+[-_.])?deploy[-_]?keys?(?:[-_][\\w-]{1,30})?(?:\\.(?:key|pem|txt|asc|json))?',
  ].join('|')})$`,
)

function isSecretName(name: string): boolean {
  return name.length <= 200 && secretNames.test(name) && !aboutSecrets.test(name)
}

function listing(rule: IndexedRule<ReadJudgment>, isLast: boolean): ReadJudgment {
  if (!rule.below || !isLast || rule.value.level !== 'secret') return rule.value
  return { level: 'private', rule: rule.value.rule }
}

/** What reading a file would be by its names alone, relative to a folder that says nothing itself. */
export function levelOfName(path: string): ReadLevel {
  return judgeComponents(componentsOf(path)).level
}

function judgePattern(components: readonly string[]): ReadJudgment {
  const read = components.map((text) => ({
    text,
    could: hasPattern(text) ? matcherOf(text) : null,
    own: text.replace(/\[[^\]]*\]|[*?{}\0]/g, '').length,
  }))
  let found = plain
  for (const rule of patternRules) {
    const lastFrom = read.length - rule.parts.length
    for (let from = rule.below ? 0 : lastFrom; from >= 0 && from <= lastFrom; from++) {
      const spelled = spelledBy(rule, read, from)
      if (spelled === 0) continue
      const { level } = listing(rule, from === lastFrom)
      const judgment = spelled === 2 ? level : 'private'
      found = strictest(found, { level: judgment, rule: rule.value.rule })
    }
  }
  return found
}

/** The rules that a pattern could spell, with what is asked of each of their parts. */
const patternRules = index.rules
  .filter(({ value }) => value.level !== 'plain')
  .map((rule) => ({
    ...rule,
    parts: rule.parts.map(({ text, could }) => ({
      text,
      could,
      name: text.replaceAll('*', 'x'),
      start: /^(\.|id_)/.test(text) ? text.slice(0, 1) : null,
      fixed: text.replace(/[*?]/g, '').length,
    })),
  }))

type PatternRule = (typeof patternRules)[number]

interface ReadComponent {
  text: string
  could: ((name: string) => boolean) | null
  /** How many of its letters are written out. */
  own: number
}

/** 2 when the components spell the rule, 1 when they could become it, 0 when they cannot. */
function spelledBy(
  { parts }: PatternRule,
  components: readonly ReadComponent[],
  from: number,
): 0 | 1 | 2 {
  let letters = 0
  let sure = true
  for (let at = 0; at < parts.length; at++) {
    const component = components[from + at]
    const { text, could, name, start, fixed } = parts[at]!
    if (component === undefined) return 0
    if (component.could === null) {
      if (text !== component.text && could?.(component.text) !== true) return 0
      letters += component.text.length
      continue
    }
    if (!component.could(name)) return 0
    const { own } = component
    letters += own
    const isMarked = start !== null && component.text.startsWith(start)
    if (own < 2 || !isMarked) sure = false
    if (parts.length === 1 && !isMarked && own < 0.6 * fixed) return 0
  }
  if (letters === 0) return parts.length > 1 && from === 0 ? 1 : 0
  return sure ? 2 : 1
}

const strictness: Record<ReadLevel, number> = { plain: 0, private: 1, secret: 2 }

/** What reading this path, or a pattern that a shell would expand, would be. */
export const judgeRead: PathReader<ReadJudgment> = perPlaces((path, places) => {
  let worst = plain
  for (const form of pathForms(path, places)) {
    const judgment = judgeForm(form, places)
    if (strictness[judgment.level] > strictness[worst.level]) worst = judgment
  }
  return worst
})

function judgeForm(form: string, places: PathPlaces): ReadJudgment {
  const state = places.stateDir.toLowerCase()
  const lower = form.toLowerCase()
  if (lower === state || lower.startsWith(`${state}/`)) {
    return { level: 'secret', rule: 'paths.state' }
  }
  const fd = /^\/dev\/fd\/(\d+)/.exec(form)
  if (fd !== null) return Number(fd[1]) < 3 ? plain : { level: 'secret', rule: 'paths.processes' }
  const components = componentsOf(form)
  const judged = components.some((part) => hasPattern(part))
    ? strictest(judgePattern(components), judgeComponents(components))
    : judgeComponents(components)
  if (judged.level !== 'plain' || judged === exception) return judged
  if (isHidden(form, places)) return { level: 'private', rule: 'paths.hidden' }
  return isPrivate(form, places) ? { level: 'private', rule: 'paths.private-file' } : plain
}

function strictest(a: ReadJudgment, b: ReadJudgment): ReadJudgment {
  return strictness[a.level] >= strictness[b.level] ? a : b
}

const shared = new RegExp(
  `^\\.(${[
    'bashrc|bash_profile|bash_aliases|bash_logout|profile|zshrc|zprofile|inputrc|vimrc|vim|emacs|emacs\\.d',
    'tmux\\.conf|screenrc|nanorc|editorconfig|gitconfig|gitignore\\w*|gitattributes|xinitrc|Xresources',
    'config/(nvim|fish/config\\.fish|git/(config|ignore)|starship\\.toml|emacs|i3|sway|kitty|alacritty)',
    'config/(autostart|systemd|fontconfig|user-dirs\\.dirs)|local/(bin|lib|share/applications|share/fonts)',
    'cargo/config(\\.toml)?|rustup|pyenv/version|nvm/alias|oh-my-zsh|editorconfig|prettierrc|eslintrc\\w*',
  ].join('|')})(/|$)`,
  'i',
)

const plainDevices = /^\/dev(\/(null|zero|full|u?random|std(in|out|err)|fd|tty)(\/.*)?)?$/

function isHidden(form: string, { home, cwd }: PathPlaces): boolean {
  const lower = form.toLowerCase()
  if (lower.startsWith('/dev/')) return !plainDevices.test(lower)
  if (lower === cwd.toLowerCase() || lower.startsWith(`${cwd.toLowerCase()}/`)) return false
  const folder = `${home.toLowerCase()}/`
  if (lower.startsWith(folder)) {
    const inside = lower.slice(folder.length)
    return /^(mail|maildir)(\/|$)/.test(inside) || (inside.startsWith('.') && !shared.test(inside))
  }
  return /^\/((home|users)\/[^/]+|root)\/./.test(lower)
}

function isPrivate(form: string, { privateFiles = [] }: PathPlaces): boolean {
  const lower = form.toLowerCase()
  if (!hasPattern(lower)) {
    const cut = lower.lastIndexOf('/') + 1
    const own = lower.slice(0, cut) + withoutDecoration(lower.slice(cut))
    return privateFiles
      .map((file) => file.toLowerCase())
      .some((file) => file === lower || file === own)
  }
  const parts = lower.split('/').map((text) => ({ text, could: matcherOf(text) }))
  return privateFiles.some((file) => {
    const names = file.toLowerCase().split('/')
    return (
      names.length === parts.length &&
      parts.every(({ text, could }, at) => names[at] === text || could(names[at] ?? ''))
    )
  })
}

const secretRoots = [
  '',
  '/',
  '/etc',
  '/home',
  '/root',
  '/proc',
  '/dev',
  '/sys',
  '/run',
  '/var',
  '/mnt',
  '/media',
  '/users',
  '/private',
  '/host',
  '/backup',
]

/** Whether a walk through everything below this path would come to something secret. */
export function canReachSecret(path: string, places: PathPlaces): boolean {
  return pathForms(path, places).some((form) => {
    const folder = `/${componentsOf(form).join('/')}`
    const home = places.home.toLowerCase()
    if (secretRoots.includes(folder) || folder === home) return true
    if (`${home}/`.startsWith(`${folder}/`)) return true
    if (`${places.stateDir.toLowerCase()}/`.startsWith(`${folder}/`)) return true
    if (/^\/(home|users)\/[^/]*$/.test(folder)) return true
    return (
      [...folder].some((character) => '*?[\0'.includes(character)) &&
      !folder.startsWith(`${places.cwd.toLowerCase()}/`)
    )
  })
}
