import { once } from 'node:events'
import { createServer } from 'node:net'

/** By an address that is listened on for a moment: what belongs to the machine is not in the list of its interfaces always. Null: it can be used. */
export async function tryToBind(host: string): Promise<string | null> {
  const server = createServer()
  try {
    const listening = once(server, 'listening')
    server.listen({ host, port: 0 })
    await listening
    return null
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown'
  } finally {
    server.close()
  }
}
