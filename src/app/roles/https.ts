import type { Server } from 'node:http'
import { HttpsPort } from '../../adapters/tls/https-port.ts'
import type { Services } from '../../features/services.ts'
import { certificateFinder, commonCertificate } from './smtp.ts'

/** HTTPS without a proxy: what is said over TLS is taken by the HTTP server. Null: there is no port for it. */
export function createHttps(services: Services, server: Server): HttpsPort | null {
  const { config, log, certificates } = services
  if (config.HTTPS_PORT === undefined) return null
  return new HttpsPort({
    log,
    fallback: commonCertificate(services),
    certificateFor: certificateFinder(services) ?? (async () => null),
    challengeFor: (name) => certificates.findChallenge(name),
    take: (socket) => server.emit('connection', socket),
  })
}
