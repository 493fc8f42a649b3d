import type pg from 'pg'
import { vectorOf } from '../../src/kernel/search/document.ts'
import { note, progress } from '../progress.ts'
import { seconds } from '../report.ts'
import { openSession, type Stage } from './stage.ts'

const DAY_MS = 86_400_000
/** Emails to a statement of each table: rows of 2 kB, and a file of WAL or two. */
const CHUNK = 20_000

/**
 * Tables with rows of an email, and how a row `t` names its email. Their rows are copies of those that the service itself has written for the
 * emails that were sent before: other ids, times and recipients, and all the rest as it is.
 */
const TABLES: Readonly<Record<string, string>> = {
  emails: 't.id',
  email_bodies: 't.email_id',
  emails_by_status: 't.email_id',
  relayed_message_ids: 't.email_id',
  deliveries: 't.email_id',
  metric_facts: 't.email_id',
  outbox: 't.about',
  webhook_deliveries: '(select o.about from outbox o where o.team_id = t.team_id and o.id = t.event_id)',
  webhook_attempts: '(select o.about from outbox o where o.team_id = t.team_id and o.id = t.event_id)',
  request_logs: `case when t.method = 'POST' and t.endpoint = '/emails' and t.response_status = 200 then (t.response_body::json ->> 'id')::uuid end`,
}

/** Ids that are of the email or of its time. Others (team, domain, webhook, key) stay. */
const MOVED_IDS = new Set(['id', 'email_id', 'event_id', 'about', 'attempt_id'])
/** Where an id or an address is part of a text. */
const REWRITTEN = new Set(['message_id', 'to', 'recipient', 'recipients', 'data', 'request_body', 'response_body'])

/** When the filled emails were sent: evenly over a time of this length, up to its end. */
export interface FilledTime {
  readonly lengthMs: number
  readonly end: Date
}

/** Up to a moment ago, so that nothing that was filled is newer than what is sent next. */
export const lastDays = (days: number): FilledTime => ({ lengthMs: days * DAY_MS, end: new Date(Date.now() - 600_000) })

/** Fills the tables with so many emails, of a time; tells how many rows that were. */
export async function fill(stage: Stage, emails: number, { lengthMs, end }: FilledTime): Promise<void> {
  const session = await openSession(stage)
  const begin = performance.now()
  // Triggers would note each event for webhooks and metrics; constraints hold for copies of rows for which they hold.
  await session.query(`set session_replication_role = replica; set synchronous_commit = off; set work_mem = '256MB'`)
  const templates = await prepare(session, stage.team)
  const columns = await columnsOf(session)
  let rows = 0
  for (let done = 0; done < emails; done += CHUNK) {
    const elapsed = performance.now() - begin
    const left = done === 0 ? '' : `, ${seconds((elapsed / done) * (emails - done))} left`
    progress(`${bar(done / emails)} ${done.toLocaleString('en')} of ${emails.toLocaleString('en')} emails${left}`)
    const last = Math.min(done + CHUNK, emails)
    await session.query('truncate copies')
    await session.query(COPIES, [done, last - 1, templates, emails, lengthMs, end.getTime()])
    for (const [table, expressions] of columns) {
      const names = Array.from(expressions.keys(), (name) => `"${name}"`).join(', ')
      const { rowCount } = await session.query(`
        insert into ${table} (${names}) select ${[...expressions.values()].join(', ')}
        from copies c join template_${table} t on t.template = c.template`)
      rows += rowCount ?? 0
    }
    rows += await fillDocuments(session, stage.team)
  }
  // A trigger adds up the counters.
  await session.query('set session_replication_role = origin')
  await session.query(COUNTS, [stage.team])
  await session.query(HAVE_DOCUMENTS, [stage.team])
  await session.end()
  const took = performance.now() - begin
  note(
    `filled ${emails.toLocaleString('en')} emails, ${rows.toLocaleString('en')} rows, in ${seconds(took)}: ${Math.round(rows / (took / 1_000)).toLocaleString('en')} rows/s`,
  )
  await settle(stage)
}

/** The emails that were sent, numbered, with a table of the rows of each in every table. */
async function prepare(session: pg.Client, team: string): Promise<number> {
  await session.query(`
    create function pg_temp.ms_of(id uuid) returns bigint immutable language sql
      as $$ select ('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint $$;
    create function pg_temp.moved(id uuid, shift bigint, n bigint) returns uuid immutable language sql as $$
      select case when id = '00000000-0000-0000-0000-000000000000' then id else (
        lpad(to_hex(pg_temp.ms_of(id) + shift), 12, '0') || '7' || substr(hash, 1, 3) || '8' || substr(hash, 4, 15))::uuid end
      from (select md5(id::text || n) as hash) h $$;
    create temp table copies (template int, n bigint, shift bigint, old_id uuid, new_id uuid, old_name text, new_name text)`)
  const { rowCount } = await session.query(`
    create temp table templates as
      select (row_number() over (order by id) - 1)::int as template, id, substring("to" ->> 0 from 'person\\d+') as name
      from emails where team_id = '${team}' and substring("to" ->> 0 from 'person\\d+') is not null`)
  for (const [table, emailOf] of Object.entries(TABLES))
    await session.query(`
      create temp table template_${table} as
        select e.template, t.* from ${table} t join templates e on e.id = ${emailOf} where t.team_id = '${team}';
      analyze template_${table}`)
  return rowCount!
}

