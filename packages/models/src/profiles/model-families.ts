/** From the makers' pages, in November 2026. */
const table = `
2 talk: tinyllama
4 see talk: llava
4 talk: phi3
8: smollm2
8 talk: gemma gemma2 gemma-2 llama3
16: gpt-3.5
16 talk: phi4 codellama
32: qwen2.5 mistral mistral-small mixtral
32 see talk: qwen2.5-vl qwen2.5vl
32 talk: codestral
40: qwen3 qwq magistral
64: deepseek
64 talk: deepseek-r1
128: gpt-oss llama3.1 llama3.2 llama3.3 llama-3.1 llama-3.2 llama-3.3 mistral-large devstral
128: ministral phi4-mini granite3 command-r grok kimi glm-4
128 see: gpt-4o gpt-4-turbo llama4 llama-4 qwen3-vl mistral-small3.2 mistral-medium
128 see talk: gemma3 gemma-3 llama3.2-vision
200: minimax
200 see: claude o1 o3 o4
256: qwen3-coder
256 see: grok-4
400 see: gpt-5
1047 see: gpt-4.1
1048 see: gemini
`

/** What a family of models can do. */
interface ModelFamily {
  /** The window in tokens; undefined when nobody knows. */
  contextTokens: number | undefined
  pictures: boolean
  callsTools: boolean
}

const families = new Map(
  table
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [facts = '', names = ''] = line.split(': ')
      const [thousands, ...abilities] = facts.split(' ')
      const family: ModelFamily = {
        contextTokens: Number(thousands) * 1_000,
        pictures: abilities.includes('see'),
        callsTools: !abilities.includes('talk'),
      }
      return names.split(' ').map((name): [string, ModelFamily] => [name, family])
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
