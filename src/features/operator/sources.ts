import { type AuditActor, recordAuditOfTeams } from '../../kernel/audit/record.ts'
import type { Database, Transaction } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import { steerWarmUp } from '../emails/delivery/sources/list.ts'
import { TEAMS_OF_PEOPLE } from '../teams/reads.ts'

/** Which warm-up: of a source or a sending domain, at a provider or at all. */
export interface SteeredWarmUp {
  readonly kind: 'source' | 'domain'
  readonly identity: string
  readonly provider: string | null
}

interface Because {
  /** Nobody is asked for one on the machine. */
  readonly reason?: string
}

type Steer = (trx: Transaction, actor: AuditActor, warmUp: SteeredWarmUp & Because) => Promise<void>

/** Begins a warm-up anew: the provider gets 50 messages today. In the audit log of all teams, since sources are for all. */
export const restartWarmUpIn = steering('restarted', 'sources.restart')

/** Ends a warm-up: the provider knows the sender. */
export const finishWarmUpIn = steering('finished', 'sources.finish')

const inTransaction =
  (steer: Steer) =>
  (db: Database, actor: AuditActor, warmUp: SteeredWarmUp): Promise<void> =>
    db.transaction((trx) => steer(trx, actor, warmUp))

export const restartWarmUp = inTransaction(restartWarmUpIn)
export const finishWarmUp = inTransaction(finishWarmUpIn)

function steering(event: 'restarted' | 'finished', action: string): Steer {
  return async (trx, actor, { reason, ...warmUp }) => {
    const { kind, identity, provider } = warmUp
    const details = {
      [kind]: identity,
      ...(provider !== null && { provider }),
      ...(reason !== undefined && { reason }),
    }
    await steerWarmUp(trx, warmUp, event)
    await recordAuditOfTeams(trx, sql`select id as team_id from ${TEAMS_OF_PEOPLE} t`, { actor, action, details })
  }
}
