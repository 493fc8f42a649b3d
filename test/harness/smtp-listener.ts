import { onTestFinished } from 'vitest'
import type { SmtpHandler, SmtpMail } from '../../src/adapters/smtp-server/handler.ts'
import type { Limits } from '../../src/adapters/smtp-server/limits.ts'
import { SmtpListener, type SmtpListenerOptions } from '../../src/adapters/smtp-server/listener.ts'
import type { Certificate } from '../../src/adapters/tls/certificate.ts'
import { createLog } from '../../src/platform/observability/log.ts'
import { ObservedList } from './changes.ts'
import { CERTIFICATE, PRIVATE_KEY } from './mail-conversation.ts'

export const PAIR: Certificate = { key: PRIVATE_KEY, cert: CERTIFICATE }

/**
 * A listener with a port for STARTTLS and one for TLS, and a handler that takes everything and lets in whoever knows the word `sesame`,
 * unless a test says otherwise. Stopped when the test ends.
 */
export async function startListener(
  options: { handler?: Partial<SmtpHandler<string>>; limits?: Partial<Limits> } & Partial<
    Omit<SmtpListenerOptions<string>, 'handler' | 'limits'>
  > = {},
) {
  const { handler, limits, ...rest } = options
  const taken = new ObservedList<SmtpMail<string>>()
  const lines: string[] = []
  const log = createLog({ level: 'debug', isTerminal: false, destination: { write: (line) => void lines.push(line) } })
  const listener = new SmtpListener<string>({
    handler: {
      authenticate: async ({ username, password }) =>
        password === 'sesame'
          ? username
          : { code: 535, enhanced: '5.7.8', message: 'Authentication credentials invalid' },
      renew: async (user) => user,
      checkRecipient: async () => null,
      take: async (mail) => {
        taken.push(mail)
        return { kind: 'accepted', message: `Queued as ${taken.length}` }
      },
      ...handler,
    },
    log,
    host: '127.0.0.1',
    ports: [
      { port: 0, tls: 'starttls' },
      { port: 0, tls: 'implicit' },
    ],
    certificate: () => PAIR,
    hostname: 'mx.test',
    allowPlaintextAuth: false,
    offersStartTls: true,
    maxMessageBytes: 1024 * 1024,
    limits: { loginDelayMs: 1, ...limits },
    ...rest,
  })
  await listener.start()
  onTestFinished(() => listener.stop(0))
  const [plain, encrypted] = listener.addresses
  return { listener, taken, lines, port: plain!.port, tlsPort: encrypted?.port ?? 0 }
}
