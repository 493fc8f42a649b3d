import type { Queryable, Transaction } from '../../../kernel/db/database.ts'
import type { DueMoments, Span } from '../../../kernel/db/due-moments.ts'
import { exactly, FIRST_VIRTUAL, interval } from '../../../kernel/db/moments.ts'
import { heartbeatOf, LIVING_NODES } from '../../../kernel/db/presence.ts'
import { join, raw, type Sql, sql } from '../../../kernel/db/sql.ts'
import { dueJobs } from '../../../kernel/jobs/due-moments.ts'
import { type ClockState, VIRTUAL_OFFSET_MS } from '../../../platform/clock.ts'
import type { ClockParts, DueWork } from './due-work.ts'

// The clocks of sandboxes as they are written down. Whoever moves one holds it, and it stands still as long as it is held.

/** A clock held by this process. */
export interface HeldClock {
  readonly team: string
  readonly node: number
  readonly version: number
  readonly now: Date
  /** Whether it stood still before it was taken. */
  readonly wasFrozen: boolean
}

interface Row {
  readonly version: number
  readonly frozenAt: Date
  readonly resumes: boolean
}

const RETURNED = sql`returning version, frozen_at as "frozenAt", resumes`

/**
 * Takes the clock. A sandbox that has none yet gets one: what is due in its future is its own business from now on. Null: somebody else
 * has it, or there is no such sandbox. Who asks does not have it: what this process seems to have is left over.
 */
export async function takeClock({ db, dueWork }: ClockParts, team: string): Promise<HeldClock | null> {
  const { node } = db.presence
  const now = db.clock.now()
  const row = await db.transaction(async (trx) => {
    const [made] = await trx.query<Row>(sql.write`
      insert into sandbox_clocks (team_id, offset_ms, frozen_at, version, holder, resumes)
      select id, 0, ${now}, 1, ${node}, true from sandboxes where id = ${team}
      on conflict (team_id) do nothing ${RETURNED}`)
    if (made) await makeVirtual(trx, dueWork, { team, real: now, now, isFirst: true })
    if (made) return made
    const [taken] = await trx.query<Row>(sql.write`
      update sandbox_clocks set version = version + 1, holder = ${node}, resumes = resumes or frozen_at is null,
        frozen_at = coalesce(frozen_at, ${now}::timestamptz + interval '1 millisecond' * offset_ms)
      where team_id = ${team} and (holder is null or holder = ${node} or holder not in (${LIVING_NODES}))
      ${RETURNED}`)
    return taken
  })
  return row ? held(db, { team, node, wasFrozen: !row.resumes }, row) : null
}

/** What is known of it now, here. */
export function held(
  db: Queryable,
  clock: Pick<HeldClock, 'team' | 'node' | 'wasFrozen'>,
  { version, frozenAt }: Pick<Row, 'version' | 'frozenAt'>,
): HeldClock {
  db.clock.set(clock.team, { version, offsetMs: 0, frozenAt })
  return { ...clock, version, now: frozenAt }
}

/**
 * For a statement that moves a clock, or holds it: parts of a `with` that make everything due now that is due until a moment, as it is
 * written down.
 */
export function moveAll(
  { moments }: DueWork,
  team: Sql,
  { until, real, when }: { until: Sql; real: Date; when: Sql },
): Sql {
  const span = { from: FIRST_VIRTUAL, to: sql`${until} + interval '999 microseconds'` }
  const by = exactly(sql`${real}::timestamptz - ${until}`)
  const moves = moments.flatMap((one) => one.move(team, span, { by, when }))
  return join(
    moves.map((move, index) => sql`${raw(`moved_${index}`)} as (${move})`),
    ', ',
  )
}

/** How what is due then is written down while it is in the future. */
export const virtualMoment = (moment: Date) => new Date(moment.getTime() + VIRTUAL_OFFSET_MS)

