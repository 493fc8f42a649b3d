import { expect, test } from 'vitest'
import { type App, startApp } from '../../../test/harness/app.ts'
import { workBuffers } from '../../../test/harness/buffers.ts'
import { passDays } from '../../../test/harness/filled-periods.ts'
import { sweepAuditEvents } from '../../kernel/audit/jobs.ts'
import { type Sql, sql } from '../../kernel/db/sql.ts'
import { ensureRecurring } from '../../kernel/jobs/queries.ts'
import { sweepEvents } from '../../kernel/outbox/jobs.ts'
import { writeOwnPeriods } from '../../kernel/retention/team-periods.ts'
import { firstIdAt } from '../../platform/ids.ts'
import { PRODUCT } from '../index.ts'

const DAY = 86_400
const TEAMS = 3_000
const KEPT = Object.fromEntries(
  ['EMAILS', 'BODIES', 'RECEIVED', 'EVENTS', 'LOGS', 'RUNS', 'AUDIT'].map((of) => [`POSTWREN_RETENTION_${of}`, '30d']),
)

/** An id of that moment, another one for each row. */
const idAt = (moment: Date): Sql => sql`(left(${firstIdAt(moment)}, 24) || left(md5(random()::text), 12))::uuid`

const ago = ({ clock }: App, days: number) => new Date(clock.now().getTime() - days * DAY * 1_000)

/** Teams with a row of now in all that is kept for a time and grows with teams. */
async function addTeams({ db, clock }: App, count: number) {
  const now = clock.now()
  await db.transaction(async (trx) => {
    await trx.query(sql`set local session_replication_role = replica`)
    await trx.query(sql`
      create temporary table filled on commit drop as
      select ${idAt(now)} as team, ${idAt(now)} as id from generate_series(1, ${count}::int)`)
    for (const statement of [
      sql`insert into teams (id, name, created_at) select team, 'Team ' || team, ${now} from filled`,
      sql`insert into emails (team_id, id, message_id, "from", "to", subject, last_event, created_at)
        select team, id, id::text, 'a@acme.dev', '["ada@example.com"]', 'Hello', 'delivered', ${now} from filled`,
      sql`insert into email_bodies (team_id, email_id, text) select team, id, 'Hello' from filled`,
      sql`insert into deliveries (team_id, email_id, position, recipient, state, due_at, give_up_at, settled_at)
        select team, id, 0, 'ada@example.com', 'delivered', ${now}, ${now}, ${now} from filled`,
      sql`insert into received_emails (team_id, id, "from", "to", cc, bcc, reply_to, received_for, subject, envelope_from, client_address, helo, size, read_at, created_at)
        select team, id, 'ada@example.net', '[]', '[]', '[]', '[]', '[]', 'Hi', '', '', '', 1, ${now}, ${now} from filled`,
      sql`insert into outbox (team_id, id, type, data, created_at) select team, id, 'contact.created', '{}', ${now} from filled`,
      sql`insert into webhook_deliveries (team_id, webhook_id, event_id, state) select team, id, id, 'success' from filled`,
      sql`insert into webhook_attempts (team_id, webhook_id, event_id, id, http_status_code, response, duration_ms, sent_at)
        select team, id, id, id, 200, 'ok', 1, ${now} from filled`,
      sql`insert into request_logs (team_id, id, method, endpoint, response_status, created_at)
        select team, id, 'GET', '/emails', 200, ${now} from filled`,
      addAuditEvents(sql`select team, id, ${now}::timestamptz as at from filled`),
      sql`insert into automation_runs (team_id, id, automation_id, graph_id, contact_id, status, event, wait_events, trail, created_at, completed_at)
        select team, id, id, id, id, 'completed', '{}', '{}', '[]', ${now}, ${now} from filled`,
      sql`insert into automation_emails (team_id, email_id, automation_id, step_key) select team, id, id, 'send' from filled`,
      sql`insert into approvals (team_id, email_id, policy_id, holder, status, expires_at, decided_at)
        select team, id, id, 'api_key', 'approved', ${now}, ${now} from filled`,
      sql`insert into approval_notices (team_id, id, approver, secret_sha256, emails, created_at, expires_at)
        select team, id, 'ada@example.com', decode(md5(id::text), 'hex'), '{}', ${now}, ${now} from filled`,
      sql`insert into known_senders (team_id, address, is_proven, seen_on) select team, 'ada@example.com', true, ${now}::date from filled`,
    ])
      await trx.query(statement)
  })
  await db.queryPooled(sql`vacuum analyze`)
}

