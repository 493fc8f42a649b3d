import { record } from '../../../kernel/outbox/record.ts'
import { POLICY_LABEL } from '../../../mail/hosted-policy.ts'
import { isSandbox } from '../../../platform/ids.ts'
import { findDomain, lockDomain, type StoredDomain } from '../queries.ts'
import type { DomainOfTeam } from '../recheck.ts'
import { installationOf } from '../records.ts'
import type { DomainsServices } from '../services.ts'
import { domainLists, isListed } from './blocklists.ts'
import { examineOrdered } from './certificates.ts'
import { examineDomain } from './examine.ts'
import { changesOf, type Finding, type Found, withSince } from './finding.ts'
import { findKeysSince, lockHealth, writeHealth } from './queries.ts'

const DAY_MS = 86_400_000

/**
 * Examines a domain and writes down what was found. Nothing is locked while name servers are asked. The next time is a day later, so domains
 * stay spread over the day as they were verified.
 */
export async function checkHealth({ db, clock, config, resolver }: DomainsServices, of: DomainOfTeam) {
  const { team, domainId } = of
  const domain = await findDomain(db, team, domainId)
  // A sandbox has no DNS.
  if (!domain || domain.is_placeholder || isSandbox(team)) return
  const keysSince = await findKeysSince(db, of)
  const installation = installationOf(config)
  const [certificates, examined, listed] = await Promise.all([
    examineOrdered(db, hostedNames(domain), clock.now()),
    examineDomain({ ...domain, keysSince }, { resolver, installation, now: clock.now() }),
    Promise.all(
      domainLists(config).map((zone) => examineList(zone, domain.name, (what) => isListed(resolver, zone, what))),
    ),
  ])
  await db.transaction(async (trx) => {
    if (!(await lockDomain(trx, team, domainId))) return
    const before = await lockHealth(trx, of)
    const now = clock.now()
    const findings = withSince([...examined, ...listed, ...certificates], before, now)
    await writeHealth(trx, of, { findings, nextCheckAt: new Date(now.getTime() + DAY_MS) })
    const { broken, recovered } = changesOf(before, findings)
    const data = (some: readonly Finding[]) => ({ id: domainId, name: domain.name, findings: some })
    if (broken.length > 0) await record(trx, team, 'domain.degraded', [data(broken)])
    if (recovered.length > 0) await record(trx, team, 'domain.recovered', [data(recovered)])
  })
}

/** Names of the domain that lead to this installation. Which of them need a certificate by ACME is known by whoever orders. */
const hostedNames = ({ name, tracking_subdomain: tracking }: StoredDomain): string[] => [
  `${POLICY_LABEL}.${name}`,
  ...(tracking === null ? [] : [`${tracking}.${name}`]),
]

async function examineList(
  zone: string,
  domain: string,
  ask: (what: { domain: string }) => Promise<boolean | null>,
): Promise<Found> {
  const check = `blocklist:${zone}`
  const listed = await ask({ domain })
  if (listed === null) return { check, status: 'unknown', message: `${zone} did not answer.` }
  return listed
    ? {
        check,
        status: 'problem',
        message: `${domain} is on ${zone}. Find out why on its site, end the cause, then ask for removal.`,
      }
    : { check, status: 'ok', message: `${domain} is not on ${zone}.` }
}
