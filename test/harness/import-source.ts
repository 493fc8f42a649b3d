import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { App } from './app.ts'

export interface SourceRequest {
  readonly path: string
  readonly query: URLSearchParams
  readonly token: string
}

type Act = (request: SourceRequest, response: ServerResponse) => boolean | Promise<boolean>

/**
 * The API of an app on a port of loopback, as an account that is moved. `meddle` sees each request first: true says that it has answered
 * itself, or that nobody is going to.
 */
export async function startSource(app: App, meddle: Act = () => false) {
  const requests: string[] = []
  const answer = async (incoming: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(incoming.url!, 'http://source')
    requests.push(pathname)
    const token = String(incoming.headers.authorization).replace('Bearer ', '')
    if (await meddle({ path: pathname, query: searchParams, token }, response)) return
    const url = searchParams.size > 0 ? `${pathname}?${searchParams}` : pathname
    const { status, text } = await app.send({ url, headers: { authorization: `Bearer ${token}` } })
    response.writeHead(status, { 'content-type': 'application/json' }).end(text)
  }
  const server = createServer((incoming, response) => {
    answer(incoming, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}

/** Knows the contract and nothing of ours. */
export const contractOnly: Act = ({ path, query }, response) => {
  query.delete('include')
  if (!/\/versions/.test(path)) return false
  response
    .writeHead(404, { 'content-type': 'application/json' })
    .end('{"statusCode":404,"name":"not_found","message":"no"}')
  return true
}
