import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { atEnd } from './cleanup.ts'

/** A mail server that takes everything and keeps nothing, in a process of its own. It is the same one for all contenders. */
export interface Sink {
  readonly port: number
  /** Resolves with the moment at which this many messages have arrived since the last reset. */
  reached(messages: number): Promise<number>
  /** Resolves with the moment at which the next message to this address arrives. */
  heard(address: string): Promise<number>
  reset(): void
  stop(): Promise<void>
}

export async function startSink(): Promise<Sink> {
  const child = fork(process.argv[1]!, ['sink'], { detached: true })
  const stop = atEnd(() => end(child))
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  return {
    port,
    reached(messages) {
      const arrived = nextMessage(child, 'arrived')
      child.send({ kind: 'tell', messages })
      return arrived
    },
    heard(address) {
      const heard = nextMessage(child, 'heard')
      child.send({ kind: 'listen', address })
      return heard
    },
    reset: () => child.send({ kind: 'reset' }),
    stop,
  }
}

/** The moment of the next word of this kind. */
const nextMessage = (child: ChildProcess, kind: 'arrived' | 'heard') =>
  new Promise<number>((resolve) => {
    const listen = (word: object) => {
      if (!(kind in word)) return
      child.off('message', listen)
      resolve(performance.now())
    }
    child.on('message', listen)
  })

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
  let listenedFor: string | null = null
  const count = (recipient: string) => {
    if (recipient === listenedFor) {
      listenedFor = null
      process.send!({ heard: recipient })
    }
    arrived++
    if (arrived < wanted) return
    wanted = Number.POSITIVE_INFINITY
    process.send!({ arrived })
  }
  const server = createServer({ noDelay: true }, (socket) => converse(socket, count)).listen(0, '127.0.0.1', () =>
    process.send!({ port: (server.address() as { port: number }).port }),
  )
  process.on('message', (message: SinkRequest) => {
    if (message.kind === 'reset') arrived = 0
    else if (message.kind === 'listen') listenedFor = message.address
    else if (arrived >= message.messages) process.send!({ arrived })
    else wanted = message.messages
  })
  process.on('disconnect', () => process.exit(0))
}

type SinkRequest = { kind: 'tell'; messages: number } | { kind: 'listen'; address: string } | { kind: 'reset' }

const END_OF_DATA = '\r\n.\r\n'

/** One client of it, which sends what it likes. */
export function converse(socket: Socket, count: (recipient: string) => void) {
  let rest = ''
  let recipient = ''
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
        count(recipient)
        replies += '250 2.0.0 taken\r\n'
      } else {
        isData = /^data/i.test(line)
        recipient = /^rcpt to:<(.*?)>/i.exec(line)?.[1] ?? recipient
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
