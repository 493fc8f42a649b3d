import { sql } from '../../src/kernel/db/sql.ts'
import { makePartitions } from '../../src/kernel/partitions/make.ts'
import type { App } from './app.ts'

const DAY_MS = 86_400_000

/** Lets days pass as they do for a service that runs: periods are made before their time comes. */
export async function passDays(app: App, days: number) {
  for (let day = 0; day < days; day++) {
    app.clock.advance(DAY_MS / 1_000)
    if (day % 5 === 4) await makePartitions(app.db)
  }
  await makePartitions(app.db)
}

/** Days of mail of a team that has all been delivered, in the shape that the service gives it: so many emails each day, until now. */
export async function fillDays(app: App, team: string, { days, perDay }: { days: number; perDay: number }) {
  const now = app.clock.now()
  const first = new Date(now.getTime() - days * DAY_MS)
  const id = sql`(
    substr(ms, 1, 8) || '-' || substr(ms, 9, 4) || '-7' || lpad(to_hex(n % 4096), 3, '0') || '-8' || substr(random, 1, 3) || '-' || substr(random, 4, 12))::uuid`
  await app.db.query(sql`create table if not exists filling (team_id uuid, id uuid, at timestamptz, n bigint)`)
  await app.db.query(sql`truncate filling`)
  await app.db.query(sql`
    insert into filling
    select ${team}, ${id}, at, n from (
      select n, at, lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') as ms, md5(random()::text) as random
      from (
        select n, ${first}::timestamptz + (n * ${DAY_MS / 1_000 / perDay})::float8 * interval '1 second' as at
        from generate_series(0, ${days * perDay - 1}) n) moment) made`)
  const from = sql`from filling f`
  for (const statement of [
    sql`insert into emails (team_id, id, message_id, "from", "to", subject, last_event, created_at)
      select team_id, id, '<' || id || '@acme.dev>', 'hello@acme.dev', '["ada@example.com"]', 'Hello ' || n, 'delivered', at ${from}`,
    sql`insert into email_bodies (team_id, email_id, html) select team_id, id, '<p>' || repeat(md5(n::text), 30) || '</p>' ${from}`,
    sql`insert into deliveries (team_id, email_id, position, recipient, state, due_at, give_up_at, settled_at)
      select team_id, id, 0, 'ada@example.com', 'delivered', at, at, at ${from}`,
    sql`insert into metric_facts (team_id, email_id, metric, event_id, at)
      select team_id, id, 'delivered', '00000000-0000-0000-0000-000000000000', at ${from}`,
    sql`insert into email_documents (team_id, id, words) select team_id, id, 'x' ${from}`,
    sql`insert into message_marks (team_id, message_id, is_read) select team_id, id, true ${from}`,
    sql`insert into received_emails (team_id, id, "from", "to", cc, bcc, reply_to, received_for, subject, envelope_from, client_address, helo, size, read_at, created_at)
      select team_id, id, 'ada@example.net', '[]', '[]', '[]', '[]', '[]', 'Hi', '', '', '', 1, at, at ${from}`,
    sql`insert into received_raws (team_id, received_id, raw) select team_id, id, decode(repeat('00ff', 200), 'hex') ${from}`,
    sql`insert into outbox (team_id, id, type, data, created_at, about)
      select team_id, id, 'contact.created', '{"a": "ü"}', at, id ${from}`,
    sql`insert into request_logs (team_id, id, method, endpoint, response_status, response_body, created_at)
      select team_id, id, 'GET', '/emails', 200, '{}', at ${from}`,
  ])
    await app.db.query(statement)
  await app.db.query(sql`drop table filling`)
}
