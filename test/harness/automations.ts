import type { Database } from '../../src/kernel/db/database.ts'
import { sql } from '../../src/kernel/db/sql.ts'
import { newId } from './ids.ts'

/** One that waits for a day after the event. */
export const automationAfter = (event: string) => ({
  steps: [
    { key: 'start', type: 'trigger', config: { event_name: event } },
    { key: 'pause', type: 'delay', config: { duration: '1 day' } },
  ],
  connections: [{ from: 'start', to: 'pause', type: 'default' }],
})

export const AUTOMATION = { name: 'Welcome', ...automationAfter('user.created') }

interface RunState {
  readonly status?: 'running' | 'completed' | 'failed' | 'cancelled'
  /** Where it stands. */
  readonly step?: string
  readonly trail?: readonly object[]
  readonly contact?: string
}

/** A run as the engine could have left it. */
export async function addRun(db: Database, team: string, automation: string, state: RunState = {}): Promise<string> {
  const { status = 'running', step = 'pause', trail = [], contact = newId() } = state
  const id = newId()
  const [due, ended] = status === 'running' ? [new Date(Date.now() + 86_400_000), null] : [null, new Date()]
  await db.query(sql`
    insert into automation_runs (team_id, id, automation_id, graph_id, contact_id, status, step_key, entered_at, due_at, event,
      wait_events, trail, created_at, started_at, completed_at)
    select team_id, ${id}, id, graph_id, ${contact}, ${status}, ${status === 'running' ? step : null}, now(), ${due},
      '{"plan":"pro"}', '{}', ${JSON.stringify(trail)}, now(), now(), ${ended}
    from automations where team_id = ${team} and id = ${automation}`)
  return id
}
