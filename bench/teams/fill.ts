import type { Database, Transaction } from '../../src/kernel/db/database.ts'
import { type Sql, sql } from '../../src/kernel/db/sql.ts'
import { progress } from '../progress.ts'

/** Of one statement, which may not take long. */
const SLICE = 5_000
const RUNS_SLICE = 50_000

/** `re_`, eight characters that find the key, and something behind them. */
export const keyOf = (number: number) => `re_${number.toString(36).padStart(8, '0')}_of_the_benchmarks`

/** How many of so many teams are busy. */
export const busyOf = (teams: number) => Math.ceil(teams / 100)

/**
 * Teams in the product's shape: each has a key, contacts, mail of the past with its events and logs, and what was counted; every second one an
 * automation with runs that wait for weeks, every fifth a webhook, every tenth limits and an inbox. Of one in a hundred a webhook is to be tried again
 * in some hours, one in a thousand is suspended, of those that are not busy. Without triggers: what they would note was dealt with long ago.
 */
export async function fillTeams(db: Database, { teams, runs }: { teams: number; runs: number }) {
  for (let from = 0; from < teams; from += SLICE) {
    progress(`${from.toLocaleString('en')} of ${teams.toLocaleString('en')} teams`)
    const amount = Math.min(SLICE, teams - from)
    await db.transaction(async (trx) => {
      await trx.query(sql`set local session_replication_role = replica`)
      await trx.query(sql`create temporary table filled (team uuid, n int, is_suspended boolean) on commit drop`)
      await trx.query(sql`
        insert into filled
        select uuidv7(interval '-300 days' * random()), n, n % 1000 = 999 and n >= ${busyOf(teams)}::int from generate_series(${from}::int, ${from + amount - 1}::int) n`)
      for (const statement of STATEMENTS) await trx.query(statement)
      await addRuns(trx, { amount: Math.floor((runs * amount) / teams) })
    })
  }
}

const STATEMENTS: readonly Sql[] = [
  sql`
    insert into teams (id, name, created_at, suspended_at, suspended_reason)
    select team, 'Team ' || n, now(), case when is_suspended then now() end, case when is_suspended then 'Unpaid' end from filled`,
  // The first ones are the busy ones: the load knows their keys.
  sql`
    insert into api_keys (team_id, id, name, permission, token_prefix, token_sha256, token_end, created_at)
    select team, uuidv7(), 'Key', 'full_access', left(token, 11), sha256(token::bytea), right(token, 4), now()
    from (
      select team, 're_' || lpad(base36(n), 8, '0') || '_of_the_benchmarks' as token from filled) key`,
  sql`
    insert into contacts (team_id, id, email, created_at, updated_at)
    select team, uuidv7(), 'customer' || c || '@sink.dev', now(), now() from filled, generate_series(0, 1) c`,
  sql`create temporary table mail on commit drop as
    select team, n, uuidv7(interval '-20 days' * random()) as id, now() - interval '20 days' as at from filled, generate_series(1, 2)`,
  sql`
    insert into emails (team_id, id, message_id, "from", "to", subject, last_event, created_at)
    select team, id, '<' || id || '@bench.dev>', 'shop@bench.dev', '["customer@sink.dev"]', 'Your order is on its way', 'delivered', at
    from mail`,
  sql`
    insert into deliveries (team_id, email_id, position, recipient, state, due_at, give_up_at, attempts, settled_at)
    select team, id, 0, 'customer@sink.dev', 'delivered', at, at + interval '3 days', 1, at from mail`,
  sql`
    insert into outbox (team_id, id, type, data, created_at, about)
    select team, uuidv7(interval '-10 days' * random()), type, json_build_object('email_id', id, 'to', array['customer@sink.dev']),
      now() - interval '10 days', id
    from mail, unnest(array['email.sent', 'email.delivered']) type`,
  sql`
    insert into request_logs (team_id, id, method, endpoint, response_status, created_at)
    select team, uuidv7(interval '-5 days' * random()), 'POST', '/emails', 200, now() - interval '5 days' from mail`,
  sql`
    insert into team_usage (team_id, day, slot, sent)
    select team, current_date - day, 0, 2 from filled, generate_series(3, 20, 8) day`,
  sql`
    insert into team_limits (team_id, emails_per_day, updated_at) select team, 1000000, now() from filled where n % 10 = 1`,
  sql`create temporary table hooks on commit drop as select team, n, uuidv7() as id from filled where n % 5 = 2`,
  sql`
    insert into webhooks (team_id, id, endpoint, events, created_at, updated_at)
    select team, id, 'https://hooks.example.com/', '{email.bounced}', now(), now() from hooks`,
  sql`
    insert into webhook_secrets (team_id, webhook_id, id, secret) select team, id, uuidv7(), '\\x00' from hooks`,
  sql`
    insert into webhook_deliveries (team_id, webhook_id, event_id, state, claims, attempt_id, http_status_code, response, duration_ms, sent_at)
    select team, id, uuidv7(interval '-10 days' * random()), 'success', 1, uuidv7(), 200, 'ok', 10, now() from hooks, generate_series(1, 2)`,
  sql`
    insert into webhook_deliveries (team_id, webhook_id, event_id, failures, next_attempt_at, due_at)
    select team, id, uuidv7(), 4, now() + interval '5 hours', now() + interval '5 hours' from hooks where n % 100 = 92`,
  sql`
    insert into inboxes (team_id, id, name, email_address, domain_id, created_at, updated_at)
    select team, uuidv7(), 'Support', 'support@example.com', uuidv7(), now(), now() from filled where n % 10 = 3`,
  sql`create temporary table flows on commit drop as
    select team, uuidv7() as id, uuidv7() as graph, row_number() over () - 1 as place from filled where n % 2 = 0`,
  sql`
    insert into automation_graphs (team_id, id, automation_id, steps, connections, created_at) select team, graph, id, '[]', '[]', now() from flows`,
  sql`
    insert into automations (team_id, id, name, status, graph_id, trigger_event, created_at, updated_at)
    select team, id, 'Welcome', 'enabled', graph, 'user.created', now(), now() from flows`,
]

