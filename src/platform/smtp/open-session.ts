import { connect, type Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import type { Host } from './destination.ts'
import { Dialogue } from './dialogue.ts'
import { parseExtensions } from './extensions.ts'
import { type Failure, failure, type SmtpError } from './failure.ts'
import { Session } from './session.ts'

export interface Timeouts {
  readonly connectMs: number
  /** For the greeting, and again for the TLS handshake. */
  readonly greetingMs: number
  /** Without a byte from the other side. */
  readonly socketMs: number
  /** For one message, from MAIL to the answer to its data. */
  readonly transactionMs: number
}

export interface Wiring {
  /** What we call ourselves in EHLO. */
  readonly heloName: string
  readonly timeouts: Timeouts
  /** Whose certificates count. Undefined: those that Node trusts. */
  readonly secureContext: SecureContext | undefined
  /** Every socket there is, so that none is left when the sender closes. */
  readonly sockets: Set<Socket>
  isClosed(): boolean
  /** Whether the way to an address leads through networks that are not ours. */
  isPublic(address: string): boolean
}

const SETUP_BYTES = 65_536

/**
 * Connects, and goes through greeting, EHLO and STARTTLS where it is offered. Certificates are not judged here: without a
 * demand for proof, an encrypted session with a stranger is still better than an open one.
 */
export async function openSession(
  host: Host,
  wiring: Wiring,
  options: { useTls: boolean },
): Promise<Session | Failure> {
  const { timeouts, secureContext } = wiring
  const socket = await openSocket(host, wiring)
  if (!('writable' in socket)) return socket
  const setupMs = timeouts.greetingMs * 2 + timeouts.socketMs
  const dialogue = new Dialogue({
    connection: socket,
    host: host.host,
    port: host.port,
    secure: host.secure,
    ignoreTLS: !options.useTls,
    name: wiring.heloName,
    connectionTimeout: setupMs,
    greetingTimeout: timeouts.greetingMs,
    socketTimeout: timeouts.socketMs,
    maxResponseSize: SETUP_BYTES,
    tls: { rejectUnauthorized: false, ...(secureContext && { secureContext }) },
  })
  dialogue.allow(SETUP_BYTES)
  const problem = await greet(host, dialogue, setupMs)
  if (problem) {
    dialogue.close()
    socket.destroy()
    return problem
  }
  const extensions = parseExtensions(dialogue.lastServerResponse || '')
  return new Session({ host, dialogue, socket, extensions, transactionMs: timeouts.transactionMs })
}

function openSocket(host: Host, wiring: Wiring): Promise<Socket | Failure> {
  return new Promise((resolve) => {
    if (wiring.isClosed()) return resolve(failure(host, 'connect', { message: 'not tried, this process is stopping' }))
    const socket = connect({ host: host.address, port: host.port, noDelay: true })
    wiring.sockets.add(socket)
    const onError = (error: Error) => {
      clearTimeout(timer)
      resolve(failure(host, 'connect', error))
    }
    const timer = setTimeout(
      () => socket.destroy(Object.assign(new Error(), { code: 'ETIMEDOUT' })),
      wiring.timeouts.connectMs,
    )
    socket.once('error', onError).once('connect', () => {
      clearTimeout(timer)
      // Nobody may speak before nodemailer listens; it attaches itself a moment from now.
      socket.pause()
      // Errors from here on are nodemailer's, and once more ours when it has let go of the socket.
      socket.off('error', onError).on('error', () => {})
      resolve(socket)
    })
    socket.once('close', () => {
      clearTimeout(timer)
      wiring.sockets.delete(socket)
      resolve(failure(host, 'connect', { message: 'the connection was closed' }))
    })
  })
}

/** Null when all is well. nodemailer has three ways to say that it is not. */
function greet(host: Host, dialogue: Dialogue, setupMs: number): Promise<Failure | null> {
  return new Promise((resolve) => {
    const finish = (result: Failure | null) => {
      clearTimeout(timer)
      resolve(result)
    }
    const fail = (error: SmtpError) => finish(failure(host, stageOf(host, dialogue, error), error))
    const timer = setTimeout(() => fail(Object.assign(new Error(), { code: 'ETIMEDOUT' })), setupMs)
    dialogue.on('error', fail)
    dialogue.once('end', () => setImmediate(fail, Object.assign(new Error(), { code: 'ECONNECTION' })))
    dialogue.connect((error) => (error ? fail(error) : finish(null)))
  })
}

/** From the answer to STARTTLS to the second EHLO, everything that goes wrong without a reply is TLS going wrong. */
function stageOf(host: Host, dialogue: Dialogue, error: SmtpError): Failure['at'] {
  if (error.code === 'ETLS' || dialogue.upgrading) return 'tls'
  if (dialogue.secure && !host.secure && error.response === undefined) return 'tls'
  return 'greeting'
}
