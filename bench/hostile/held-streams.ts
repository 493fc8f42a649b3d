import { once, setMaxListeners } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Attack } from './attack.ts'
import { repeat } from './repeat.ts'

const CONNECTIONS = 10_000
const AT_A_TIME = 50
/** So many a second and not more: what is measured is holding them; the queue of the system overflows with less than a flood. */
const PAUSE_MS = 50
const SESSIONS = 100

/** Dashboards that listen, thousands of them, over as many sessions as they can get. */
export const attack: Attack = {
  name: 'held streams',
  async run({ url, token }, signal) {
    setMaxListeners(0, signal)
    const { hostname, port, host } = new URL(url)
    const cookies = await signIn(url, token)
    const sockets = new Set<Socket>()
    await repeat(AT_A_TIME, signal, async () => {
      if (sockets.size >= CONNECTIONS) return void (await delay(100, undefined, { signal }))
      const socket = connect(Number(port), hostname)
      socket.on('error', () => {})
      socket.on('close', () => sockets.delete(socket))
      sockets.add(socket)
      await once(socket, 'connect', { signal })
      const cookie = cookies[sockets.size % cookies.length]
      socket.write(`GET /dashboard/live HTTP/1.1\r\nhost: ${host}\r\ncookie: ${cookie}\r\n\r\n`)
      socket.resume()
      await delay(PAUSE_MS, undefined, { signal })
    })
    for (const socket of sockets) socket.destroy()
  },
}

async function signIn(url: string, key: string): Promise<string[]> {
  const cookies: string[] = []
  for (let n = 0; n < SESSIONS; n++) {
    const reply = await fetch(`${url}/dashboard/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-postwren-dashboard': '1', origin: url },
      body: JSON.stringify({ key }),
    })
    const cookie = reply.headers.get('set-cookie')
    if (cookie) cookies.push(cookie.split(';', 1)[0]!)
  }
  if (cookies.length === 0) throw new Error('no session was opened')
  return cookies
}
