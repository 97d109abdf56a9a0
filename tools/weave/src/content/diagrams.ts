import { hash } from 'node:crypto'
import { posix } from 'node:path'
import { h } from 'hastscript'
import { plainText, type SrcBlock } from 'org-ast'
import type { Content, Diagrams, Writer } from './writer.ts'

const style = `
  text { font-family: system-ui, sans-serif; }
  svg { --bg: #fdfcf9; --fg: #22201c; --muted: #665f54; --line: #665f54; --accent: #8d3a14; }
  @media (prefers-color-scheme: dark) {
    svg { --bg: #191816; --fg: #dcd7cd; --muted: #a59e92; --line: #a59e92; --accent: #e5a57d; }
  }`
const lengthMax = 20_000

/** Loads the program that draws. */
export async function loadDiagrams(): Promise<Diagrams> {
  const { renderMermaidSVG } = await import('beautiful-mermaid')
  return (code) => {
    if (code.length > lengthMax) return 'it is too long'
    try {
      return dressed(renderMermaidSVG(code, { transparent: true, padding: 8 }))
    } catch (error) {
      return error instanceof RangeError
        ? 'it is too deep'
        : String((error as Error).message ?? error)
    }
  }
}

function dressed(svg: string): ReturnType<Diagrams> {
  const plain = svg
    .replaceAll(/@import url\([^)]*\);/g, '')
    .replace(/text \{ font-family: [^}]*\}/, '')
    .replace(/(<svg[^>]*?) style="[^"]*"/, '$1')
    .replaceAll(/ data-[\w-]+="[^"]*"/g, '')
    .replace('</style>', `${style}\n</style>`)
  const [width = 0, height = 0] = ['width', 'height'].map((name) =>
    Math.ceil(Number(new RegExp(`<svg[^>]* ${name}="([\\d.]+)"`).exec(plain)?.[1] ?? 0)),
  )
  const acts =
    /<(?:script|foreignObject|image|use|a|iframe)\b|<[^>]*(?:\son\w+\s*=|href\s*=|url\((?!#)|\sstyle\s*=)/i
  if (acts.test(plain) || width === 0) return 'there is something in it that is not drawn'
  return { svg: plain, width, height }
}

/** The block as a picture; null when it cannot be drawn, or nobody draws. */
export function diagram(node: SrcBlock, code: string, writer: Writer): Content | null {
  const { diagrams, pictures } = writer.typesetting ?? {}
  if (diagrams === undefined || pictures === undefined) return null
  const drawn = diagrams(code)
  if (typeof drawn === 'string') {
    const words = drawn.split('\n')[0]!.slice(0, 200)
    writer.problem(node.position.start.line, `this diagram cannot be drawn: ${words}`)
    return null
  }
  const path = `diagrams/${hash('sha256', drawn.svg, 'hex').slice(0, 16)}.svg`
  pictures.set(path, drawn.svg)
  const { svg: _, ...size } = drawn
  const src = posix.relative(posix.dirname(writer.page.url), path)
  const source = h('pre', { tabIndex: 0 }, h('code', code))
  const details = h('details', [h('summary', 'The diagram in words'), source])
  return [h('img', { src, alt: described(node), ...size, className: 'diagram' }), details]
}

function described({ affiliated }: SrcBlock): string {
  const html = affiliated.filter(({ key }) => key === 'ATTR_HTML').map(({ value }) => value)
  const alt = /:alt\s+(?:"([^"]*)"|([^:]*))/.exec(html.join(' '))
  const caption = affiliated
    .map(({ children }) => plainText(children))
    .join(' ')
    .trim()
  return (alt?.[1] ?? alt?.[2]?.trim()) || caption || 'A diagram, described below'
}
