import type { Actor } from '../../../kernel/http/actor.ts'
import { found } from '../../../kernel/http/problem.ts'
import { enqueue } from '../../../kernel/jobs/queries.ts'
import { findDomain } from '../queries.ts'
import type { DomainsServices } from '../services.ts'
import { diagnoseDomain } from './jobs.ts'

/** Examines it now, in the background. Asked for again meanwhile, it is done once. */
export function startHealthCheck({ db }: DomainsServices, { team }: Actor, id: string): Promise<void> {
  return db.transaction(async (trx) => {
    found(await findDomain(trx, team, id), 'Domain')
    await enqueue(trx, diagnoseDomain, { team, domainId: id }, { key: id })
  })
}
