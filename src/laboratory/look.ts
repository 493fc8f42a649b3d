import { FRAME_MS } from '../platform/clock.ts'
import type { Database } from '../platform/db/database.ts'
import { FRAMED } from '../platform/db/moments.ts'
import { join, raw, sql } from '../platform/db/sql.ts'
import { framedMoment, type HeldClock } from './clock-store.ts'
import { DUE, NOTES } from './due.ts'

/** How a sandbox stands whose clock is in our hands. */
export type Seen =
  /** There is no such sandbox any more, it can do nothing, or the clock is in other hands. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'lost' }
  /** Something is due by now, or under way. */
  | { readonly kind: 'busy' }
  /** Something is due in real time, and not by now. */
  | { readonly kind: 'waiting' }
  /** Nothing is due by now. `next`: what is due first, until the target, and what is due so soon after it that it is one step. */
  | { readonly kind: 'quiet'; readonly next: { readonly first: Date; readonly last: Date } | null }

interface Row {
  readonly version: number
  readonly holder: number | null
  readonly isStopped: boolean
  readonly hasNotes: boolean
  readonly first: Date | null
  readonly last: Date | null
}

/** What is due within a second of each other is one step: nothing happens before its time, and nothing more than a second late. */
const STEP_SECONDS = raw(`interval '1 second'`)

const ANY_TIME = raw(`timestamptz '-infinity'`)

/** One statement, so that nothing slips through between what is due and what follows from it. Index probes, whatever there is. */
export async function look(db: Database, { team, node, version, now }: HeldClock, target: Date): Promise<Seen> {
  const own = sql`${team}::uuid`
  const [from, until] = [framedMoment(now), framedMoment(target)]
  const step = { from: FRAMED, to: sql`least(greatest(due.first, ${from}) + ${STEP_SECONDS}, ${until})` }
  const [row] = await db.query<Row>(sql`
    select c.version, c.holder, t.suspended_at is not null or t.delete_at is not null as "isStopped",
      ${join(
        NOTES.map(({ notes }) => sql`exists (select from ${notes} n where n.team_id = ${team})`),
        ' or ',
      )} as "hasNotes",
      due.first, date_trunc('milliseconds', step.last + interval '999 microseconds') as last
    from sandbox_clocks c join teams t on t.id = c.team_id
    cross join lateral (select least(${join(
      DUE.map((moments) => moments.first(own, ANY_TIME)),
      ', ',
    )}) as first) due
    left join lateral (select greatest(${join(
      DUE.map((moments) => moments.last(own, step)),
      ', ',
    )}) as last) step on due.first between ${FRAMED} and ${until}
    where c.team_id = ${team}`)
  if (!row) return { kind: 'gone' }
  if (row.isStopped) return { kind: 'stopped' }
  if (row.holder !== node || row.version !== version) return { kind: 'lost' }
  const { first, last } = row
  if (row.hasNotes || (first && first <= db.clock.now())) return { kind: 'busy' }
  if (first && first.getTime() < FRAME_MS) return { kind: 'waiting' }
  return { kind: 'quiet', next: first && last && { first: unframed(first), last: unframed(last) } }
}

const unframed = (moment: Date) => new Date(moment.getTime() - FRAME_MS)
