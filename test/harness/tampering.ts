import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

// biome-ignore lint/suspicious/noExplicitAny: whatever an answer has, a test may change
type Body = any

export interface TamperedAnswer {
  status: number
  headers: Record<string, string>
  body: Body
}

/** An upstream that answers as another one does, but for what a test changes. */
export async function startTampering(
  upstream: string,
  change: (call: { method: string; path: string }, answer: TamperedAnswer) => void,
): Promise<string> {
  const server = createServer(async (request, response) => {
    const { method = 'GET', url = '/' } = request
    const sent = await bodyOf(request)
    const reply = await fetch(`${upstream}${url}`, {
      method,
      headers: passedOn(Object.entries(request.headers).map(([name, value]) => [name, String(value)])),
      ...(sent.length > 0 && { body: sent }),
    })
    const answer: TamperedAnswer = {
      status: reply.status,
      headers: passedOn([...reply.headers]),
      body: await reply.json(),
    }
    change({ method, path: url }, answer)
    response.writeHead(answer.status, answer.headers).end(JSON.stringify(answer.body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Of one connection alone: the proxy has two. */
const OWN_HEADERS = [
  'host',
  'connection',
  'keep-alive',
  'content-length',
  'content-encoding',
  'accept-encoding',
  'transfer-encoding',
  'expect',
]

const passedOn = (headers: [string, string][]) =>
  Object.fromEntries(headers.filter(([name]) => !OWN_HEADERS.includes(name)))

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
