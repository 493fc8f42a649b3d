import { connect, type Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import { Connection } from './connection.ts'
import type { Host } from './destination.ts'
import { type Failure, failure, isFailure } from './failure.ts'
import { ClientSession, REPLY_BYTES } from './session.ts'
import { Setup } from './setup.ts'

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

/** So that a firewall does not forget a session that waits for an answer. */
const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelay: 30_000 }

/**
 * Connects, and goes through greeting, EHLO and STARTTLS where it is offered. Certificates are not judged here: without a
 * demand for proof, an encrypted session with a stranger is still better than an open one.
 */
export async function openSession(
  host: Host,
  wiring: Wiring,
  options: { useTls: boolean },
): Promise<ClientSession | Failure> {
  const { heloName, secureContext, timeouts } = wiring
  const { greetingMs, socketMs, transactionMs } = timeouts
  const socket = await openSocket(host, wiring)
  if (isFailure(socket)) return socket
  const connection = new Connection(socket, { host: host.host, secureContext, socketMs })
  const extensions = await connection.run(new Setup(host, { heloName, greetingMs, ...options }), {
    totalMs: greetingMs * 2 + socketMs,
    late: { code: 'ETIMEDOUT' },
    replyBytes: REPLY_BYTES,
  })
  return isFailure(extensions) ? extensions : new ClientSession({ host, connection, extensions, transactionMs })
}

function openSocket(host: Host, wiring: Wiring): Promise<Socket | Failure> {
  return new Promise((resolve) => {
    if (wiring.isClosed()) return resolve(failure(host, 'connect', { message: 'not tried, this process is stopping' }))
    const socket = connect({ host: host.address, port: host.port, noDelay: true, ...KEEP_ALIVE })
    wiring.sockets.add(socket)
    const onError = (error: Error) => {
      clearTimeout(timer)
      resolve(failure(host, 'connect', error))
    }
    const timer = setTimeout(
      () => socket.destroy(Object.assign(new Error(), { code: 'ETIMEDOUT' })),
      wiring.timeouts.connectMs,
    )
    socket.on('error', onError).once('connect', () => {
      clearTimeout(timer)
      resolve(socket)
    })
    socket.once('close', () => {
      clearTimeout(timer)
      wiring.sockets.delete(socket)
      resolve(failure(host, 'connect', { message: 'the connection was closed' }))
    })
  })
}
