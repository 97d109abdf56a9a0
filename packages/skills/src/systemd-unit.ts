import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The text of the unit; both paths are absolute. */
export function unitText(node: string, daemon: string): string {
  const command = [
    node,
    '--disable-warning=ExperimentalWarning',
    '--conditions=@passepartout/source',
    '--max-semi-space-size=1',
    daemon,
  ]
  return `[Unit]
Description=Passepartout, an agent that lives in your Org files
Documentation=man:passepartout(1)

[Service]
Type=exec
ExecStart=${command.map(quoted).join(' ')}
ExecReload=/bin/kill -HUP $MAINPID
Environment=NODE_COMPILE_CACHE=%C/passepartout
Restart=on-failure
RestartSec=5
TimeoutStopSec=7
NoNewPrivileges=yes
ProtectSystem=strict
ReadWritePaths=%h
RuntimeDirectory=passepartout
RuntimeDirectoryMode=0700
RuntimeDirectoryPreserve=yes
PrivateTmp=yes
ProtectKernelTunables=yes
ProtectControlGroups=yes
RestrictSUIDSGID=yes
RestrictRealtime=yes
LockPersonality=yes
SystemCallArchitectures=native
MemoryMax=1G
TasksMax=256
UMask=0077

[Install]
WantedBy=default.target
`
}

/** A word for a unit, which takes a percent sign and a dollar for its own. */
function quoted(word: string): string {
  const plain = word.replace(/[\\"]/g, '\\$&').replaceAll('%', '%%').replaceAll('$', '$$$$')
  return /[\s"'\\]/.test(word) ? `"${plain}"` : plain
}

/** The unit, or with `isInstalling` what was done with it. */
export function writeUnit(env: Record<string, string | undefined>, isInstalling: boolean): string {
  const end = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const daemon = fileURLToPath(new URL(`daemon.${end}`, import.meta.url))
  const text = unitText(process.execPath, daemon)
  if (!isInstalling) return text
  const given = env.XDG_CONFIG_HOME ?? ''
  const base = given.startsWith('/') ? given : join(env.HOME ?? homedir(), '.config')
  const path = join(base, 'systemd/user/passepartout.service')
  const next =
    'Next: systemctl --user daemon-reload && systemctl --user enable --now passepartout\n'
  if (existsSync(path)) {
    if (readFileSync(path, 'utf8') === text) return `${path} is there.\n${next}`
    return `${path} is there and says something else; it was left as it is.\nCompare: passepartout setup --systemd | diff - ${path}\n`
  }
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text, { flag: 'wx', mode: 0o644 })
  return `${path} is written.\n${next}`
}