const COPIES = `
  insert into copies
  select e.template, n, shift, e.id, pg_temp.moved(e.id, shift, n), e.name || '@', 'person' || n || '@'
  from generate_series($1::bigint, $2::bigint) n
  join templates e on e.template = n % $3::int
  cross join lateral (select ($6::bigint - $5::bigint * (1 - n / $4::float8))::bigint - pg_temp.ms_of(e.id) as shift) moved
  order by n`

async function columnsOf(session: pg.Client): Promise<Map<string, Map<string, string>>> {
  const { rows } = await session.query<{ table: string; name: string; type: string }>(
    `select c.relname as table, a.attname as name, format_type(a.atttypid, null) as type
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    where c.relnamespace = 'public'::regnamespace and c.relname = any ($1) order by a.attnum`,
    [Object.keys(TABLES)],
  )
  const tables = new Map(Object.keys(TABLES).map((table) => [table, new Map<string, string>()]))
  for (const { table, name, type } of rows) tables.get(table)!.set(name, expressionOf(name, type))
  return tables
}

function expressionOf(name: string, type: string): string {
  const column = `t."${name}"`
  if (type === 'uuid' && MOVED_IDS.has(name)) return `pg_temp.moved(${column}, c.shift, c.n)`
  if (type === 'timestamp with time zone') return `${column} + c.shift * interval '1 millisecond'`
  if (type === 'xid8') return 'pg_current_xact_id()'
  if (REWRITTEN.has(name))
    return `replace(replace(${column}::text, c.old_id::text, c.new_id::text), c.old_name, c.new_name)::${type}`
  return column
}

/** By the function that the service makes them with: their words begin with the team, and tell the time. */
async function fillDocuments(session: pg.Client, team: string): Promise<number> {
  const { rows } = await session.query<{ id: string; from: string; to: string[]; subject: string; tags: [] | null }>(`
    select c.new_id as id, t."from", replace(t."to"::text, c.old_name, c.new_name)::json as "to", t.subject, t.tags
    from copies c join template_emails t on t.template = c.template order by c.n`)
  const vectors = rows.map(({ id, from, to, subject, tags }) =>
    vectorOf(
      { team, kind: 'email' },
      { id, addresses: { from: [from], to }, texts: { subject: [subject] }, tags: tags ?? [] },
    ),
  )
  await session.query(
    `insert into email_documents (team_id, id, words)
    select $1, id, words::tsvector from unnest($2::uuid[], $3::text[]) as new (id, words)`,
    [team, rows.map(({ id }) => id), vectors],
  )
  return rows.length
}

/** What counting the filled events would have come to. */
const COUNTS = `
  insert into metric_counts (team_id, quarter, domain_id, broadcast_id, received, delivered, complained, suppressed, bounced, bounced_transient,
    bounced_permanent, bounced_undetermined, opened, clicked, unsubscribed, delivery_delayed, failed, sent, unique_opened, unique_clicked)
  select $1::uuid, date_bin('15 minutes', at, 'epoch'), coalesce(domain_id, zero.id), coalesce(broadcast_id, zero.id), 0,
    count(*) filter (where metric = 'delivered'), 0, 0, count(*) filter (where metric = 'bounced'), count(*) filter (where metric = 'bounced_transient'),
    count(*) filter (where metric = 'bounced_permanent'), count(*) filter (where metric = 'bounced_undetermined'), 0, 0, 0, 0, 0,
    count(*) filter (where metric = 'sent'), 0, 0
  from metric_facts, (values ('00000000-0000-0000-0000-000000000000'::uuid)) as zero (id)
  where team_id = $1::uuid group by 1, 2, 3, 4
  on conflict (team_id, quarter, domain_id, broadcast_id) do update set
    delivered = excluded.delivered, bounced = excluded.bounced, bounced_transient = excluded.bounced_transient,
    bounced_permanent = excluded.bounced_permanent, bounced_undetermined = excluded.bounced_undetermined, sent = excluded.sent`

/** All emails have their documents: otherwise a search would begin to make them. */
const HAVE_DOCUMENTS = `update search_progress set low = '00000000-0000-0000-0000-000000000000' where team_id = $1 and kind = 'email_documents'`

/** As after a quiet night: vacuumed, analyzed, on disk. On a connection of its own: it may take longer than a statement may elsewhere. */
export async function settle(stage: Stage) {
  const session = await openSession(stage)
  progress(`${stage.name}: vacuum, analyze, checkpoint`)
  await session.query('vacuum analyze')
  await session.query('checkpoint')
  await session.end()
}

const BAR = 24
const bar = (share: number) => `[${'#'.repeat(Math.round(share * BAR)).padEnd(BAR, '.')}]`
