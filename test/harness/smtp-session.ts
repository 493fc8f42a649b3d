import { Admission } from '../../src/adapters/smtp-server/admission.ts'
import type { ListenerContext } from '../../src/adapters/smtp-server/context.ts'
import { Deadline } from '../../src/adapters/smtp-server/deadline.ts'
import type { SmtpMail } from '../../src/adapters/smtp-server/handler.ts'
import { LIMITS } from '../../src/adapters/smtp-server/limits.ts'
import { Proxies } from '../../src/adapters/smtp-server/proxies.ts'
import { ServerSession } from '../../src/adapters/smtp-server/session.ts'
import { Semaphore } from '../../src/platform/concurrency/semaphore.ts'
import { TokenBuckets } from '../../src/platform/concurrency/token-buckets.ts'
import { createLog } from '../../src/platform/observability/log.ts'
import { RepeatedErrors } from '../../src/platform/observability/repeated-errors.ts'
import { ObservedList } from './changes.ts'

/**
 * A session without a socket: greeted, encrypted, and with a handler that takes everything but mail for `nobody`. What it says is kept;
 * `write` says when the client has read it.
 */
export async function startSession(write: () => Promise<void> | void = () => {}) {
  const taken: SmtpMail<string>[] = []
  const written = new ObservedList<string>()
  const memory = new Semaphore(LIMITS.memoryBytes)
  const limits = { ...LIMITS, loginDelayMs: 0 }
  const log = createLog({ level: 'error', isTerminal: false, destination: { write: () => {} } })
  const context: ListenerContext<string> = {
    handler: {
      authenticate: async ({ username }) => username,
      renew: async (user) => user,
      checkRecipient: async (to) =>
        to.startsWith('nobody@') ? { code: 550, enhanced: '5.1.1', message: 'Nobody here' } : null,
      take: async (mail) => {
        taken.push(mail)
        return { kind: 'accepted', message: `Queued as ${taken.length}` }
      },
    },
    log,
    handlerErrors: new RepeatedErrors(log, 'smtp: session failed'),
    ...{
      hostname: 'mx.test',
      maxMessageBytes: 1_000_000,
      allowPlaintextAuth: true,
      offersStartTls: true,
      limits,
      memory,
    },
    freeBytes: memory.free,
    admission: new Admission(limits),
    proxies: new Proxies([], limits, log),
    failedLogins: new TokenBuckets({ limit: 30, periodMs: 300_000 }),
    underway: new Set(),
  }
  const transport = {
    id: 'session',
    address: '127.0.0.1',
    deadline: new Deadline(limits),
    isClosed: false,
    write: (text: string) => {
      written.push(text)
      return write()
    },
    encrypt: async () => false,
    close: () => {
      transport.isClosed = true
    },
  }
  const session = new ServerSession(context, transport, true)
  await session.greet()
  written.length = 0
  return { session, transport, limits, memory, written, taken }
}

/** What a session says to these packets, and takes. It hears a packet when it is done with the one before. */
export async function talk(packets: readonly (Buffer | string)[]) {
  const { session, transport, memory, written, taken } = await startSession()
  for (const packet of packets)
    await new Promise<void>((resolve, reject) =>
      session.parser.write(packet, (error) => (error ? reject(error) : resolve())),
    )
  session.end()
  const mails = taken.map(({ raw, from, recipients }) => [raw.toString('latin1'), from, recipients])
  return { text: written.join(''), written, mails, isClosed: transport.isClosed, usedBytes: memory.used }
}
