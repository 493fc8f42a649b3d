import type { Queryable } from '../../../kernel/db/database.ts'
import { findCertificatesOf, type NamedCertificate } from '../../tls/reads.ts'
import type { Found } from './finding.ts'

const DAY_MS = 86_400_000
/** How long before its end a certificate that is not renewed is a problem. */
export const SOON_DAYS = 14

/** The certificates by ACME of these names, as far as they are wanted. */
export async function examineOrdered(db: Queryable, names: readonly string[], now: Date): Promise<Found[]> {
  if (names.length === 0) return []
  return (await findCertificatesOf(db, names)).map((certificate) => ordered(certificate, now))
}

function ordered({ name, expiresAt, problem }: NamedCertificate, now: Date): Found {
  const check = `certificate:${name}`
  const day = expiresAt?.toISOString().slice(0, 10)
  const said = problem ? ` The authority says: ${problem.slice(0, 500)}` : ''
  if (!expiresAt || expiresAt <= now)
    return problem === null
      ? { check, status: 'unknown', message: `The certificate of ${name} is ordered, and not there yet.` }
      : { check, status: 'problem', message: `There is no certificate of ${name}.${said}` }
  // Short ones are renewed in their last days: that is a problem only if it fails.
  if (problem !== null && expiresAt.getTime() < now.getTime() + SOON_DAYS * DAY_MS)
    return {
      check,
      status: 'problem',
      message: `The certificate of ${name} expires on ${day}, and is not renewed.${said}`,
    }
  return { check, status: 'ok', message: `The certificate of ${name} is valid until ${day}.` }
}