/** Clocks of two machines differ: what another process has written down as due now is not due later. Jobs are made due now instead. */
const SLACK_MS = 1_000
export const slackOf = (moments: DueMoments) => (moments === dueJobs ? 0 : SLACK_MS)

/** What workers write down as due at once, while a sandbox gets its clock, is not due later: they read the time after us. */
const FIRST_SLACK_MS = 100

/** What is written down as due in real time, and not by now. */
const realFuture = (real: Date, slackMs: number): Span => ({
  from: sql`${new Date(real.getTime() + slackMs + 1)}::timestamptz`,
  to: sql`${FIRST_VIRTUAL} - interval '1 microsecond'`,
})

/**
 * What somebody has written down as due in real time becomes due in the time of the sandbox, as far from now as it was: it was written
 * before the sandbox had a time of its own, or is put off for a reason of ours.
 */
export async function makeVirtual(
  trx: Transaction,
  { moments }: DueWork,
  { team, real, now, isFirst }: { team: string; real: Date; now: Date; isFirst: boolean },
) {
  const by = interval(VIRTUAL_OFFSET_MS + now.getTime() - real.getTime())
  const own = sql`${team}::uuid`
  for (const one of moments) {
    const span = realFuture(real, isFirst ? FIRST_SLACK_MS : slackOf(one))
    for (const move of one.move(own, span, { by, when: sql`true` })) await trx.query(move)
  }
  for (const one of moments) for (const move of one.moveEnds?.(own, by) ?? []) await trx.query(move)
}

/** Jobs look after what others do in pauses of some seconds, in real time. When there is nothing else to wait for they need not wait. */
const DUE_SOON_MS = 5_000

export async function makeDueNow(trx: Transaction, team: string) {
  const real = trx.clock.now()
  const { from } = realFuture(real, 0)
  const soon = { from, to: sql`${new Date(real.getTime() + DUE_SOON_MS)}::timestamptz` }
  // To now, and not to a moment before it that workers have been at already.
  const by = sql`(${real}::timestamptz - j.run_at)`
  for (const move of dueJobs.move(sql`${team}::uuid`, soon, { by, when: sql`true` })) await trx.query(move)
  trx.announce(dueJobs.channel)
}

/** Who has the clock, as a number that grows as long as they hold their lease. Undefined: there is no such sandbox, null: nobody has it. */
export async function findHolder(db: Queryable, team: string): Promise<string | null | undefined> {
  const [row] = await db.query<{ beat: string | null }>(sql`
    select ${heartbeatOf(sql`c.holder`)} as beat from sandboxes s
    left join sandbox_clocks c on c.team_id = s.id
    where s.id = ${team}`)
  return row?.beat
}

/** Gives the clock back. It stands still from now on, or runs; null: as before. */
export async function releaseClock(db: Queryable, { team, node }: HeldClock, isFrozen: boolean | null): Promise<void> {
  const now = db.clock.now()
  const [row] = await db.query<ClockState>(sql.write`
    update sandbox_clocks set holder = null, resumes = false, version = version + 1,
      offset_ms = round(extract(epoch from frozen_at - ${now}::timestamptz) * 1000),
      frozen_at = case when coalesce(${isFrozen}::boolean, not resumes) then frozen_at end
    where team_id = ${team} and holder = ${node}
    returning version, offset_ms::float8 as "offsetMs", frozen_at as "frozenAt"`)
  if (row) db.clock.set(team, row)
}

/** What time it is in a sandbox, and whether it stands still. One that is moved at the moment is as it will be then. */
export async function readClock(db: Queryable, team: string): Promise<{ now: Date; isFrozen: boolean }> {
  const [row] = await db.query<{ isFrozen: boolean }>(sql`
    select frozen_at is not null and not resumes as "isFrozen" from sandbox_clocks where team_id = ${team}`)
  return { now: db.clock.of(team).now(), isFrozen: row?.isFrozen ?? false }
}
