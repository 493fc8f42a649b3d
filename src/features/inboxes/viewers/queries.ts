import type { Queryable } from '../../../kernel/db/database.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { type Expired, ofTeam } from '../../../kernel/jobs/retention.ts'
import { MEMBERSHIPS, USERS } from '../../people/reads.ts'
import type { ThreadRef } from '../filing/events.ts'
import type { VIEWER_STATES } from './schema.ts'

type ViewerState = (typeof VIEWER_STATES)[number]

export interface Viewer {
  readonly email: string
  readonly name: string | null
  readonly state: ViewerState
}

/** Of one thread; others are not listed. */
const MAX_VIEWERS = 50

/** Renews a lease, or begins one. Viewing in one tab does not end replying in another: that expires by its own lease. */
export async function renewViewer(
  db: Queryable,
  { team, inbox, thread }: ThreadRef,
  { user, state, until }: { readonly user: string; readonly state: ViewerState; readonly until: Date },
) {
  await db.query(sql.write`
    insert into inbox_viewers as v (team_id, inbox_id, thread_id, user_id, expires_at, replying_until)
    values (${team}, ${inbox}, ${thread}, ${user}, ${until}, ${state === 'replying' ? until : null})
    on conflict (team_id, thread_id, user_id) do update
    set expires_at = excluded.expires_at, replying_until = coalesce(excluded.replying_until, v.replying_until)`)
}

export const removeViewer = (db: Queryable, { team, thread }: ThreadRef, user: string) =>
  db.query(sql.write`
    delete from inbox_viewers where team_id = ${team} and thread_id = ${thread} and user_id = ${user}`)

/** Members of the team whose lease is valid, by name. */
export const findViewers = (db: Queryable, { team, thread }: ThreadRef, now: Date): Promise<Viewer[]> =>
  db.query<Viewer>(sql`
    select u.email, nullif(u.name, '') as name, case when v.replying_until > ${now} then 'replying' else 'viewing' end as state
    from inbox_viewers v
    join ${MEMBERSHIPS} m on m.team_id = v.team_id and m.user_id = v.user_id
    join ${USERS} u on u.id = v.user_id
    where v.team_id = ${team} and v.thread_id = ${thread} and v.expires_at > ${now}
    order by u.email limit ${MAX_VIEWERS}`)

/** Deletes leases that have ended. Returns whether there may be more. */
export async function deleteExpiredViewers(db: Queryable, { moment, limit, team }: Expired): Promise<boolean> {
  const rows = await db.query(sql.write`
    delete from inbox_viewers where (team_id, thread_id, user_id) in (
      select team_id, thread_id, user_id from inbox_viewers
      where expires_at < ${moment} ${ofTeam(team)} order by expires_at limit ${limit})
    returning user_id`)
  return rows.length === limit
}
