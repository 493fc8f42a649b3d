import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { onTestFinished } from 'vitest'
import type { App } from './app.ts'

/** Today's protocol, and the one of last year that most agents still speak. */
export type Era = 'auto' | 'legacy'

export interface ToolAnswer {
  readonly isError: boolean
  /** What the tool said, piece by piece. */
  readonly texts: readonly string[]
}

/** An agent that has found its server, with this key or token. */
export async function connectAgent(app: App, token: string, era: Era = 'auto') {
  const { server } = app
  const address = server.server.listening ? addressOf(app) : await server.listen({ host: '127.0.0.1', port: 0 })
  const agent = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: era } })
  const headers = { authorization: `Bearer ${token}`, 'user-agent': 'an agent' }
  await agent.connect(new StreamableHTTPClientTransport(new URL('/mcp', address), { requestInit: { headers } }))
  onTestFinished(() => agent.close())
  return {
    /** What the server has told it before anything else. */
    instructions: agent.getInstructions() ?? '',
    tools: async () => (await agent.listTools()).tools,
    async call(name: string, given: Record<string, unknown> = {}): Promise<ToolAnswer> {
      const { content, isError = false } = await agent.callTool({ name, arguments: given })
      return { isError, texts: content.map((piece) => (piece.type === 'text' ? piece.text : '')) }
    },
  }
}

const addressOf = ({ server }: App) => `http://127.0.0.1:${(server.server.address() as { port: number }).port}`
