import { setTimeout as wait } from 'node:timers/promises'
import { moves } from '../../../features/cells/index.ts'
import { takeUpMail } from '../../../features/emails/delivery/jobs.ts'
import { TEAM_STATES_CHANNEL } from '../../../features/limits/team-states.ts'
import { setSuspension } from '../../../features/teams/index.ts'
import { releaseHeldBy } from '../../../features/webhooks/delivery/queries.ts'
import type { Transaction } from '../../../kernel/db/database.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { enqueue } from '../../../kernel/jobs/queries.ts'
import { OperatorError } from '../command.ts'
import type { Side } from './side.ts'

/** By then every process that runs has renewed its lease, and with it what it knows of teams; or it claims nothing any more. */
const STATES_KNOWN_AFTER_MS = 3_000
const POLL_MS = 100
/** Servers that are slow to answer may take longer; the command gives up, and can be run again. */
const MAX_IN_FLIGHT_MS = 60_000

const HELD = 'This team is moving to another cell.'

/** From now on nobody writes for the team: requests are to come again, mail stays where it is, jobs wait. */
export async function hold({ db }: Side, team: string) {
  await db.transaction(async (trx) => {
    await moves.noteHeld(trx, team)
    await setSuspension(trx, team, { reason: HELD })
  })
  db.signals.announce(TEAM_STATES_CHANNEL)
}

/** The team works on where it is. */
export async function release({ db }: Side, team: string) {
  await db.transaction(async (trx) => {
    const move = await moves.findMove(trx, team, 'out')
    if (move?.phase !== 'held') return
    await restoreSuspension(trx, team, move)
    await moves.noteReleased(trx, team)
  })
  db.signals.announce(TEAM_STATES_CHANNEL)
}

/** As it was before the team was held. */
export async function restoreSuspension(
  trx: Transaction,
  team: string,
  { suspendedAt, suspendedReason }: { suspendedAt: Date | null; suspendedReason: string | null },
) {
  await setSuspension(trx, team, null)
  if (suspendedAt !== null) await setSuspension(trx, team, { reason: suspendedReason ?? '' })
  else await enqueue(trx, takeUpMail, {}, { key: team })
}

/** Waits until every process knows that the team is held, and what was begun before is over. */
export async function waitUntilQuiet(side: Side, team: string) {
  const nodes = await side.db.query(sql`select 1 as found from nodes limit 1`)
  if (nodes.length > 0) await wait(STATES_KNOWN_AFTER_MS)
  const [at] = await side.db.query<{ next: string }>(sql`
    select pg_snapshot_xmax(pg_current_snapshot())::text as next`)
  const deadline = performance.now() + MAX_IN_FLIGHT_MS
  for (;;) {
    const left = await findInFlight(side, team, at!.next)
    if (left === null) return
    if (performance.now() > deadline)
      throw new OperatorError(
        `${left} did not end within ${MAX_IN_FLIGHT_MS / 1_000} s, so the team works on in this cell. Run the same command again later.`,
      )
    await wait(POLL_MS)
  }
}

/** What of the team is in flight, in words; null: nothing. What a dead process held is released once the team has moved. */
async function findInFlight({ db }: Side, team: string, next: string): Promise<string | null> {
  // Deliveries of a batch have no rows of their own while it is in flight.
  const dead = await db.query<{ holder: number }>(sql`
    select distinct holder from webhook_batches where team_id = ${team} and holder not in (select id from nodes)`)
  if (dead.length > 0)
    await releaseHeldBy(
      db,
      dead.map(({ holder }) => holder),
    )
  const [found] = await db.query<Record<string, boolean>>(sql`
    with alive as materialized (select id from nodes)
    select exists (select from deliveries where team_id = ${team} and state = 'waiting' and holder in (select id from alive)) as "Delivery",
      exists (select from webhook_deliveries where team_id = ${team} and holder in (select id from alive)) as "A webhook",
      exists (select from webhook_batches where team_id = ${team}) as "Webhooks",
      exists (select from idempotency_keys where team_id = ${team} and response is null and holder in (select id from alive)) as "A request",
      exists (select from jobs where holder in (select id from alive) and payload ->> 'team' = ${team}) as "A job",
      pg_snapshot_xmin(pg_current_snapshot()) < ${next}::xid8 as "A transaction of the database"`)
  return Object.entries(found!).find(([, isThere]) => isThere)?.[0] ?? null
}
