import { once, setMaxListeners } from 'node:events'
import { connect } from 'node:net'
import type { Attack } from './attack.ts'
import { repeat } from './requests.ts'

const CONNECTIONS = 20
const BYTES = 1_200_000

/** Without a key: requests that are sent without waiting for answers, 36,000 on each connection. */
export const attack: Attack = {
  name: 'pipelining',
  async run({ url }, signal) {
    setMaxListeners(0, signal)
    const { hostname, port, host } = new URL(url)
    const one = `GET /livez HTTP/1.1\r\nhost: ${host}\r\n\r\n`
    const all = one.repeat(Math.ceil(BYTES / one.length))
    const last = `GET /livez HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`
    await repeat(signal, CONNECTIONS, async () => {
      const socket = connect(Number(port), hostname)
      const leave = () => socket.destroy()
      signal.addEventListener('abort', leave)
      socket.on('error', leave)
      socket.resume()
      socket.write(all)
      socket.write(last)
      await once(socket, 'close')
      signal.removeEventListener('abort', leave)
    })
  },
}
