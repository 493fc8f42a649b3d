import type { DueMoments } from '../../../kernel/db/due-moments.ts'
import { FIRST_VIRTUAL, VIRTUAL_OFFSET } from '../../../kernel/db/moments.ts'
import { join, raw, type Sql, sql } from '../../../kernel/db/sql.ts'
import { withRetries } from '../../../kernel/db/with-retries.ts'
import { VIRTUAL_OFFSET_MS } from '../../../platform/clock.ts'
import { TEAM_STATES } from '../../teams/reads.ts'
import { type HeldClock, held, moveAll, slackOf, virtualMoment } from './clock-store.ts'
import type { ClockParts, DueWork } from './due-work.ts'

/** How a sandbox stands whose clock is held by us. */
export type Seen =
  /** There is no such sandbox any more, it can do nothing, or the clock is held by another process. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'lost' }
  /** Something is due by now, or under way. */
  | { readonly kind: 'busy' }
  /** Something is due in real time, and not by now. */
  | { readonly kind: 'waiting' }
  /** Nothing is due by now. It has not moved: it is at the target, or may not. `isNothingNext`: until the target. */
  | { readonly kind: 'quiet'; readonly isNothingNext: boolean }
  /** Nothing was due, so it has moved: to what was due next, if there was something, or to the target. `channels`: who is to be woken. */
  | { readonly kind: 'moved'; readonly clock: HeldClock; readonly channels: readonly string[] }

interface Row {
  readonly version: number
  readonly holder: number | null
  readonly frozenAt: Date
  readonly isStopped: boolean
  readonly hasPending: boolean
  /** Of each of the moments of `DueWork`. */
  readonly firsts: readonly (Date | null)[]
  /** The same, within the step. */
  readonly lasts: readonly (Date | null)[] | null
  /** Where the clock is now, if it has moved. */
  readonly movedTo: Date | null
}

/** What is due within a second of each other is one step: nothing happens before its time, and nothing more than a second late. */
const STEP_SECONDS = raw(`interval '1 second'`)

const ANY_TIME = raw(`timestamptz '-infinity'`)

/**
 * Looks whether there is anything left to do, and if not, takes the clock to the next moment at which something is due, and with it makes
 * that due, all at once. One statement, so that nothing slips through between what is due and what follows from it: index probes,
 * whatever there is.
 */
export async function step(
  { db, dueWork }: ClockParts,
  clock: HeldClock,
  { target, mayMove }: { target: Date; mayMove: boolean },
): Promise<Seen> {
  const { team, node, version } = clock
  let real = db.clock.now()
  // What it makes due may be taken up before its answer is here.
  db.clock.pinned.delete(team)
  const takeStep = () => {
    real = db.clock.now()
    return db.queryWriting<Row>(statement(dueWork, clock, { real, target, mayMove }))
  }
  const [row] = await withRetries(takeStep, { seconds: 5 })
  if (!row) return { kind: 'gone' }
  // Only who holds it moves it: if its answer was lost, it was this step, and nobody knows who is to be woken.
  const hasMoved = row.holder === node && row.version === version + 1
  if (row.movedTo || hasMoved) {
    const isConcerned = (index: number) => hasMoved || Boolean(row.lasts?.[index])
    const channels = dueWork.moments.flatMap(({ channel }, index) => (isConcerned(index) ? [channel] : []))
    const moved = held(db, clock, { version: version + 1, frozenAt: row.movedTo ?? row.frozenAt })
    db.clock.pinned.add(team)
    return { kind: 'moved', clock: moved, channels }
  }
  if (row.isStopped) return { kind: 'stopped' }
  if (row.holder !== node || row.version !== version) return { kind: 'lost' }
  held(db, clock, { version, frozenAt: clock.now })
  db.clock.pinned.add(team)
  const isDue = (first: Date | null, index: number) =>
    first && first.getTime() <= real.getTime() + slackOf(dueWork.moments[index]!)
  if (row.hasPending || row.firsts.some(isDue)) return { kind: 'busy' }
  if (row.firsts.some((first) => first && first.getTime() < VIRTUAL_OFFSET_MS)) return { kind: 'waiting' }
  return { kind: 'quiet', isNothingNext: row.lasts === null }
}

function statement(
  dueWork: DueWork,
  { team, node, version, now }: HeldClock,
  to: { real: Date; target: Date; mayMove: boolean },
): Sql {
  const own = sql`${team}::uuid`
  const [from, until] = [sql`${virtualMoment(now)}::timestamptz`, sql`${virtualMoment(to.target)}::timestamptz`]
  const within = { from: FIRST_VIRTUAL, to: sql`least(greatest(due.first, ${from}) + ${STEP_SECONDS}, ${until})` }
  const ofAll = (value: (moments: DueMoments) => Sql) => sql`array[${join(dueWork.moments.map(value), ', ')}]`
  const hasPending = dueWork.subscriptions.map(
    ({ pending }) => sql`exists (select from ${pending} n where n.team_id = ${team})`,
  )
  return sql.write`
    with seen as materialized (
      select c.version, c.holder, c.frozen_at as "frozenAt", t.is_stopped as "isStopped",
        ${join(hasPending, ' or ')} as "hasPending", due.firsts, due.first, step.lasts
      from sandbox_clocks c join ${TEAM_STATES} t on t.id = c.team_id
      cross join lateral (select ${ofAll((moments) => moments.first(own, ANY_TIME))} as firsts) all_due
      cross join lateral (select all_due.firsts, min(one) as first from unnest(all_due.firsts) as one) due
      left join lateral (select ${ofAll((moments) => moments.last(own, within))} as lasts) step
        on due.first between ${FIRST_VIRTUAL} and ${until}
      where c.team_id = ${team}),
    next as materialized (
      -- Clocks count milliseconds. What was written down meanwhile for a moment that is over is due now.
      select case when last is null then ${until} else greatest(date_trunc('milliseconds', last), ${from}) end as moment
      from seen cross join lateral (select max(one) as last from unnest(seen.lasts) as one) step
      where ${to.mayMove}::boolean and seen.version = ${version} and seen.holder = ${node}
        and not "isStopped" and not "hasPending" and coalesce(seen.first >= ${FIRST_VIRTUAL}, true)
        and (last is not null or ${from} < ${until})),
    clock as (
      update sandbox_clocks c set frozen_at = next.moment - ${VIRTUAL_OFFSET}, version = c.version + 1
      from next where c.team_id = ${team} and c.holder = ${node} and c.version = ${version}
      returning frozen_at),
    ${moveAll(dueWork, own, { until: sql`(select moment from next)`, real: to.real, when: sql`exists (select from clock)` })}
    select seen.*, clock.frozen_at as "movedTo" from seen left join clock on true`
}
