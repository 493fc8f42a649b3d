import { recordSystemAudit } from '../../kernel/audit/record.ts'
import { record } from '../../kernel/outbox/record.ts'
import { isSandbox } from '../../platform/ids.ts'
import { planHealthCheck } from './health/queries.ts'
import { lookUp } from './look-up.ts'
import { domainEventData } from './present.ts'
import { deleteRetiredKeys, findDomain, lockDomain, replaceKeys, updateChecks } from './queries.ts'
import { installationOf, type NeededRecord, neededRecords } from './records.ts'
import type { DomainsServices } from './services.ts'
import { hasChanged, judge, keep, learn, mayReplaceKeys, nextCheckAt } from './status.ts'
import { learnSuggestions, lookUpSuggestions } from './suggestions.ts'

/** For so long the record of a key that signs no more should stay in the DNS: mail is tried for three days, and forwarded later. */
export const RETIRED_KEY_DAYS = 7

/** Looks the records of a domain up and writes down what came out. Nothing is locked while name servers are asked. */
export async function checkDomain({ db, clock, config, resolver }: DomainsServices, team: string, id: string) {
  const installation = installationOf(config)
  const asked = await findDomain(db, team, id)
  if (!asked || asked.is_placeholder) return
  // What a sandbox needs is there: it has no DNS, and asks that of nobody.
  const check = (needed: NeededRecord) => (isSandbox(team) ? 'right' : lookUp(resolver, needed))
  const needed = neededRecords(asked, installation).filter(({ isSuggestion }) => !isSuggestion)
  const [found, suggestions] = await Promise.all([
    Promise.all(needed.map(async (one) => [one, await check(one)] as const)),
    isSandbox(team) ? [] : lookUpSuggestions(resolver, asked),
  ])
  const findings = new Map(found)

  await db.transaction(async (trx) => {
    const before = await lockDomain(trx, team, id)
    if (!before) return
    const records = neededRecords(before, installation)
    // The domain may have been changed meanwhile: an answer counts for the record that was asked about, and for no other.
    const answers = new Map(
      [...findings].flatMap(([needed, finding]) => {
        const same = records.find(({ key, host }) => key === needed.key && host === needed.host)
        return same ? [[same.key, finding] as const] : []
      }),
    )
    const now = clock.now()
    const learned = learn(before.checks, records, answers, now)
    const isReplaced = mayReplaceKeys(learned, records)
    if (isReplaced) await replaceKeys(trx, team, id)
    await deleteRetiredKeys(trx, { team, domainId: id }, new Date(now.getTime() - RETIRED_KEY_DAYS * 86_400_000))
    const domain = isReplaced ? (await lockDomain(trx, team, id))! : before
    const needed = neededRecords(domain, installation)
    const checks = keep(learnSuggestions(learned, suggestions, now), needed)
    const state = judge(checks, needed)
    await updateChecks(trx, team, id, { ...state, checks, nextCheckAt: nextCheckAt(checks, now) })
    if (state.is_sending_verified && !isSandbox(team)) await planHealthCheck(trx, { team, domainId: id })
    if (state.status !== before.status) {
      const details = { name: domain.name, before: before.status, status: state.status }
      await recordSystemAudit(trx, team, { action: 'domains.checked', objectId: id, details })
    }
    if (isReplaced) {
      const details = { name: domain.name, selectors: domain.keys.map(({ selector }) => selector) }
      await recordSystemAudit(trx, team, { action: 'domains.key-replaced', objectId: id, details })
    }
    if (hasChanged(before.checks, checks))
      await record(trx, team, 'domain.updated', [domainEventData({ ...domain, ...state, checks }, installation)])
  })
}
