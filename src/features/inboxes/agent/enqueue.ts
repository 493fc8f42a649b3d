import type { Transaction } from '../../../kernel/db/database.ts'
import { rowsOf } from '../../../kernel/db/rows.ts'
import { sql } from '../../../kernel/db/sql.ts'
import { insertJobs, JOBS_CHANNEL } from '../../../kernel/jobs/queries.ts'
import { newId } from '../../../platform/ids.ts'
import type { FiledArrival } from '../filing/inbox-hooks.ts'

/** The name of the job in which the agent of an inbox looks at a message. */
export const AGENT_JOB = 'inboxes.agent'

/** Has agents look at messages that were received: of those inboxes whose agent has been told what to do and may do something. */
export async function enqueueAgents(trx: Transaction, team: string, messages: readonly FiledArrival[]) {
  if (messages.length === 0) return
  const now = trx.clock.now()
  const given = messages.map(({ inbox, email }) => ({ inbox, email, job: newId(trx.clock) }))
  const rows = sql`
    select g.job, jsonb_build_object('team', ${team}::uuid, 'inbox', g.inbox, 'email', g.email), ${now}::timestamptz, null::text
    from ${rowsOf(given, { inbox: 'uuid', email: 'uuid', job: 'uuid' }, 'g')}
    join inbox_agents a on a.team_id = ${team} and a.inbox_id = g.inbox
    where a.instructions is not null and cardinality(a.actions) > 0`
  await trx.query(insertJobs(AGENT_JOB, rows, { now }))
  trx.announce(JOBS_CHANNEL)
}
