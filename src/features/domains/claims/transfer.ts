import { recordSystemAudit } from '../../../kernel/audit/record.ts'
import type { Transaction } from '../../../kernel/db/database.ts'
import type { Config } from '../../../platform/settings/config.ts'
import { hasScheduledEmails } from '../../emails/reads.ts'
import { dropDomain, recordDomain } from '../actions.ts'
import { lookUpText } from '../look-up.ts'
import { findOwner } from '../queries.ts'
import { recheckDelayMs } from '../status.ts'
import {
  completeClaim,
  expireClaim,
  findOpenClaim,
  type OpenClaim,
  promotePlaceholder,
  putOffClaim,
  textOf,
} from './queries.ts'
import type { BlockedReason } from './schema.ts'
import type { DomainsClaimsServices } from './services.ts'

/** The life of an open claim, top to bottom: too late, not proven yet, proven but blocked, or done. */
export async function checkClaim(
  { db, clock, config, resolver }: DomainsClaimsServices,
  team: string,
  domainId: string,
) {
  const claim = await findOpenClaim(db, team, domainId)
  if (!claim) return
  const now = clock.now()
  if (now >= claim.expiresAt) return await db.transaction((trx) => expire(trx, config, { team, domainId }))

  const nextCheckAt = new Date(now.getTime() + recheckDelayMs(claim.createdAt, now))
  const finding = await lookUpText(resolver, claim.name, textOf(claim.token))
  await db.transaction(async (trx) => {
    const blockedReason = finding === 'right' ? await transfer(trx, config, { ...claim, team }) : null
    await putOffClaim(trx, team, domainId, { blockedReason, nextCheckAt })
  })
}

/** Without the placeholder the team can claim the name anew. */
async function expire(
  trx: Transaction,
  config: Config,
  { team, domainId }: { readonly team: string; readonly domainId: string },
) {
  if (await expireClaim(trx, team, domainId)) await dropDomain(trx, config, { team, id: domainId })
}

/**
 * Takes the domain from whoever has it now and makes the placeholder the domain. Its keys were never the owner's, so the DNS has
 * to be changed and verified before mail can leave. Returns what is in the way.
 */
async function transfer(
  trx: Transaction,
  config: Config,
  { team, domainId, name }: Pick<OpenClaim, 'domainId' | 'name'> & { readonly team: string },
): Promise<BlockedReason | null> {
  const owner = await findOwner(trx, team, name)
  // Mail that the owner has promised to send later from this domain.
  if (owner && (await hasScheduledEmails(trx, owner.team, owner.id))) return 'pending_scheduled_emails'
  if (!(await completeClaim(trx, team, domainId))) return null
  const details = { name }
  if (owner) {
    await dropDomain(trx, config, owner)
    await recordSystemAudit(trx, owner.team, { action: 'domains.lost', objectId: owner.id, details })
  }
  await promotePlaceholder(trx, team, domainId)
  await recordSystemAudit(trx, team, { action: 'domains.claimed', objectId: domainId, details })
  await recordDomain(trx, config, { team, id: domainId, type: 'domain.updated' })
  return null
}
