import { connect, isIPv6, type Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import type { SourceAddresses } from '../../platform/settings/settings.ts'
import { Connection } from './connection.ts'
import type { Conversation } from './conversation.ts'
import type { Host } from './destination.ts'
import { type Failure, failure, isFailure } from './failure.ts'
import { ClientSession, REPLY_BYTES } from './session.ts'
import { Setup } from './setup.ts'
import type { Timeouts } from './timeouts.ts'

export interface Wiring {
  /** What we call ourselves in EHLO. */
  readonly heloName: string
  readonly sourceAddresses: SourceAddresses
  /** Where these are from, where it is not the setting. */
  readonly sourceWords?: string
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
 * demand for proof, an encrypted session with an unknown server is still better than an open one.
 */
export async function openSession(
  host: Host,
  wiring: Wiring,
  {
    useTls,
    usePipelining,
    conversation,
  }: { useTls: boolean; usePipelining: boolean; conversation?: Conversation | undefined },
): Promise<ClientSession | Failure> {
  const { heloName, secureContext, timeouts } = wiring
  const { greetingMs, commandMs, dataBlockMs } = timeouts
  const { host: name, address, port } = host
  if (conversation) conversation.peer = { host: name, address, port, localAddress: null, heloName: null, tls: null }
  conversation?.note(`connecting to ${name} (${address}), port ${port}`)
  const socket = await openSocket(host, wiring)
  if (isFailure(socket)) {
    conversation?.note(socket.reply)
    return socket
  }
  conversation?.note(`connected from ${socket.localAddress}`)
  const connection = new Connection(socket, { host: host.host, secureContext, commandMs, dataBlockMs })
  const offered = await connection.run(new Setup(host, { heloName, greetingMs, useTls }), {
    totalMs: greetingMs * 2 + commandMs,
    late: { code: 'ETIMEDOUT' },
    replyBytes: REPLY_BYTES,
    conversation,
  })
  if (isFailure(offered)) return offered
  const extensions = usePipelining ? offered : { ...offered, hasPipelining: false }
  return new ClientSession({ host, connection, extensions, timeouts, heloName })
}

const noSource = ({ sourceWords = 'POSTWREN_SOURCE_ADDRESS' }: Wiring) =>
  `not tried, ${sourceWords} has no address of this kind`

/** Where to connect from. Null: from nowhere, since mail is to leave from addresses of another kind only. */
function sourceFor({ address }: Host, { v4, v6 }: SourceAddresses): { localAddress?: string } | null {
  if (v4 === undefined && v6 === undefined) return {}
  const localAddress = isIPv6(address) ? v6 : v4
  return localAddress === undefined ? null : { localAddress }
}

function openSocket(host: Host, wiring: Wiring): Promise<Socket | Failure> {
  return new Promise((resolve) => {
    if (wiring.isClosed()) return resolve(failure(host, 'connect', { message: 'not tried, this process is stopping' }))
    const source = sourceFor(host, wiring.sourceAddresses)
    if (source === null) return resolve(failure(host, 'connect', { message: noSource(wiring) }))
    const socket = connect({ host: host.address, port: host.port, ...source, noDelay: true, ...KEEP_ALIVE })
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
