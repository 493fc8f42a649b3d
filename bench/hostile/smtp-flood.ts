import { once, setMaxListeners } from 'node:events'
import { connect } from 'node:net'
import type { Attack } from './attack.ts'
import { repeat } from './repeat.ts'

const CONNECTIONS = 1_000

/** Connections to the SMTP port that say hello and hold on, and new ones for those that were closed. */
export const attack: Attack = {
  name: 'SMTP connections',
  async run({ smtpPort }, signal) {
    setMaxListeners(0, signal)
    await repeat(CONNECTIONS, signal, async () => {
      const socket = connect(smtpPort, '127.0.0.1')
      socket.on('error', () => {})
      signal.addEventListener('abort', () => socket.destroy(), { once: true })
      socket.write('EHLO flood.example\r\n')
      socket.resume()
      await once(socket, 'close')
      throw new Error('closed')
    })
  },
}
