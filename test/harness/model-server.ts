import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { ObservedList } from './changes.ts'

/** One question as the server saw it. */
export interface Asked {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly messages: readonly { role: string; content: string; tool_call_id?: string; tool_calls?: object[] }[]
  /** The names of the tools, in order. */
  readonly tools: readonly string[]
  // biome-ignore lint/suspicious/noExplicitAny: compared with what a test expects of it
  readonly body: any
}

/** What the model says: the tools that it calls with their arguments, or a text for nothing to do. */
export type Said = string | readonly (readonly [name: string, input: unknown])[]
type Script = (asked: Asked, response: ServerResponse) => Said | undefined

export type ModelServer = Awaited<ReturnType<typeof startModelServer>>

/**
 * A server of the chat completions protocol on loopback. It says what the script says; a script that gives nothing writes the
 * response itself. At first it finds that there is nothing to do.
 */
export async function startModelServer(first: Script = () => 'Nothing to do.') {
  const asked = new ObservedList<Asked>()
  let script = first
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = JSON.parse(Buffer.concat(chunks).toString() || '{}')
    const tools = (body.tools ?? []).map((tool: { function: { name: string } }) => tool.function.name)
    const one = { path: request.url!, headers: request.headers, messages: body.messages, tools, body }
    asked.push(one)
    const said = script(one, response)
    if (said !== undefined) response.setHeader('content-type', 'application/json').end(answerOf(said))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1`,
    settings: { POSTWREN_AGENT_URL: `http://127.0.0.1:${port}/v1`, POSTWREN_AGENT_MODEL: 'test-model' },
    asked: asked as readonly Asked[],
    /** Changes the script from here on. */
    script(next: Script) {
      script = next
    },
    /** Calls these tools when it is first asked, and is content with what came of them. */
    calls(...calls: [name: string, input: unknown][]) {
      script = ({ messages }) => (messages.some(({ role }) => role === 'tool') ? 'Done.' : calls)
    },
    hasBeenAsked: (times: number) => asked.reached(times),
  }
}

let ids = 0

export function answerOf(said: Said): string {
  const calls =
    typeof said === 'string'
      ? []
      : said.map(([name, input]) => ({
          id: `call_${++ids}`,
          type: 'function',
          function: { name, arguments: typeof input === 'string' ? input : JSON.stringify(input) },
        }))
  return JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: typeof said === 'string' ? said : null,
          ...(calls.length > 0 && { tool_calls: calls }),
        },
        finish_reason: calls.length > 0 ? 'tool_calls' : 'stop',
      },
    ],
    usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
  })
}
