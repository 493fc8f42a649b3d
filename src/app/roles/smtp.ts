import { X509Certificate } from 'node:crypto'
import { SmtpListener } from '../../adapters/smtp-server/listener.ts'
import { type Certificate, openCertificate } from '../../adapters/tls/certificate.ts'
import { MAX_ATTACHMENT_BYTES } from '../../features/emails/attachments.ts'
import type { Submitter } from '../../features/emails/smtp/submission.ts'
import type { Services } from '../../features/services.ts'
import { hostName, isLoopback, offersStartTls, smtpHost } from '../../platform/settings/config.ts'
import { smtpPorts } from '../../platform/settings/smtp-ports.ts'
import { createSmtpHandler } from './smtp-handler.ts'

/** A message has a header and a text besides its attachments. */
const MAX_TEXT_BYTES = 2 * 1024 * 1024

export type Smtp = SmtpListener<Submitter>

/** Looked up once for each certificate: it is the same object for as long as the files are the same. */
function expiryOf(certificate: () => Certificate): () => number {
  let known: { certificate: Certificate; at: number } | undefined
  return () => {
    const current = certificate()
    if (known?.certificate !== current)
      known = { certificate: current, at: Date.parse(new X509Certificate(current.cert).validTo) }
    return known.at
  }
}

/** The one that clients see who ask for no name: of the settings, by ACME, or one that we sign ourselves. */
export function commonCertificate({ config, log, clock, certificates }: Services): () => Certificate {
  const files = openCertificate(config, hostName(config), log, clock)
  return config.TLS_CERT === undefined ? () => certificates.own ?? files() : files
}

/** By the name that a client asks for, where there is more than one. The files of the settings are for the name of the mail server, whatever else there is. */
export function certificateFinder({ config, certificates }: Pick<Services, 'config' | 'certificates'>) {
  if (config.ACME === undefined) return null
  const own = config.TLS_CERT === undefined ? null : hostName(config)
  return async (name: string) => (name.toLowerCase() === own ? null : certificates.find(name))
}

/** The SMTP server: mail from others for our domains, and mail of ours from clients that log in. */
export function createSmtp(services: Services): Smtp {
  const { config, clock, log, metrics } = services
  const hostname = hostName(config)
  const certificate = commonCertificate(services)
  const certificateFor = certificateFinder(services)
  const listener = new SmtpListener({
    handler: createSmtpHandler(services),
    log,
    host: smtpHost(config),
    ports: smtpPorts(config),
    hostname,
    maxMessageBytes: MAX_ATTACHMENT_BYTES + MAX_TEXT_BYTES,
    certificate,
    ...(certificateFor && { certificateFor }),
    offersStartTls: offersStartTls(config),
    proxies: config.SMTP_PROXIES,
    // On a laptop there is nobody in between; and where there is no TLS to ask for, any password is taken.
    allowPlaintextAuth: isLoopback(smtpHost(config)) || !offersStartTls(config),
  })
  metrics.addGauge(
    { name: 'postwren_smtp', help: 'SMTP sessions, and bytes of incoming messages.', labelNames: ['what'] },
    async () => [
      { labels: { what: 'sessions' }, value: listener.load.sessions },
      { labels: { what: 'message_bytes' }, value: listener.load.messageBytes },
    ],
  )
  const expiry = expiryOf(certificate)
  metrics.addGauge(
    {
      name: 'postwren_smtp_certificate_expires_in_seconds',
      help: 'Time until the certificate for SMTP expires; below 0 it has.',
      labelNames: [],
    },
    async () => [{ labels: {}, value: (expiry() - clock.now().getTime()) / 1_000 }],
  )
  return listener
}
