import { skillBlocks } from '@passepartout/core'

const lent = `
interface Doors { call(tool: string, args?: object): Promise<string> }
interface About {
  about: string
  parameters?: Record<string, { type: string; about?: string; optional?: boolean }>
}
declare function gate(name: string, priority: number, check: (input: any) => unknown): void
declare function tool(name: string, about: About, run: (input: any, doors: Doors) => unknown): void
declare function hook(sensor: string, run: (input: any, doors: Doors) => unknown): void
declare function job(name: string, cron: string, run: (input: any, doors: Doors) => unknown): void
declare function test(name: string, run: () => unknown): void
declare function expect(actual: unknown, expected: unknown): void
declare const console: Record<'log' | 'info' | 'warn' | 'error', (...values: unknown[]) => void>
`

/** A mistake in the types, at its 1-based line of the document. */
interface TypeProblem {
  line: number
  message: string
}

/** What the compiler says of a document's code. Rejects only when there is no compiler. */
export async function skillTypes(text: string): Promise<TypeProblem[]> {
  const { Project, ScriptTarget, ts } = await import('ts-morph')
  const blocks = skillBlocks(text)
  const ordered = [...blocks.filter(({ isTest }) => !isTest), ...blocks.filter((b) => b.isTest)]
  const lines = ordered.flatMap((block) => block.lines)
  const project = new Project({
    useInMemoryFileSystem: true,
    compilerOptions: {
      lib: ['lib.es2024.d.ts'],
      noImplicitAny: false,
      strict: false,
      target: ScriptTarget.ES2022,
      types: [],
    },
  })
  project.createSourceFile('lent.d.ts', lent)
  const code = ordered.map(({ code }) => code).join('\n')
  const file = project.createSourceFile('skill.ts', `${code}\nexport {}`)
  return file.getPreEmitDiagnostics().map((diagnostic) => {
    const text = diagnostic.compilerObject.messageText
    return {
      line: lines[(diagnostic.getLineNumber() ?? 1) - 1] ?? lines.at(-1) ?? 1,
      message: ts.flattenDiagnosticMessageText(text, ' ').slice(0, 300),
    }
  })
}
