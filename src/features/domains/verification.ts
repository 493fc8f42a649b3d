import { recordSystemAudit } from '../../kernel/audit/record.ts'
import { record } from '../../kernel/outbox/record.ts'
import { isSandbox } from '../../platform/ids.ts'
import { lookUp } from './look-up.ts'
import { domainEventData } from './present.ts'
import { findDomain, lockDomain, updateChecks } from './queries.ts'
import { installationOf, type NeededRecord, neededRecords } from './records.ts'
import type { DomainsServices } from './services.ts'
import { hasChanged, judge, learn, nextCheckAt } from './status.ts'

/** Looks the records of a domain up and writes down what came out. Nothing is locked while name servers are asked. */
export async function checkDomain({ db, clock, config, resolver }: DomainsServices, team: string, id: string) {
  const installation = installationOf(config)
  const asked = await findDomain(db, team, id)
  if (!asked || asked.is_placeholder) return
  // What a sandbox needs is there: it has no DNS, and asks that of nobody.
  const check = (needed: NeededRecord) => (isSandbox(team) ? 'right' : lookUp(resolver, needed))
  const findings = new Map(
    await Promise.all(neededRecords(asked, installation).map(async (needed) => [needed, await check(needed)] as const)),
  )

  await db.transaction(async (trx) => {
    const domain = await lockDomain(trx, team, id)
    if (!domain) return
    const records = neededRecords(domain, installation)
    // The domain may have been changed meanwhile: an answer counts for the record that was asked about, and for no other.
    const answers = new Map(
      [...findings].flatMap(([needed, finding]) => {
        const same = records.find(({ key, host }) => key === needed.key && host === needed.host)
        return same ? [[same.key, finding] as const] : []
      }),
    )
    const now = clock.now()
    const checks = learn(domain.checks, records, answers, now)
    const state = judge(checks, records)
    await updateChecks(trx, team, id, { ...state, checks, nextCheckAt: nextCheckAt(checks, now) })
    if (state.status !== domain.status) {
      const details = { name: domain.name, before: domain.status, status: state.status }
      await recordSystemAudit(trx, team, { action: 'domains.checked', objectId: id, details })
    }
    if (hasChanged(domain.checks, checks))
      await record(trx, team, 'domain.updated', [domainEventData({ ...domain, ...state, checks }, installation)])
  })
}
