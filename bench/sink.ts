import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { atEnd } from './cleanup.ts'

/** A mail server that takes everything and keeps nothing, in a process of its own. It is the same one for all contenders. */
export interface Sink {
  readonly port: number
  /** Resolves with the moment at which this many messages have arrived since the last reset. */
  reached(messages: number): Promise<number>
  reset(): void
  stop(): Promise<void>
}

export async function startSink(): Promise<Sink> {
  const child = fork(process.argv[1]!, ['sink'], { detached: true })
  const stop = atEnd(() => end(child))
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  return {
    port,
    async reached(messages) {
      child.send({ kind: 'tell', messages })
      await once(child, 'message')
      return performance.now()
    },
    reset: () => child.send({ kind: 'reset' }),
    stop,
  }
}

async function end(child: ChildProcess) {
  if (child.exitCode !== null) return
  const ended = once(child, 'exit')
  child.disconnect()
  await ended
}

/** The other side of it: just enough SMTP, one pass over the bytes. */
export function sink() {
  let arrived = 0
  let wanted = Number.POSITIVE_INFINITY
  const count = () => {
    arrived++
    if (arrived < wanted) return
    wanted = Number.POSITIVE_INFINITY
    process.send!({ arrived })
  }
  const server = createServer({ noDelay: true }, (socket) => converse(socket, count)).listen(0, '127.0.0.1', () =>
    process.send!({ port: (server.address() as { port: number }).port }),
  )
  process.on('message', (message: { kind: 'tell'; messages: number } | { kind: 'reset' }) => {
    if (message.kind === 'reset') arrived = 0
    else if (arrived >= message.messages) process.send!({ arrived })
    else wanted = message.messages
  })
  process.on('disconnect', () => process.exit(0))
}

const END_OF_DATA = '\r\n.\r\n'

function converse(socket: Socket, count: () => void) {
  let rest = ''
  let isData = false
  socket.on('error', () => socket.destroy())
  socket.write('220 sink ESMTP\r\n')
  socket.on('data', (chunk) => {
    rest += chunk.toString('latin1')
    let replies = ''
    for (;;) {
      const end = rest.indexOf(isData ? END_OF_DATA : '\r\n')
      if (end < 0) break
      const line = rest.slice(0, end)
      rest = rest.slice(end + (isData ? END_OF_DATA.length : 2))
      if (isData) {
        isData = false
        count()
        replies += '250 2.0.0 taken\r\n'
      } else {
        isData = /^data/i.test(line)
        replies += answer(line)
      }
    }
    if (replies) socket.write(replies)
  })
}

function answer(line: string): string {
  const verb = line.slice(0, 4).toUpperCase()
  if (verb === 'EHLO') return '250-sink\r\n250-PIPELINING\r\n250-8BITMIME\r\n250 SMTPUTF8\r\n'
  if (verb === 'DATA') return '354 go on\r\n'
  if (verb === 'QUIT') return '221 2.0.0 bye\r\n'
  return '250 2.0.0 fine\r\n'
}