/** `rows` gives team, id and at. */
const addAuditEvents = (rows: Sql): Sql => sql.write`
  insert into audit_events (team_id, id, created_at, actor_kind, action) select team, id, at, 'system', 'topics.create' from (${rows}) given`

async function auditEventsOf({ db }: App, team: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    sql`select count(*)::int as count from audit_events where team_id = ${team} and action = 'topics.create'`,
  )
  return row!.count
}

const addOld = (app: App, team: string, { days, count }: { days: number; count: number }) =>
  app.db.query(
    addAuditEvents(sql`
      select ${team}::uuid as team, ${idAt(ago(app, days))} as id, ${ago(app, days)}::timestamptz as at from generate_series(1, ${count}::int)`),
  )

test('sweeps that find nothing old read as much with thousands of teams as with a few', async () => {
  const app = await startApp(KEPT)
  await passDays(app, 10)
  const services = { db: app.db, clock: app.clock, config: app.config, signal: new AbortController().signal }
  const read = async () => {
    const buffers: Record<string, number> = {}
    for (const rule of PRODUCT.retention)
      buffers[rule.name] = await workBuffers(app.db, (db) => rule.run({}, { ...services, db }))
    return buffers
  }
  await addTeams(app, 1)
  const few = await read()
  await addTeams(app, TEAMS)
  const many = await read()

  expect(Object.keys(many).filter((name) => many[name]! > few[name]! + 40)).toEqual([])
})

test('what is old of all teams goes, and what a team keeps longer stays, also when it is all that a look for the oldest rows sees', async () => {
  const app = await startApp(KEPT)
  const [keeper, acme, globex] = [await app.as('keeper'), await app.as('acme'), await app.as('globex')]
  await writeOwnPeriods(app.db, keeper.team, { by: 'operator', changes: { audit: 90 * DAY } })
  await ensureRecurring(app.db, [sweepAuditEvents])
  const sweep = async () => {
    app.clock.advance(DAY)
    await app.runDueJobs()
    return Promise.all([keeper, acme, globex].map(({ team }) => auditEventsOf(app, team)))
  }
  await addOld(app, keeper.team, { days: 60, count: 10 })
  await addOld(app, acme.team, { days: 40, count: 7_000 })
  await addOld(app, globex.team, { days: 31, count: 3 })
  await addOld(app, globex.team, { days: 20, count: 2 })
  expect(await sweep()).toEqual([10, 0, 2])

  await addOld(app, keeper.team, { days: 60, count: 6_000 })
  await addOld(app, acme.team, { days: 40, count: 7_000 })
  await addOld(app, globex.team, { days: 31, count: 3 })
  expect(await sweep()).toEqual([6_010, 0, 2])
  await writeOwnPeriods(app.db, keeper.team, { by: 'operator', changes: { audit: null } })
})

test('partitions are gone through every six hours, and those who have a period of their own each time', async () => {
  const app = await startApp(KEPT)
  const [acme, short] = [await app.as('acme'), await app.as('short')]
  await writeOwnPeriods(app.db, short.team, { by: 'owner', changes: { events: 7 * DAY } })
  await app.db.query(sql`delete from jobs`)
  await ensureRecurring(app.db, [sweepEvents])
  /** Older than all periods: what was there before them. */
  const addEvents = async () => {
    for (const { team } of [acme, short])
      await app.db.query(sql`
        insert into outbox (team_id, id, type, data, created_at) values (${team}, ${idAt(ago(app, 40))}, 'topic.deleted', '{}', ${ago(app, 40)})`)
    await app.db.query(sql`delete from outbox_notes`)
  }
  const sweepAfter = async (seconds: number) => {
    app.clock.advance(seconds)
    await app.runDueJobs()
    const rows = await app.db.query<{ team: string }>(
      sql`select team_id as team from outbox where type = 'topic.deleted'`,
    )
    return rows.map(({ team }) => team)
  }

  await addEvents()
  expect(await sweepAfter(900)).toEqual([])
  await addEvents()
  expect(await sweepAfter(900)).toEqual([acme.team])
  expect(await sweepAfter(6 * 3_600)).toEqual([])
  await writeOwnPeriods(app.db, short.team, { by: 'owner', changes: { events: null } })
})
