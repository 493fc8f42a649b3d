import type { Transaction } from '../../kernel/db/database.ts'
import type { Actor } from '../../kernel/http/actor.ts'
import { Problem } from '../../kernel/http/problem.ts'
import { type Imported, keptId, type Provenance } from '../imported.ts'
import { requireBelowLimit } from '../limits.ts'
import { readDomain } from './actions.ts'
import { sealKey } from './keys.ts'
import { presentDomain } from './present.ts'
import { findDomain, findOwner, insertDomain, insertKey, type StoredDomain } from './queries.ts'
import { refuseForeignName } from './receivers.ts'
import { installationOf } from './records.ts'
import type { NewDomain } from './schema.ts'
import type { DomainsServices } from './services.ts'

export type DomainWithRecords = ReturnType<typeof presentDomain>

/**
 * A domain of another account. It has keys of its own here and is not verified: its records are new. One with its name that the team has
 * already stays as it is.
 */
export async function importDomain(
  services: DomainsServices,
  actor: Actor,
  domain: Provenance & NewDomain,
): Promise<Imported & { readonly domain: DomainWithRecords }> {
  const { db, config, sealer } = services
  const { team } = actor
  const values = readDomain(domain)
  const owner = await findOwner(db, team, values.name)
  if (owner && owner.team !== team) throw new Problem('domain_taken', 'Another team of this installation has it.')
  if (owner) return withRecords(services, (await findDomain(db, team, owner.id))!, 'unchanged')
  if (values.receiving) await refuseForeignName(db, config, team, values.name)
  await requireBelowLimit(services, team, 'domains')
  const keys = await services.domainKeys.make(domain.dkim, { team })
  const written = await db.transaction(async (trx: Transaction) => {
    const former = { id: keptId(domain), created_at: domain.created_at, updated_at: domain.created_at }
    const id = await insertDomain(trx, team, { ...values, ...former }, false)
    if (!id) throw new Problem('domain_taken', 'Its name or its id is taken.')
    for (const key of keys) await insertKey(trx, team, id, { ...key, sealed: sealKey(sealer, id, key) })
    return (await findDomain(trx, team, id))!
  })
  return withRecords(services, written, 'created')
}

/** The records that the domain would need here, without making it: those with a key say so. */
export const withRecords = (
  { config }: Pick<DomainsServices, 'config'>,
  domain: StoredDomain,
  outcome: Imported['outcome'],
) => ({ id: domain.id, outcome, domain: presentDomain(domain, installationOf(config)) })
