import type pg from 'pg'

/** The tables of before there were partitions that are filled here, and how many rows of each an email has. */
export const ROWS_OF_AN_EMAIL = {
  emails: 1,
  email_bodies: 1,
  deliveries: 1,
  metric_facts: 2,
  outbox: 2,
  request_logs: 1,
}

const REAL_TEAMS = [1, 2, 3].map((number) => `00000000-0000-7000-8000-00000000000${number}`)
/** By the version of its id. */
export const SANDBOX = '00000000-0000-8000-8000-000000000004'
export const TEAM = REAL_TEAMS[0]!

/** Emails of the last thirty days, and some of a sandbox whose clock is a year ahead. */
export async function fillOldTables(client: pg.Client, emails: number, ofSandbox: number) {
  await client.query(
    `
    insert into teams (id, name, created_at, is_sandbox)
    select id, 'Team ' || id, now(), is_sandbox(id) from unnest($1::uuid[]) id`,
    [[...REAL_TEAMS, SANDBOX]],
  )
  await client.query(
    `insert into sandbox_clocks (team_id, offset_ms, version) values ($1, 365 * 86400000::bigint, 1)`,
    [SANDBOX],
  )
  await client.query(`
    create function id_at(at timestamptz, n bigint) returns uuid immutable language sql as $$
      select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(hash, 1, 3) || '8' || substr(hash, 4, 15))::uuid
      from (select md5(n::text) as hash) h $$`)
  // Without triggers, as a service that has dealt with them long ago.
  await client.query(`set session_replication_role = replica; set synchronous_commit = off`)
  await client.query(
    `create temp table made as
      select case when n <= $1::int then ($3::uuid[])[1 + n % 3] else $4::uuid end as team, id_at(at, n) as id, at, n
      from generate_series(1, $1::int + $2::int) n cross join lateral (
        select case when n <= $1::int then now() - interval '30 days' * (1 - n / $1::float8)
          else now() + interval '365 days' + n * interval '1 millisecond' end as at) moment`,
    [emails, ofSandbox, REAL_TEAMS, SANDBOX],
  )
  for (const statement of STATEMENTS) await client.query(statement)
  await client.query('set session_replication_role = origin')
  await client.query('analyze')
}

const STATEMENTS = [
  `insert into emails (team_id, id, message_id, "from", "to", subject, last_event, created_at)
    select team, id, '<' || id || '@acme.dev>', 'a@acme.dev', jsonb_build_array('p' || n || '@sink.dev'), 'Hello ' || n, 'delivered', at from made`,
  `insert into email_bodies (team_id, email_id, text) select team, id, 'Hello, number ' || n from made`,
  `insert into deliveries (team_id, email_id, position, recipient, state, due_at, give_up_at, settled_at)
    select team, id, 0, 'p' || n || '@sink.dev', 'delivered', at, at, at from made`,
  `insert into metric_facts (team_id, email_id, metric, event_id, at)
    select team, id, metric, '00000000-0000-0000-0000-000000000000', at from made, unnest('{sent, delivered}'::metric[]) metric`,
  `insert into outbox (team_id, id, type, data, created_at, about)
    select team, id_at(at, n * 10 + kind), 'email.' || (array['sent', 'delivered'])[kind], '{}', at, id from made, generate_series(1, 2) kind`,
  // Requests are in real time, also in a sandbox.
  `insert into request_logs (team_id, id, method, endpoint, response_status, created_at)
    select team, id_at(least(at, now()), n), 'POST', '/emails', 200, least(at, now()) from made`,
]
