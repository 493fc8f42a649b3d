// The chat completions protocol, as far as it is needed to ask a model that may call tools. Many servers speak it, each a little
// differently: what one of them leaves out is made up for here, and what cannot be understood is no answer.

export interface Tool {
  readonly name: string
  readonly description: string
  /** A JSON schema of its arguments. */
  readonly parameters: object
}

/** A piece of the conversation. What the model itself has said is handed back as it came. */
export type Message =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string; readonly tool_calls?: readonly object[] }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string }

export interface ToolCall {
  readonly id: string
  readonly name: string
  /** Null: what came is no JSON object. */
  readonly input: Readonly<Record<string, unknown>> | null
}

export interface Answer {
  /** For the next request of the same conversation. */
  readonly message: Message
  readonly calls: readonly ToolCall[]
  readonly inputTokens: number
  readonly outputTokens: number
}

/** Calls beyond these are not made, and the model is not reminded of them. */
const MOST_CALLS = 10

/** The largest number that the server may say: what is counted must fit where it is kept. */
const MOST_TOKENS = 10_000_000

export const writeRequest = (model: string, messages: readonly Message[], tools: readonly Tool[]): string =>
  JSON.stringify({
    model,
    messages,
    stream: false,
    ...(tools.length > 0 && {
      tools: tools.map((tool) => ({ type: 'function', function: tool })),
      tool_choice: 'auto',
    }),
  })

/** Null: not an answer of this protocol. */
export function readAnswer(text: string): Answer | null {
  const answer = readJson(text)
  if (!isRecord(answer) || !Array.isArray(answer.choices)) return null
  const [choice] = answer.choices as unknown[]
  if (!isRecord(choice) || !isRecord(choice.message)) return null
  const { content, tool_calls } = choice.message
  const given = (Array.isArray(tool_calls) ? tool_calls : []).slice(0, MOST_CALLS)
  const read = given.map(readCall).filter((one) => one !== null)
  const usage = isRecord(answer.usage) ? answer.usage : {}
  return {
    message: {
      role: 'assistant',
      content: typeof content === 'string' ? content : '',
      ...(read.length > 0 && { tool_calls: read.map(({ written }) => written) }),
    },
    calls: read.map(({ call }) => call),
    inputTokens: tokens(usage.prompt_tokens),
    outputTokens: tokens(usage.completion_tokens),
  }
}

/** The names of a list of models. Null: not such a list. */
export function readModels(text: string): ReadonlySet<string> | null {
  const list = readJson(text)
  if (!isRecord(list) || !Array.isArray(list.data)) return null
  return new Set(list.data.flatMap((one: unknown) => (isRecord(one) && typeof one.id === 'string' ? [one.id] : [])))
}

/** A call, and how it is written down for the next request: with what the server may want to see again, and always valid. */
function readCall(given: unknown, index: number): { call: ToolCall; written: object } | null {
  if (!isRecord(given) || !isRecord(given.function) || typeof given.function.name !== 'string') return null
  const { name } = given.function
  const id = typeof given.id === 'string' && given.id !== '' ? given.id : `call_${index + 1}`
  const input = readInput(given.function.arguments)
  const written = { ...given, id, type: 'function', function: { name, arguments: JSON.stringify(input ?? {}) } }
  return { call: { id, name, input }, written }
}

/** A text with JSON, as the protocol says; the object itself, as some servers have it; nothing for a tool that needs nothing. */
function readInput(given: unknown): Record<string, unknown> | null {
  if (given === undefined || given === null || given === '') return {}
  const input = typeof given === 'string' ? readJson(given) : given
  return isRecord(input) ? input : null
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const tokens = (count: unknown) =>
  typeof count === 'number' && count > 0 ? Math.min(Math.round(count), MOST_TOKENS) : 0
