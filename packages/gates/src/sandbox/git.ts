const settings: readonly (readonly [string, string])[] = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['core.sshCommand', 'ssh'],
  ['core.attributesFile', '/dev/null'],
  ['safe.bareRepository', 'explicit'],
  ['log.showSignature', 'false'],
  ['gpg.program', 'gpg'],
  ['gpg.openpgp.program', 'gpg'],
  ['gpg.x509.program', 'gpgsm'],
  ['gpg.ssh.program', 'ssh-keygen'],
  ['credential.helper', ''],
  ['submodule.recurse', 'false'],
  ['maintenance.auto', 'false'],
  ['gc.auto', '0'],
]

/** The variables under which git runs nothing that a repository names. */
export function gitEnvironment(): Record<string, string> {
  const numbered = settings.flatMap(([name, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, name],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ])
  return {
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(numbered),
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_PAGER: 'cat',
    GIT_EDITOR: 'true',
    GIT_SEQUENCE_EDITOR: 'true',
    GIT_ASKPASS: 'true',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ALLOW_PROTOCOL: 'file:git:http:https:ssh',
    GIT_OPTIONAL_LOCKS: '0',
  }
}
