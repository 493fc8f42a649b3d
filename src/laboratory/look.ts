import { FRAME_MS } from '../platform/clock.ts'
import type { Database } from '../platform/db/database.ts'
import { FRAMED } from '../platform/db/moments.ts'
import { join, raw, sql } from '../platform/db/sql.ts'
import { framedMoment, type HeldClock, slackOf } from './clock-store.ts'
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
  /** Nothing is due by now. `next`: what is due next, until the target. */
  | { readonly kind: 'quiet'; readonly next: Step | null }

/** What is due so soon after each other that it is one step: the last of it, and who is to be woken. */
export interface Step {
  readonly last: Date
  readonly channels: readonly string[]
}

interface Row {
  readonly version: number
  readonly holder: number | null
  readonly isStopped: boolean
  readonly hasNotes: boolean
  /** Of each of `DUE`. */
  readonly firsts: readonly (Date | null)[]
  /** Of each of `DUE`, within the step. */
  readonly lasts: readonly (Date | null)[] | null
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
      due.firsts, step.lasts
    from sandbox_clocks c join teams t on t.id = c.team_id
    cross join lateral (select array[${join(
      DUE.map((moments) => moments.first(own, ANY_TIME)),
      ', ',
    )}] as firsts) all_due
    cross join lateral (select all_due.firsts, min(one) as first from unnest(all_due.firsts) as one) due
    left join lateral (select array[${join(
      DUE.map((moments) => moments.last(own, step)),
      ', ',
    )}] as lasts) step on due.first between ${FRAMED} and ${until}
    where c.team_id = ${team}`)
  if (!row) return { kind: 'gone' }
  if (row.isStopped) return { kind: 'stopped' }
  if (row.holder !== node || row.version !== version) return { kind: 'lost' }
  const { firsts, lasts } = row
  const real = db.clock.now().getTime()
  const isDue = (first: Date | null, index: number) => first !== null && first.getTime() <= real + slackOf(DUE[index]!)
  if (row.hasNotes || firsts.some(isDue)) return { kind: 'busy' }
  if (firsts.some((first) => first && first.getTime() < FRAME_MS)) return { kind: 'waiting' }
  return { kind: 'quiet', next: lasts && stepOf(lasts) }
}

function stepOf(lasts: readonly (Date | null)[]): Step {
  const last = Math.max(...lasts.map((moment) => moment?.getTime() ?? 0))
  return {
    last: new Date(last - FRAME_MS),
    channels: DUE.flatMap(({ channel }, index) => (lasts[index] ? [channel] : [])),
  }
}
