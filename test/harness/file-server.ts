import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** A web server on loopback that answers as a test tells it. Gone when the test ends. */
export async function startFileServer(answer: Answer = (_request, response) => void response.end('content')) {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(request.url!)
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The paths that were asked for, in order. */
    requests: requests as readonly string[],
  }
}

/** A server that lets every request wait until the test says otherwise, and tells when the first one has come. */
export async function startSlowServer() {
  let arrive = () => {}
  let open = () => {}
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve
  })
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const server = await startFileServer(async (_request, response) => {
    arrive()
    await opened
    response.end('content')
  })
  return { ...server, arrived, open }
}
