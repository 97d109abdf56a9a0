import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runsOf, svgOf, transcript } from '../literate/terminal-pictures.ts'

const manual = join(import.meta.dirname, '../../org/manual')
const page = readFileSync(join(manual, 'terminal.org'), 'utf8')

test('the manual has what the commands print', { timeout: 120_000 }, async () => {
  const block = /#\+name: session\n#\+begin_example\n([\s\S]*?)#\+end_example/.exec(page)
  const quoted = block![1]!.replace(/^,(?=[*,#])/gm, '')
  expect(quoted).toBe(await transcript())
})

test('every picture is shown, small, and described', () => {
  const pictures = readdirSync(manual).filter((name) => /^terminal-\w+\.svg$/.test(name))
  expect(pictures.length).toBeGreaterThan(3)
  for (const name of pictures) {
    const svg = readFileSync(join(manual, name), 'utf8')
    const [, words] = /aria-label="([^"]+)"/.exec(svg)!
    expect(page).toContain(`#+attr_html: :alt ${words!.replaceAll('\u00a0', ' ')}`)
    expect(page).toContain(`[[file:${name}]]`)
    expect(svg.length).toBeLessThan(20_000)
    expect(svg).not.toMatch(/\/tmp\/|\/home\/|stage-/)
  }
})

test('a screen is drawn as text', () => {
  const screen = '\x1b[1mbold\x1b[0m \x1b[33;7m<&>\x1b[39mx\n'
  const [row] = runsOf(screen)
  expect(row!.map(({ text, look }) => [text, look.bold, look.inverse, look.colour])).toEqual([
    ['bold', true, false, null],
    [' ', false, false, null],
    ['<&>', false, true, '#e3b769'],
    ['x', false, true, null],
  ])
  expect(svgOf(screen, 10, 'a "b"')).toMatch(
    /aria-label="a\u00a0&quot;b&quot;"[\s\S]*>&lt;&amp;><\/text>/,
  )
})
