import type { Transaction } from '../../kernel/db/database.ts'
import type { Actor } from '../../kernel/http/actor.ts'
import { found, Problem } from '../../kernel/http/problem.ts'
import { enqueue } from '../../kernel/jobs/queries.ts'
import { findEmail } from '../emails/reads.ts'
import { isReceived } from '../inbound/index.ts'
import { removal } from '../messages/index.ts'
import { emptyLogsJob, performJob } from './jobs.ts'
import { LATE_LOGS_MS } from './late-logs.ts'
import { type Action, findOfTeam, openRequest, type PersonalDataRequest } from './requests.ts'
import type { PersonalDataServices } from './services.ts'
import { blobsOf } from './tables/acts.ts'
import { removeLoose } from './tables/blobs.ts'
import { findObstacle } from './tables/obstacles.ts'
import { deleteTraces } from './tables/remove-mail.ts'

/**
 * Deletes an email that was sent, with all that is kept of it. One that is scheduled or queued is not sent any more; what a worker has in flight may
 * arrive, and nothing is written down about it.
 */
export async function removeEmail(services: PersonalDataServices, actor: Actor, id: string) {
  found(await findEmail(services.db, actor.team, id), 'Email')
  await removeMail(services, actor, id)
}

export async function removeReceived(services: PersonalDataServices, actor: Actor, id: string) {
  found((await isReceived(services.db, actor.team, id)) || undefined, 'Email')
  await removeMail(services, actor, id)
}

async function removeMail({ db, blobs }: PersonalDataServices, { team }: Actor, id: string) {
  const files = new Set(await blobsOf(db, team, id))
  const andTheir = async (trx: Transaction, gone: readonly string[]) => {
    await deleteTraces(trx, team, gone)
    // Once now, and once when the logs of requests that were answered just before are written.
    const now = trx.clock.now()
    await enqueue(trx, emptyLogsJob, { team, emails: [...gone] })
    await enqueue(trx, emptyLogsJob, { team, emails: [...gone] }, { runAt: new Date(now.getTime() + LATE_LOGS_MS) })
  }
  const removed = await removal.removeSome({ db, andTheir }, team, [id])
  found(removed > 0 || undefined, 'Email')
  // What cannot be removed now is swept within a day.
  await removeLoose(db, blobs, files).catch(() => {})
}

export async function requestPersonalData(
  services: PersonalDataServices,
  { team }: Actor,
  { address, action }: { address: string; action: Action },
): Promise<PersonalDataRequest> {
  const obstacle = action === 'erase' ? await findObstacle(services, address, team) : null
  if (obstacle !== null) throw new Problem('validation_error', obstacle)
  return services.db.transaction(async (trx) => {
    const request = await openRequest(trx, services.sealer, { team, action, address })
    await enqueue(trx, performJob, { team, id: request.id }, { key: request.id })
    return request
  })
}

export const requireRequest = async ({ db }: PersonalDataServices, { team }: Actor, id: string) =>
  found(await findOfTeam(db, team, id), 'Request')

export const presentRequest = (request: PersonalDataRequest) => ({
  ...{ object: 'personal_data_request' as const, id: request.id, action: request.action, status: request.status },
  ...{ digest: request.digest, rows_searched: Number(request.rowsSearched), counts: request.counts },
  ...{ created_at: request.createdAt, completed_at: request.completedAt },
})

/** What was found, while it is kept. */
export async function readExport({ db, blobs }: PersonalDataServices, { team }: Actor, id: string): Promise<Buffer> {
  const { blob } = found(await findOfTeam(db, team, id), 'Request')
  return found((blob === null ? null : await blobs.get(blob)) ?? undefined, 'Export')
}
