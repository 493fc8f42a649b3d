import { X509Certificate } from 'node:crypto'
import { requireCertificateFiles } from '../../../adapters/tls/certificate.ts'
import { hostName, isLoopback, offersStartTls } from '../../../platform/settings/config.ts'
import { type CheckInput, type Finding, fault, fine, warning } from './finding.ts'

const DAY = 86_400_000
const SOON_DAYS = 14

/** That key and certificate belong together, that it is its time, and that it is for this host. */
export function checkCertificate({ config }: CheckInput, now: number): Finding[] {
  if (!config.ROLES.includes('smtp')) return []
  const pair = requireCertificateFiles(config)
  if (!offersStartTls(config))
    return [fine('tls', 'TLS for SMTP: not offered in inbox mode. Set POSTWREN_SMTP_STARTTLS=on to offer it.')]
  if (!pair && config.ACME !== undefined)
    return [fine('tls', `TLS for SMTP: certificates by ACME (${config.ACME}), self-signed until there is one.`)]
  if (!pair) {
    const message = 'TLS for SMTP: self-signed certificate'
    return [
      isLoopback(config.HOST)
        ? fine('tls', `${message}.`)
        : warning('tls', `${message}; other servers accept it, mail clients do not. Set POSTWREN_TLS_CERT.`),
    ]
  }
  const certificate = new X509Certificate(pair.cert)
  const [from, until] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)]
  const day = (moment: number) => new Date(moment).toISOString().slice(0, 10)
  if (until < now) return [fault('tls', `The certificate of POSTWREN_TLS_CERT expired on ${day(until)}: renew it.`)]
  if (from > now) return [fault('tls', `The certificate of POSTWREN_TLS_CERT is valid from ${day(from)} on, not yet.`)]
  const days = Math.floor((until - now) / DAY)
  const host = hostName(config)
  return [
    days < SOON_DAYS
      ? warning('tls', `The certificate of POSTWREN_TLS_CERT expires on ${day(until)}, in ${days} days: renew it.`)
      : fine('tls', `TLS for SMTP: the certificate of POSTWREN_TLS_CERT, valid until ${day(until)}.`),
    ...(certificate.checkHost(host)
      ? []
      : [
          warning(
            'tls',
            `The certificate of POSTWREN_TLS_CERT is not for ${host} (${certificate.subjectAltName ?? certificate.subject}): set POSTWREN_HOSTNAME, or get one for it.`,
          ),
        ]),
  ]
}
