import { type AddressInfo, createServer } from 'node:net'
import { onTestFinished } from 'vitest'

/** A spamd that gives this answer once it has read as much as it was promised. Null: none. Tells its address. */
export async function startSpamd(answer: string | null, received: string[] = []): Promise<string> {
  const server = createServer((socket) => {
    let read = ''
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      read += chunk.toString('latin1')
      const [head, ...rest] = read.split('\r\n\r\n')
      const length = Number(/Content-length: (\d+)/.exec(head!)?.[1])
      if (rest.join('\r\n\r\n').length < length) return
      received.push(read)
      if (answer !== null) socket.end(answer)
    })
    onTestFinished(() => void socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `spamd://127.0.0.1:${(server.address() as AddressInfo).port}`
}
