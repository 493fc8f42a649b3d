import { fork } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { atEnd } from '../cleanup.ts'
import type { SmtpEndpoint } from './peer.ts'

export interface SmtpLoad {
  readonly endpoint: Pick<SmtpEndpoint, 'port' | 'credentials'>
  readonly connections: number
  readonly amount: number
  readonly envelope: { from: string; to: string }
  readonly message: string
}

/** An SMTP client with many connections in a process of its own, the same one for all peers. */
export interface SmtpLoadClient {
  /** When all connections stood and the first message began, and when the last was taken. */
  submit(load: SmtpLoad): Promise<{ beganAt: number; acceptedAt: number }>
}

type ClientReport = { kind: 'began' } | { kind: 'accepted' } | { kind: 'failed'; reason: string }

export function startSmtpLoadClient(): SmtpLoadClient {
  const child = fork(process.argv[1]!, ['smtp-load'], { detached: true })
  atEnd(async () => {
    if (child.exitCode !== null) return
    const ended = once(child, 'exit')
    child.disconnect()
    await ended
  })
  return {
    submit: (load) =>
      new Promise((resolve, reject) => {
        let beganAt = 0
        const listen = (report: ClientReport) => {
          if (report.kind === 'began') {
            beganAt = performance.now()
            return
          }
          child.off('message', listen)
          if (report.kind === 'failed') reject(new Error(report.reason))
          else resolve({ beganAt, acceptedAt: performance.now() })
        }
        child.on('message', listen)
        child.send(load)
      }),
  }
}

/** The other side of it. */
export function smtpLoad() {
  const report = (word: ClientReport) => process.send!(word)
  process.on('message', (load: SmtpLoad) => {
    submit(load, () => report({ kind: 'began' })).then(
      () => report({ kind: 'accepted' }),
      (error: Error) => report({ kind: 'failed', reason: error.message }),
    )
  })
  process.on('disconnect', () => process.exit(0))
}

/** Every command waits for its answer: pipelining would be used by some servers and not by others. */
export async function submit(load: SmtpLoad, onBegin: () => void) {
  const sessions: Session[] = []
  try {
    while (sessions.length < load.connections) {
      const missing = Math.min(OPENED_AT_ONCE, load.connections - sessions.length)
      sessions.push(...(await Promise.all(Array.from({ length: missing }, () => openSession(load.endpoint)))))
    }
    onBegin()
    let next = 0
    await Promise.all(
      sessions.map(async ({ say, socket }) => {
        while (next++ < load.amount) {
          await say(`MAIL FROM:<${load.envelope.from}>\r\n`, 250)
          await say(`RCPT TO:<${load.envelope.to}>\r\n`, 250)
          await say('DATA\r\n', 354)
          await say(`${load.message}\r\n.\r\n`, 250)
        }
        socket.end('QUIT\r\n')
      }),
    )
  } finally {
    for (const { socket } of sessions) socket.destroySoon()
  }
}

const MAX_SILENCE_MS = 60_000
/** Some servers let few connections wait to be taken, and nobody answers those beyond. */
const OPENED_AT_ONCE = 4

type Session = Awaited<ReturnType<typeof openSession>>

async function openSession({ port, credentials }: SmtpLoad['endpoint']) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  socket.setTimeout(MAX_SILENCE_MS, () => socket.destroy(new Error(`silent for ${MAX_SILENCE_MS / 1_000} s`)))
  const replies = readReplies(socket)
  const say = async (text: string, code: number) => {
    if (text) socket.write(text)
    const reply = await replies.next()
    if (!reply.startsWith(String(code))) throw new Error(`"${reply}" to "${text.slice(0, 40).trim()}"`)
  }
  await say('', 220)
  await say('EHLO bench.dev\r\n', 250)
  if (credentials) {
    const token = Buffer.from(`\0${credentials.username}\0${credentials.password}`).toString('base64')
    await say(`AUTH PLAIN ${token}\r\n`, 235)
  }
  return { socket, say }
}

/** One reply at a time; those of several lines are told by their last one. */
function readReplies(socket: Socket) {
  const ready: string[] = []
  let waiting: { resolve(reply: string): void; reject(error: Error): void } | null = null
  let failure: Error | null = null
  let rest = ''
  const fail = (error: Error) => {
    failure ??= error
    waiting?.reject(failure)
    waiting = null
  }
  socket.on('error', fail)
  socket.on('close', () => fail(new Error('connection closed')))
  socket.on('data', (chunk) => {
    rest += chunk.toString('latin1')
    for (let end = rest.indexOf('\r\n'); end >= 0; end = rest.indexOf('\r\n')) {
      const line = rest.slice(0, end)
      rest = rest.slice(end + 2)
      if (line[3] === '-') continue
      if (!waiting) ready.push(line)
      else {
        waiting.resolve(line)
        waiting = null
      }
    }
  })
  return {
    next: () =>
      new Promise<string>((resolve, reject) => {
        const reply = ready.shift()
        if (reply !== undefined) resolve(reply)
        else if (failure) reject(failure)
        else waiting = { resolve, reject }
      }),
  }
}
