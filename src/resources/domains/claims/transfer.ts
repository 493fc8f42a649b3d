import { record } from '../../../outbox/record.ts'
import type { Config } from '../../../platform/config.ts'
import type { Transaction } from '../../../platform/db/database.ts'
import type { JobContext } from '../../../platform/jobs/job.ts'
import { lookUpText } from '../look-up.ts'
import { domainFact } from '../present.ts'
import { deleteDomain, findOwner, lockDomain } from '../queries.ts'
import { installationOf } from '../records.ts'
import { patience } from '../status.ts'
import {
  completeClaim,
  expireClaim,
  findOpenClaim,
  hasScheduledEmails,
  type OpenClaim,
  promotePlaceholder,
  putOffClaim,
  textOf,
} from './queries.ts'
import type { BlockedReason } from './schema.ts'

/** The life of an open claim, top to bottom: too late, not proven yet, proven but blocked, or done. */
export async function checkClaim({ db, clock, config, resolver }: JobContext, team: string, domainId: string) {
  const claim = await findOpenClaim(db, team, domainId)
  if (!claim) return
  const now = clock.now()
  if (now >= claim.expiresAt) return await db.transaction((trx) => expire(trx, config, team, domainId))

  const nextCheckAt = new Date(now.getTime() + patience(claim.createdAt, now))
  const finding = await lookUpText(resolver, claim.name, textOf(claim.token))
  await db.transaction(async (trx) => {
    const blockedReason = finding === 'right' ? await transfer(trx, config, team, claim) : null
    await putOffClaim(trx, team, domainId, { blockedReason, nextCheckAt })
  })
}

/** Without the placeholder the team can claim the name anew. */
async function expire(trx: Transaction, config: Config, team: string, domainId: string) {
  if (await expireClaim(trx, team, domainId)) await remove(trx, config, team, domainId)
}

/**
 * Takes the domain from whoever has it now and makes the placeholder the domain. Its keys were never the owner's, so the DNS has
 * to be changed and verified before mail can leave. Returns what is in the way.
 */
async function transfer(
  trx: Transaction,
  config: Config,
  team: string,
  { domainId, name }: OpenClaim,
): Promise<BlockedReason | null> {
  const owner = await findOwner(trx, name)
  if (owner && (await hasScheduledEmails(trx, owner.team, owner.id))) return 'pending_scheduled_emails'
  if (!(await completeClaim(trx, team, domainId))) return null
  if (owner) await remove(trx, config, owner.team, owner.id)
  await promotePlaceholder(trx, team, domainId)
  const domain = (await lockDomain(trx, team, domainId))!
  await record(trx, team, 'domain.updated', [domainFact(domain, installationOf(config))])
  return null
}

async function remove(trx: Transaction, config: Config, team: string, id: string) {
  const domain = await lockDomain(trx, team, id)
  if (!domain) return
  await record(trx, team, 'domain.deleted', [domainFact(domain, installationOf(config))])
  await deleteDomain(trx, team, id)
}
