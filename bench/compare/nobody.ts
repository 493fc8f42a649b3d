import { createSocket } from 'node:dgram'
import { once } from 'node:events'

/** A name server that knows no name. */
export async function startNobody() {
  const socket = createSocket('udp4')
  socket.on('message', (query, { port, address }) => {
    const answer = Buffer.from(query)
    // An answer, recursion available, no such name.
    answer[2] = query[2]! | 0x80
    answer[3] = 0x83
    socket.send(answer, port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    async stop() {
      socket.close()
    },
  }
}