async function addRuns(trx: Transaction, { amount }: { amount: number }) {
  await trx.query(sql`
    insert into automation_runs (team_id, id, automation_id, graph_id, contact_id, status, step_key, entered_at, due_at, waits_for, event,
      wait_events, trail, created_at, started_at)
    select team, uuidv7(), id, graph, gen_random_uuid(), 'running', 'wait', now(), now() + interval '20 days' * (0.5 + random()), 'user.woken',
      '{}', '{}', '[]', now(), now()
    from generate_series(0, ${amount - 1}::int) n
    join flows on flows.place = n % greatest(1, (select count(*) from flows))`)
  await trx.query(sql`
    insert into automation_next_due (team_id, due_at)
    select r.team_id, min(r.due_at) from flows join automation_runs r on r.team_id = flows.team group by r.team_id`)
}

/** The same number of runs, all of one team. */
export async function fillOneTeam(db: Database, team: string, runs: number) {
  for (let from = 0; from < runs; from += RUNS_SLICE) {
    progress(`${from.toLocaleString('en')} of ${runs.toLocaleString('en')} runs wait`)
    await db.queryPooled(sql`
      insert into automation_runs (team_id, id, automation_id, graph_id, contact_id, status, step_key, entered_at, due_at, waits_for,
        event, wait_events, trail, created_at, started_at)
      select ${team}, uuidv7(), ${team}, ${team}, gen_random_uuid(), 'running', 'wait', now(), now() + interval '20 days' * (0.5 + random()),
        'user.woken', '{}', '{}', '[]', now(), now()
      from generate_series(${from + 1}::int, ${Math.min(from + RUNS_SLICE, runs)}::int)`)
  }
}

/** As JavaScript writes numbers to base 36. */
export const createBase36 = sql`
  create function base36(number int) returns text language sql immutable as $$
    select coalesce(string_agg(substr('0123456789abcdefghijklmnopqrstuvwxyz', 1 + (number / (36 ^ place)::bigint % 36)::int, 1), '' order by place desc), '')
    from generate_series(0, 5) place where number >= (36 ^ place)::bigint or place = 0 $$`
