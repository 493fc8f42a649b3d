import { Socket } from 'node:net'
import pg from 'pg'

const READY_FOR_QUERY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49])
const COPY_OUT = 0x48

/**
 * Reads `copy (…) to stdout` and throws it away. The driver only makes the connection: it would make an object of each row,
 * and the baseline is to be as fast as PostgreSQL can send. No row holds a zero byte, so the last message is told by its bytes.
 */
export async function readCopy(connection: pg.ClientConfig, select: string) {
  const socket = new Socket()
  const client = new pg.Client({ ...connection, stream: () => socket })
  client.on('error', () => {}) // it minds that we hang up in the end
  await client.connect()
  socket.removeAllListeners('data')
  const begin = performance.now()
  const bytes = await new Promise<number>((resolve, reject) => {
    let received = 0
    socket.once('error', reject)
    socket.on('data', (chunk: Buffer) => {
      if (received === 0 && chunk[0] !== COPY_OUT) reject(new Error(chunk.toString()))
      received += chunk.length
      if (chunk.subarray(-READY_FOR_QUERY.length).equals(READY_FOR_QUERY)) resolve(received)
    })
    socket.write(simpleQuery(`copy (${select}) to stdout`))
  })
  const milliseconds = performance.now() - begin
  socket.destroy()
  return { bytes, milliseconds }
}

function simpleQuery(text: string): Buffer {
  const body = Buffer.from(`${text}\0`)
  const message = Buffer.alloc(5 + body.length)
  message.write('Q')
  message.writeInt32BE(4 + body.length, 1)
  body.copy(message, 5)
  return message
}
