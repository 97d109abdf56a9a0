import { isPassword, isSetting, isToken } from './placeholders.ts'
import { around, type SecretRule, sample } from './secret-rule.ts'

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
      `(?:${passwordName.replace('|\\bpass|_pass', '')})\\b(?!@)[^\\n]{0,40}?(?:\\b(?:is|are|was|to|be|as|use|lautet|ist|est|es|jest)\\b|\\s[èéä]r?(?=\\s)|[:=]|->|→)\\s{0,3}["'\`“‘«]?([^\\s"'\`“”‘’«»,;<>]{6,200})`,
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

const foreignNames =
  'wachtwoord|l[öo]senord|passord|adgangskode|salasana|senha|palavra[- ]passe|parola (?:d.ordine|chiave|segreta)|' +
  'has[łl]o|heslo|jelsz[óo]|[şs]ifre(?:si|niz)?|lozinka|geslo|parol[ėe]|slapta[žz]odis|κωδικός|пароль|密码|密碼|口令|パスワード|暗証番号|비밀번호|รหัสผ่าน|mật khẩu'

const languages: readonly SecretRule[] = [
  around({
    name: 'password-in-another-language',
    keywords:
      'wachtwoord senord passord adgangskode salasana senha palavra parola hasł haslo heslo jelsz ifre lozinka geslo parol slapta κωδικός пароль 密码 密碼 口令 パスワード 暗証番号 비밀번호 รหัสผ่าน khẩu',
    pattern: new RegExp(
      `(?:${foreignNames})[^\\n]{0,40}?(?:[:=：]|->|→|\\s(?:is|är|er|on|é|è|jest|je|to|olarak|là|это)\\s)\\s{0,3}["'\`“‘«„]?([^\\s"'\`“”‘’«»„,;<>]{6,200})`,
      'gi',
    ),
    accepts: isPassword,
    match: () => [
      `Wachtwoord van de server: ${sample('alnum', 9)}1`,
      `密码：${sample('alnum', 9)}1`,
    ],
    notMatch: () => ['Nieuw wachtwoord instellen', 'Zmień hasło w ustawieniach'],
  }),
]

const directives: readonly SecretRule[] = [
  around({
    name: 'password-directive',
    keywords:
      'bindpw rootpw requirepass masterauth auth_pass authpass sasl_pass smtp_pass password passphrase',
    pattern:
      /^[ \t]*(?:bindpw|rootpw|requirepass|masterauth|auth_?pass|sasl_pass(?:wd|word)?|smtp_pass(?:wd|word)?|password|passphrase)[ \t]+["']?([^\s"'`,;<>/]{6,100})["']?[ \t]*$/gim,
    accepts: isPassword,
    match: () => [`host x\nrequirepass ${sample('alnum', 12)}1`],
    notMatch: () => ['requirepass yes', 'password required', 'rootpw {{ root }}'],
  }),
  around({
    name: 'network-device',
    keywords: 'community enable username key-string pre-shared-key wpa-psk s-server',
    pattern:
      /^[ \t]*(?:snmp-server community|r[ow]community6?|enable (?:secret|password)(?: level \d+)?(?: [0-9])?|username \S{1,40} (?:privilege \d+ )?(?:secret|password)(?: [0-9])?|key-string(?: [07])?|pre-shared-key(?: (?:local|remote|ascii-text))?|wpa-psk (?:ascii|hex)(?: [07])?|(?:tacacs|radius)-server key(?: [07])?)[ \t]+"?([^\s"]{6,120})/gim,
    accepts: (value) => isPassword(value) || isToken(value),
    match: () => [`username ann privilege 15 secret 0 ${sample('alnum', 10)}1`],
    notMatch: () => ['snmp-server community public RO', 'enable password', 'username ann ssh-key'],
  }),
  around({
    name: 'password-manager',
    keywords:
      'lastpass 1password bitwarden keepass dashlane enpass nordpass vaultwarden protonpass',
    pattern:
      /\b(?:lastpass|1password|(?:bit|vault)warden|keepass(?:xc?)?|dashlane|enpass|nordpass|proton ?pass)\b[^\n:=]{0,20}[:=]\s{0,3}["'`]?([^\s"'`,;<>/]{6,100})/gi,
    accepts: (value) => isPassword(value) && /\d/.test(value),
    match: () => [`KeePass database: ${sample('alnum', 12)}1`],
    notMatch: () => ['Bitwarden: see the shared folder', '1Password: https://my.1password.com'],
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
      /\b(?:pin|otp|(?:verification|security|one-time|2fa|login|alarm|door|safe|access|gate) code|code (?:for|of|to) (?:the|my|our) (?:alarm|door|safe|gate|house|garage|lock|card))\b(?! code)[^\n.;]{0,30}?(?:\bis\b|[:=]|ist\b)\s{0,2}["'`]?(\d{3,8})(?![\w-]|\.\d)/gi,
    accepts: (value) => value.length >= 4,
    match: () => [`The PIN of the card is ${'47'}11.`, `code for the alarm is ${'47'}11`],
    notMatch: () => ['the pin code area is 12345', 'pin: 13', 'The zip code is 12345.'],
  }),
  around({
    name: 'door-code',
    keywords: 'code',
    pattern:
      /\b(?:codes? (?:for|of|to) (?:the|my|our) (?:[\w-]{2,12} ){0,2}(?:alarm|door|safe|gate|house|garage|lock|lift|building|shed|office|flat)|(?:haus)?tür-?code|(?:alarm|garagen|tresor|zugangs)-?code)\b[ ,:=]{0,3}(?:(?:is|ist) )?["'`]?(\d{4,8}[#*]?)(?![\w-]|\.\d)/gi,
    match: () => [`code for the front door ${'581'}04#`, `Zugangscode: ${'47'}11`],
    notMatch: () => ['the code of the door module has 1200 lines', 'code for the door 12 is new'],
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

/** The rules for secrets that are told by what stands around them. */
export const labelledSecrets: readonly SecretRule[] = [
  ...assignments,
  ...sentences,
  ...languages,
  ...directives,
  ...tables,
  ...codes,
]
