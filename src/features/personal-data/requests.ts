import type { AuditActor } from '../../kernel/audit/record.ts'
import { recordAudit } from '../../kernel/audit/record.ts'
import type { Database, Queryable, Transaction } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import type { Sealer } from '../../kernel/secrets.ts'
import { comparableAddress } from '../../mail/address.ts'
import { newId } from '../../platform/ids.ts'
import { ErasedAddresses } from '../emails/delivery/ledger/erased-addresses.ts'
import { findSuppressing } from './tables/obstacles.ts'
import type { Counts, Reached } from './tables/run.ts'

export type Action = 'report' | 'export' | 'erase'

/** A search for one address, and how far it has come. */
export interface PersonalDataRequest {
  readonly id: string
  /** Null: the whole installation. */
  readonly team: string | null
  readonly action: Action
  readonly status: 'queued' | 'running' | 'completed' | 'failed'
  readonly digest: string
  readonly reached: Reached | null
  readonly rowsSearched: string
  readonly counts: Counts
  readonly blob: string | null
  readonly createdAt: string
  readonly completedAt: string | null
}

const COLUMNS = sql`
  id, team_id as team, action, status, digest, reached, rows_searched as "rowsSearched", counts, file as blob, wire_time(created_at) as "createdAt",
  wire_time(completed_at) as "completedAt"`

export const contextOf = (id: string) => `personal-data:${id}`

/** Sealed anew when the secret key changes. */
export const SEALED_ADDRESS = {
  table: 'personal_data_requests',
  column: 'sealed_address',
  context: `'personal-data:' || id`,
}

export interface NewRequest {
  readonly team: string | null
  readonly action: Action
  readonly address: string
}

/** The one that was begun for the same address and not completed, or a new one. */
export async function openRequest(
  db: Queryable,
  sealer: Sealer,
  { team, action, address }: NewRequest,
): Promise<PersonalDataRequest> {
  const digest = digestOf(sealer, address)
  const [known] = await db.query<PersonalDataRequest>(sql`
    select ${COLUMNS} from personal_data_requests
    where digest = ${digest} and action = ${action} and team_id is not distinct from ${team}::uuid and completed_at is null
    order by id desc limit 1`)
  if (known) return known
  const id = newId(db.clock)
  const now = db.clock.now()
  const [made] = await db.query<PersonalDataRequest>(sql.write`
    insert into personal_data_requests (id, team_id, action, digest, sealed_address, created_at, updated_at)
    values (${id}, ${team}, ${action}, ${digest}, ${sealer.seal(comparableAddress(address), contextOf(id))}, ${now}, ${now})
    returning ${COLUMNS}`)
  return made!
}

/** What the audit log and the list of requests have in the place of the address. */
export const digestOf = (sealer: Sealer, address: string) => new ErasedAddresses(sealer).nameOf(address)

export async function findOfTeam(db: Queryable, team: string, id: string): Promise<PersonalDataRequest | undefined> {
  const [found] = await db.query<PersonalDataRequest>(sql`
    select ${COLUMNS} from personal_data_requests where team_id = ${team} and id = ${id}`)
  return found
}

/** The address of a request that is not completed. */
export async function addressOf(db: Queryable, sealer: Sealer, id: string): Promise<string | null> {
  const [row] = await db.query<{ sealed: Buffer | null; team: string | null }>(sql`
    select sealed_address as sealed, team_id as team from personal_data_requests where id = ${id}`)
  return row?.sealed ? sealer.open(row.sealed, contextOf(id)) : null
}

export async function saveProgress(
  db: Queryable,
  { id, team }: PersonalDataRequest,
  { reached, rows, counts }: { reached: Reached; rows: number; counts: Counts },
) {
  await db.query(sql.write`
    update personal_data_requests set status = 'running', reached = ${JSON.stringify(reached)}::jsonb,
      counts = ${JSON.stringify(counts)}::jsonb, rows_searched = rows_searched + ${rows}, updated_at = ${db.clock.now()}
    where id = ${id} and team_id is not distinct from ${team}::uuid`)
}

/** Ends a request: the address is gone from it, too. What was erased is told in the log of each team, by its digest. */
export async function completeRequest(
  db: Database,
  request: PersonalDataRequest,
  {
    counts,
    isComplete,
    blob = null,
    actor,
    andThen,
  }: {
    counts: Counts
    isComplete: boolean
    blob?: string | null
    actor: AuditActor
    /** Part of the same transaction. */
    andThen?: (trx: Transaction) => Promise<void>
  },
) {
  const now = db.clock.now()
  await db.transaction(async (trx) => {
    await trx.query(sql.write`
      update personal_data_requests set status = ${isComplete ? 'completed' : 'failed'}, counts = ${JSON.stringify(counts)}::jsonb, reached = null,
        sealed_address = null, file = ${blob}, updated_at = ${now}, completed_at = ${now}
      where id = ${request.id} and team_id is not distinct from ${request.team}::uuid`)
    if (request.action === 'report') return
    await andThen?.(trx)
    const teams = request.team === null ? await findSuppressing(trx, request.digest) : [request.team]
    for (const team of teams)
      await recordAudit(trx, {
        ...{ team, actor, action: `personal-data.${request.action}`, objectId: request.id },
        details: { digest: request.digest, counts, complete: isComplete },
      })
  })
}
