import type { Readable } from 'node:stream'
import type { NodeIncomingMessageLike } from '@modelcontextprotocol/node'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { describePolicyOf } from '../../features/policies/describe.ts'
import { isLate } from '../../kernel/http/admit.ts'
import { BodyTurns } from '../../kernel/http/body-turns.ts'
import type { Endpoint } from '../../kernel/http/endpoint.ts'
import { MAX_BODY_BYTES } from '../../kernel/http/json-limits.ts'
import { Problem } from '../../kernel/http/problem.ts'
import { belowSandboxOf, enterSandboxOf } from '../../kernel/http/sandbox-path.ts'
import type { ServerServices } from '../../kernel/http/server.ts'
import { loadOnce } from '../../platform/concurrency/load-once.ts'
import type { ToolRequest } from './request.ts'
import type { ApiAnswer } from './server.ts'

/**
 * What is read of an answer. A tenth of it is shown at most, but where a text ends shows only when it was read. To make it short
 * takes up to 40 ms when it consists of nothing but empty objects, and mail 2.
 */
const MAX_ANSWER_BYTES = 256 * 1024

export interface McpParts {
  readonly services: Pick<
    ServerServices,
    'db' | 'authenticator' | 'rateLimit' | 'sandboxes' | 'config' | 'log' | 'publicUrl'
  >
  readonly endpoints: readonly Endpoint[]
  readonly version: string
}

/**
 * The routes for agents, by the Model Context Protocol: each endpoint is a tool. A call of a tool is a request to the API like any
 * other, made in this process: it is counted, allowed, checked and written down where all of them are.
 */
export function addMcp(app: FastifyInstance, { services, endpoints, version }: McpParts) {
  const { db, authenticator, rateLimit, config, log, publicUrl } = services
  const bodyTurns = new BodyTurns()
  const load = loadOnce(async (): Promise<Handler> => {
    const { createAgentHandler, authOf } = await import('./server.ts')
    return { handle: createAgentHandler(endpoints, { version, log }), authOf }
  })

  const identify = async (request: FastifyRequest) => {
    const visitor = await authenticator.identify(request.headers.authorization, request.ip)
    return enterSandboxOf(request.raw, visitor, services)
  }
  app.route({
    method: ['GET', 'POST', 'DELETE'],
    url: '/mcp',
    config: { isInSandboxes: true },
    bodyLimit: MAX_BODY_BYTES,
    async onRequest(request, reply) {
      requireOwnOrigin(request, config.PUBLIC_URL)
      const actor = await identify(request)
      request.exchange.actor = actor
      await bodyTurns.admit(actor.team, request, reply)
    },
    async handler(request, reply) {
      // In a list of thousands of calls each is cheap to ask and not to answer. The protocol has none any more.
      if (Array.isArray(request.body)) return reply.status(400).send(BATCH_REFUSED)
      // Its body may have taken its time.
      const actor = isLate(request) ? await identify(request) : request.exchange.actor!
      // A call of a tool is counted when it calls.
      if (!isToolCall(request.body)) rateLimit.take(actor.team, (name, value) => reply.header(name, value))
      const { handle, authOf } = await load()
      // Told with the tools; a call is judged where it ends.
      const policy = isToolCall(request.body) ? null : await describePolicyOf(db, actor, publicUrl())
      const agent = { actor, policy, call: (call: ToolRequest) => callApi(app, request, call) }
      reply.hijack()
      for (const [name, value] of Object.entries(reply.getHeaders()))
        if (value !== undefined) reply.raw.setHeader(name, value)
      const raw = Object.assign(request.raw, { auth: authOf(agent) }) as NodeIncomingMessageLike
      await handle(raw, reply.raw, request.body ?? undefined)
    },
  })
}

/** In the words of JSON-RPC: its clients look for no other error in an answer. */
const BATCH_REFUSED = {
  jsonrpc: '2.0',
  error: { code: -32_600, message: 'Invalid Request: send one message at a time.' },
  id: null,
}

interface Handler {
  readonly handle: ReturnType<typeof import('./server.ts')['createAgentHandler']>
  readonly authOf: typeof import('./server.ts')['authOf']
}

const isToolCall = (body: unknown) => (body as { method?: unknown } | null | undefined)?.method === 'tools/call'

/** Programs name no origin. A page of somebody else's that has got hold of a key must not use it from a browser of ours. */
function requireOwnOrigin({ headers: { origin }, host }: FastifyRequest, publicUrl: string | undefined) {
  if (origin === undefined) return
  const own = [`http://${host}`, `https://${host}`, ...(publicUrl === undefined ? [] : [new URL(publicUrl).origin])]
  if (!own.includes(origin)) throw new Problem('origin_not_allowed', 'Pages of other sites cannot call this.')
}

/** With what the agent has said about itself, and from where it is: nothing distinguishes it from a request of its own. */
async function callApi(app: FastifyInstance, from: FastifyRequest, call: ToolRequest): Promise<ApiAnswer> {
  const { authorization, host, 'user-agent': userAgent } = from.headers
  const reply = await app.inject({
    ...call,
    url: belowSandboxOf(from.raw, call.url),
    headers: { ...call.headers, authorization, host, 'user-agent': userAgent },
    remoteAddress: from.ip,
    payloadAsStream: true,
  })
  const beginning = await beginningOf(reply.stream())
  // Nobody reads the rest, so what is streamed must not wait for a reader.
  if (!beginning.isWhole) reply.raw.res.destroy()
  return { status: reply.statusCode, ...beginning }
}

async function beginningOf(stream: Readable): Promise<{ body: string; isWhole: boolean }> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream) {
    chunks.push(chunk as Buffer)
    size += (chunk as Buffer).length
    if (size > MAX_ANSWER_BYTES) break
  }
  return { body: Buffer.concat(chunks).toString(), isWhole: size <= MAX_ANSWER_BYTES }
}
