import type pg from 'pg'
import { claimDue as claimDeliveries } from '../../src/features/emails/delivery/ledger/queries.ts'
import { wantedEvents } from '../../src/features/webhooks/delivery/fan-out.ts'
import { findReady, withCursors } from '../../src/features/webhooks/delivery/next-due.ts'
import { claimDue as claimWebhooks } from '../../src/features/webhooks/delivery/queries.ts'
import { ClaimCursor } from '../../src/kernel/db/claim-cursor.ts'
import type { Database } from '../../src/kernel/db/database.ts'
import { KeyedCursors } from '../../src/kernel/db/keyed-cursors.ts'
import { type Sql, sql } from '../../src/kernel/db/sql.ts'
import { claimDue as claimJobs } from '../../src/kernel/jobs/queries.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { newId } from '../../src/platform/ids.ts'

/** A table of what is due, with the statement that workers claim from it with. */
export interface Queue {
  readonly name: string
  /** Writes so many rows that are due. */
  add(rows: number): Promise<unknown>
  /** Claims once, from where the last claim ended, as a worker does. Tells how many rows it got. */
  claim(): Promise<number>
  /** Ends what was claimed. */
  settle(): Promise<unknown>
}

const NODE = 1
const FIRST_ID = '00000000-0000-0000-0000-000000000000'
const LIMIT = 100
const JOB = 'bench.depth'

/** The same statements as those of the service, all on one connection: what it reads can be counted. */
export function queuesOn(session: pg.Client, team: string, webhook: string): readonly Queue[] {
  const query = async <Row>(statement: Sql): Promise<Row[]> => {
    const { text, values, name } = statement.toQuery()
    return (await session.query({ text, values: values as unknown[], name })).rows as Row[]
  }
  // Claims ask for nothing else of it.
  const db = { clock: systemClock, query, queryPooled: query } as unknown as Database
  const ids = (count: number) => Array.from({ length: count }, () => newId(systemClock))
  return [
    deliveries(db, team, ids),
    webhookDeliveries(db, { team, webhook, ids }),
    jobs(db, ids),
    events(db, team, ids),
  ]
}

type Ids = (count: number) => string[]

function deliveries(db: Database, team: string, ids: Ids): Queue {
  const cursor = new ClaimCursor()
  let claimed: readonly string[] = []
  return {
    name: 'deliveries',
    add: (rows) =>
      db.query(sql.write`
        insert into deliveries (team_id, email_id, position, recipient, due_at, give_up_at)
        select ${team}, id, 0, 'person@sink.dev', now(), now() + interval '3 days' from unnest(${ids(rows)}::uuid[]) id`),
    async claim() {
      const now = new Date()
      const start = cursor.begin()
      const begin = performance.now()
      const rows = await claimDeliveries(db, { node: NODE, now, of: [{ priority: 0, limit: LIMIT, ...start }] })
      const found = rows.map(({ dueAt }) => new Date(dueAt))
      cursor.finish(start, { found, limit: LIMIT, now, tookMs: performance.now() - begin })
      claimed = rows.map(({ emailId }) => emailId)
      return rows.length
    },
    settle: () =>
      db.query(sql.write`
        update deliveries set state = 'delivered', holder = null, settled_at = now(), attempts = 1
        where team_id = ${team} and email_id = any (${claimed}::uuid[]) and state = 'waiting'`),
  }
}

function webhookDeliveries(db: Database, { team, webhook, ids }: { team: string; webhook: string; ids: Ids }): Queue {
  const cursors = new KeyedCursors()
  let claimed: readonly string[] = []
  return {
    name: 'webhook deliveries',
    // Triggers, which note when a webhook has its next delivery, are off.
    add: (rows) =>
      db.query(sql.write`
        with new_events as (
          insert into outbox (team_id, id, type, data, created_at)
          select ${team}, id, 'email.delivered', '{}', now() from unnest(${ids(rows)}::uuid[]) id returning id),
        noted as (
          insert into webhook_next_due (team_id, webhook_id, due_at) values (${team}, ${webhook}, now())
          on conflict (team_id, webhook_id) do update set due_at = least(webhook_next_due.due_at, now()))
        insert into webhook_deliveries (team_id, webhook_id, event_id, next_attempt_at, due_at)
        select ${team}, ${webhook}, id, now(), now() from new_events`),
    async claim() {
      const now = new Date()
      const start = cursors.begin()
      const begin = performance.now()
      const slots = [{ webhookId: webhook, slots: LIMIT }]
      const ready = await findReady(db, { after: FIRST_ID, now, except: [] })
      const webhooks = withCursors(ready, start)
      const claim = { node: NODE, now, webhooks, slots, otherSlots: 0, except: [], isOfLateEvents: true }
      const rows = ready.length > 0 ? await claimWebhooks(db, claim) : []
      const last = rows.at(-1)
      const found = last
        ? [{ key: webhook, rows: rows.length, isCut: rows.length >= LIMIT, latest: new Date(last.dueAt) }]
        : []
      cursors.finish(start, { found, isLookedAt: () => true, now, tookMs: performance.now() - begin })
      claimed = rows.map(({ eventId }) => eventId)
      return rows.length
    },
    settle: () =>
      db.query(sql.write`
        update webhook_deliveries set state = 'success', holder = null, due_at = null, next_attempt_at = null
        where team_id = ${team} and webhook_id = ${webhook} and event_id = any (${claimed}::uuid[])`),
  }
}

function jobs(db: Database, ids: Ids): Queue {
  const cursor = new ClaimCursor()
  let claimed: readonly string[] = []
  return {
    name: 'jobs',
    add: (rows) =>
      db.query(sql.write`
        insert into jobs (id, name, payload, run_at, created_at)
        select id, ${JOB}, '{}', now(), now() from unnest(${ids(rows)}::uuid[]) id`),
    async claim() {
      const now = new Date()
      const start = cursor.begin()
      const begin = performance.now()
      const claim = { names: [JOB], node: NODE, now, ...start, limit: LIMIT }
      const rows = await claimJobs(db, { ...claim, teams: new Map(), perTeam: LIMIT, isForCrashed: false })
      const found = rows.map(({ runAt }) => new Date(runAt))
      cursor.finish(start, { found, limit: LIMIT, now, tookMs: performance.now() - begin })
      claimed = rows.map(({ id }) => id)
      return rows.length
    },
    settle: () => db.query(sql.write`delete from jobs where id = any (${claimed}::uuid[])`),
  }
}

/** Events that a subscription has still to take: taking one ends it. */
function events(db: Database, team: string, ids: Ids): Queue {
  const cursors = new KeyedCursors()
  return {
    name: 'events of a subscription',
    add: (rows) =>
      db.query(sql.write`
        insert into webhook_fan_outs (team_id, event_id) select ${team}, id from unnest(${ids(rows)}::uuid[]) id`),
    async claim() {
      const taken = await wantedEvents.takePending(db, {
        events: LIMIT,
        resume: { cursors, now: new Date() },
        work: sql`select 1 from taken`,
      })
      return taken.events
    },
    settle: async () => {},
  }
}
