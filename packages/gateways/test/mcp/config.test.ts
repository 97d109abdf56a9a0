import { readConfig } from '@passepartout/gates/secrets'
import { expect, test } from 'vitest'
import { mcpSection } from '../../src/mcp/config.ts'

function read(...lines: string[]) {
  const env = (name: string) => ({ PATH: '/bin', LANG: 'C', TOKEN: 'x' })[name] ?? null
  const servers = mcpSection({ env, vault: () => null })
  const text = `* One\n:PROPERTIES:\n${lines.join('\n')}\n:END:\n`
  const { problems, sections } = readConfig(text, 'config.org', { servers })
  return { servers: sections.servers, told: problems.map(({ message }) => message).join('\n') }
}

test('a program and an address', () => {
  const program = read(':MCP: weather', ':COMMAND: npx -y "a b" $HOME', ':ENV: LANG, GONE')
  expect(program).toMatchObject({ told: '' })
  expect(program.servers[0]).toEqual({
    name: 'weather',
    command: ['npx', '-y', 'a b', '$HOME'],
    url: null,
    key: '',
    env: { PATH: '/bin', LANG: 'C' },
    timeoutMs: 30_000,
  })
  const far = read(':MCP: wiki', ':URL: https://a.example/mcp', ':KEY_ENV: TOKEN', ':TIMEOUT: 5s')
  expect(far.servers[0]).toMatchObject({ url: 'https://a.example/mcp', key: 'x', timeoutMs: 5_000 })
})

test.each([
  [[':MCP: weather'], 'either a :COMMAND: or a :URL:'],
  [[':MCP: weather', ':COMMAND: a', ':URL: https://a.example/'], 'either a :COMMAND:'],
  [[':MCP: The Weather', ':COMMAND: a'], 'a short name in lower case'],
  [[':MCP: weather', ':URL: ftp://a'], 'no address'],
  [[':MCP: weather', ':COMMAND: a', ':ENV: A=b'], 'no name of a variable'],
  [[':MCP: weather', ':URL: https://a.example/mcp', ':KEY_ENV: GONE'], 'is not set'],
])('%j is told', (lines, told) => {
  const found = read(...lines)
  expect(found.told).toContain(told)
  expect(found.servers).toEqual([])
})
