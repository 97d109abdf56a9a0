/** From the makers' pages, in November 2026. */
const table = `
claude 200 see
gpt-5 400 see
gpt-4.1 1047 see
gpt-4o 128 see
gpt-4-turbo 128 see
gpt-3.5 16
gpt-oss 128
o1 200 see
o3 200 see
o4 200 see
gemini 1048 see
gemma 8 talk
gemma2 8 talk
gemma-2 8 talk
gemma3 128 see talk
gemma-3 128 see talk
llama3 8 talk
llama3.1 128
llama3.2 128
llama3.2-vision 128 see talk
llama3.3 128
llama4 128 see
llama-3.1 128
llama-3.2 128
llama-3.3 128
llama-4 128 see
llava 4 see talk
qwen2.5 32
qwen2.5-vl 32 see talk
qwen2.5vl 32 see talk
qwen3 40
qwen3-vl 128 see
qwen3-coder 256
qwq 40
mistral 32
mistral-small 32
mistral-small3.2 128 see
mistral-medium 128 see
mistral-large 128
magistral 40
devstral 128
codestral 32 talk
mixtral 32
ministral 128
deepseek 64
deepseek-r1 64 talk
phi3 4 talk
phi4 16 talk
phi4-mini 128
granite3 128
command-r 128
grok 128
grok-4 256 see
kimi 128
glm-4 128
minimax 200
smollm2 8
codellama 16 talk
tinyllama 2 talk
`

/** What a family of models can do. */
export interface ModelFamily {
  /** The window in tokens; undefined when nobody knows. */
  contextTokens: number | undefined
  pictures: boolean
  callsTools: boolean
}

const families = new Map(
  table
    .trim()
    .split('\n')
    .map((line): [string, ModelFamily] => {
      const [name = '', thousands, ...abilities] = line.split(' ')
      const pictures = abilities.includes('see')
      const callsTools = !abilities.includes('talk')
      return [name, { contextTokens: Number(thousands) * 1_000, pictures, callsTools }]
    }),
)

/** What is known of a model of this name. */
export function familyOf(model: string): ModelFamily {
  const name = model.toLowerCase().replace(/^.*\//, '')
  const fitting = [...families.keys()].filter((family) => name.startsWith(family))
  const [longest] = fitting.sort((a, b) => b.length - a.length)
  const known = longest === undefined ? undefined : families.get(longest)
  return known ?? { contextTokens: undefined, pictures: false, callsTools: true }
}
