import Type, { type Static } from 'typebox'
import type { Queryable, Transaction } from '../../kernel/db/database.ts'
import { join, raw, sql } from '../../kernel/db/sql.ts'
import { assignments, columnsOf, columnValues, insertion, newRow } from '../../kernel/http/columns.ts'
import type { Rows } from '../../kernel/http/rows.ts'
import { emailsOf } from '../emails/reads.ts'
import { Broadcast, BroadcastItem, Counts, type STATUSES, UpdateBroadcast } from './schema.ts'

// An audience is what a segment was called before: one id under two names.
const AUDIENCE = { audience_id: sql`b.segment_id` }

const ITEM_COLUMNS = columnsOf(BroadcastItem, 'b', AUDIENCE)

export const broadcastRows = (team: string): Rows => ({
  columns: ITEM_COLUMNS,
  from: sql`broadcasts b`,
  where: sql`b.team_id = ${team}`,
  id: sql`b.id`,
})

const COUNTS = Object.keys(Counts.properties).map((name) => raw(`'${name}', b.${name}`))

const COLUMNS = columnsOf(Broadcast, 'b', { ...AUDIENCE, counts: sql`json_build_object(${join(COUNTS, ', ')})` })

export async function findBroadcast(db: Queryable, team: string, id: string) {
  const [broadcast] = await db.query<Static<typeof Broadcast>>(sql`
    select ${COLUMNS} from broadcasts b where b.team_id = ${team} and b.id = ${id}`)
  return broadcast
}

/** What callers write, as it is kept. */
const Values = Type.Omit(UpdateBroadcast, ['audience_id'])

/** What a broadcast is, besides how far it has come. */
export type BroadcastValues = Readonly<Pick<Static<typeof Broadcast>, keyof Static<typeof Values>>>

/** The columns of these values. */
export const VALUES = raw(
  Object.keys(Values.properties)
    .map((name) => `"${name}"`)
    .join(', '),
)

export const columnsOfValues = (values: Partial<BroadcastValues>) => columnValues(Values, values)

/** A broadcast that could be sent as it is. */
export type SoundBroadcast = Partial<BroadcastValues> & Pick<BroadcastValues, 'segment_id' | 'from' | 'subject'>

export async function insertBroadcast(
  db: Queryable,
  team: string,
  values: SoundBroadcast & Pick<BroadcastValues, 'name'>,
): Promise<string> {
  const row = newRow(db, team)
  await db.query(sql.write`insert into broadcasts ${insertion({ ...row, ...columnsOfValues(values) })}`)
  return row.id
}

export type LockedBroadcast = BroadcastValues & {
  readonly status: (typeof STATUSES)[number]
  readonly isPaused: boolean
}

/** Locks the broadcast for the transaction: what is done with it, and its walk through the segment, come one after the other. */
export async function lockBroadcast(trx: Transaction, team: string, id: string): Promise<LockedBroadcast | undefined> {
  const [broadcast] = await trx.query<LockedBroadcast>(sql`
    select status, paused_at is not null as "isPaused", ${VALUES} from broadcasts where team_id = ${team} and id = ${id} for update`)
  return broadcast
}

export const updateBroadcast = (db: Queryable, team: string, id: string, changes: Record<string, unknown>) =>
  db.query(sql.write`
    update broadcasts set ${assignments(changes, db.clock.of(team).now())} where team_id = ${team} and id = ${id}`)

export const deleteBroadcast = (db: Queryable, team: string, id: string) =>
  db.query(sql.write`delete from broadcasts where team_id = ${team} and id = ${id}`)

/** Whoever used the link in this email wants no more of it. Other emails have no such row. */
export const markUnsubscribed = (trx: Transaction, team: string, email: string) =>
  trx.query(sql.write`
    update broadcast_recipients r set unsubscribed_at = ${trx.clock.of(team).now()}
    from (select e.team_id, e.id, e.broadcast_id from ${emailsOf(team)} and e.id = ${email}) e
    where r.team_id = e.team_id and r.broadcast_id = e.broadcast_id and r.id = e.id
      and r.unsubscribed_at is null`)
