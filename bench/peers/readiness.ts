import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

const POLL_MS = 5
const MAX_START_MS = 60_000

/** Resolves when an SMTP server at this port has greeted somebody. */
export const greeted = (port: number, hasEnded: () => boolean = () => false) =>
  poll(hasEnded, () => greets(port), `no SMTP greeting at port ${port}`)

/** Resolves when an HTTP server answers at this address, whatever it says. */
export const answered = (url: string, hasEnded: () => boolean = () => false) =>
  poll(
    hasEnded,
    () =>
      fetch(url).then(
        async (reply) => {
          await reply.body?.cancel()
          return true
        },
        () => false,
      ),
    `no answer from ${url}`,
  )

async function poll(hasEnded: () => boolean, isReady: () => Promise<boolean>, complaint: string) {
  const deadline = performance.now() + MAX_START_MS
  while (!hasEnded() && performance.now() < deadline) {
    if (await isReady()) return
    await delay(POLL_MS)
  }
  throw new Error(hasEnded() ? 'it ended while it started' : complaint)
}

const greets = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' })
    const end = (result: boolean) => {
      socket.destroy()
      resolve(result)
    }
    socket.once('data', (chunk) => end(chunk.toString('latin1').startsWith('220')))
    socket.once('error', () => end(false))
    socket.once('close', () => end(false))
  })
