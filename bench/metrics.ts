import { foldEvents } from '../src/features/metrics/fold.ts'
import { type Sql, sql } from '../src/kernel/db/sql.ts'
import { type JoinedDatabase, joinDatabase, temporaryDataDir } from './database.ts'
import { readOnce } from './load.ts'
import { calm, cpuMicroseconds, familyCpuMicroseconds } from './processes.ts'
import { note, progress } from './progress.ts'
import { median, printReport, type Row, rate, seconds } from './report.ts'
import { type Service, startService } from './service.ts'

const DAYS = 90
const CHUNK = 50_000
const WARM_UP = 30
const ASKED = 200

/** How long a question about millions of events takes, against counting them when asked. */
export async function metrics({ events, isForMachines }: { events: number; isForMachines: boolean }) {
  const dataDir = temporaryDataDir()
  const service = await startService(dataDir, 'postwren serve', { POSTWREN_ROLES: 'api' })
  const database = await joinDatabase(dataDir)
  const { db } = database
  const [{ team }] = (await db.query<{ team: string }>(sql`select id as team from teams limit 1`)) as [{ team: string }]
  await makeEvents(database, team, events)
  await fold(database, team, events)
  await settle(database)

  const until = new Date()
  const since = new Date(until.getTime() - 30 * 86_400_000)
  const month = `start_date=${since.toISOString()}&end_date=${until.toISOString()}`
  const [{ email }] = (await db.query<{ email: string }>(sql`
    select id as email from emails where team_id = ${team} order by id desc limit 1`)) as [{ email: string }]
  const amount = events.toLocaleString('en')
  const rows = [
    await row(service, database, `metrics of 30 days by day in Kathmandu, ${amount} events, p50`, {
      query: `${month}&dimensions=period&timezone=Asia/Kathmandu`,
      baseline: () => countWhenAsked(database, team, since, until),
    }),
    await row(service, database, '– without any question, the totals of six days', { query: '' }),
    await row(service, database, `– of ${DAYS} days by hour and domain`, {
      query: `start_date=${new Date(until.getTime() - DAYS * 86_400_000).toISOString()}&granularity=hourly&dimensions=period,domain`,
    }),
    await row(service, database, '– of one email', { query: `${month}&email_id=${email}` }),
  ]
  await service.stop()
  await database.leave()
  printReport(rows, isForMachines)
}

/** Emails over the last months: each sent and delivered, half opened, a tenth clicked, every hundredth bounced instead. */
async function makeEvents({ db }: JoinedDatabase, team: string, events: number) {
  const emails = Math.ceil(events / 2.6)
  for (let done = 0; done < emails; done += CHUNK) {
    progress(`making events: ${Math.round((done / emails) * 100)} %`)
    await db.queryPooled(sql`
      with made as materialized (
        select ${timeOrderedId(sql`at`)} as id, at, n % 3 as domain, n
        from generate_series(${done + 1}::int, ${Math.min(done + CHUNK, emails)}::int) n,
          lateral (select now() - make_interval(days => ${DAYS}) * (1 - n::float8 / ${emails}) - interval '2 minutes' as at) t),
      new_emails as (
        insert into emails (team_id, id, message_id, "from", "to", subject, domain_id, last_event, created_at)
        select ${team}, id, '<' || id || '@bench.dev>', 'shop@bench.dev', '["ada@example.com"]', 'Your order',
          md5('domain ' || domain)::uuid, 'delivered', at
        from made)
      insert into outbox (team_id, id, type, data, about, created_at)
      select ${team}, ${timeOrderedId(sql`at + delay`)}, type, json_build_object('email_id', id, 'created_at', at,
        'from', 'shop@bench.dev', 'to', array['ada@example.com'], 'subject', 'Your order', 'bounce', json_build_object('type', 'Permanent'),
        'verdict', json_build_object('kind', 'person', 'reason', 'browser', 'is_counted', true)), id, at + delay
      from made, (values ('email.sent', interval '0'), ('email.delivered', interval '1 second'), ('email.bounced', interval '1 second'),
        ('email.opened', interval '40 seconds'), ('email.clicked', interval '80 seconds')) kinds (type, delay)
      where case type when 'email.delivered' then n % 100 > 0 when 'email.bounced' then n % 100 = 0
        when 'email.opened' then n % 2 = 1 when 'email.clicked' then n % 10 = 1 else true end
      order by at + delay`)
  }
}

/** As the ids of the program are: those made together lie together. */
const timeOrderedId = (at: Sql) => sql`
  (lpad(to_hex((extract(epoch from ${at}) * 1000)::bigint), 12, '0') || substr(md5(random()::text), 1, 20))::uuid`

async function fold({ db, pid }: JoinedDatabase, team: string, events: number) {
  progress('counting')
  const begin = performance.now()
  const before = familyCpuMicroseconds(pid)
  while (!(await foldEvents(db, team, 100_000))) progress('counting')
  const tookMs = performance.now() - begin
  const microseconds = (familyCpuMicroseconds(pid) - before) / events
  note(
    `counting: ${events.toLocaleString('en')} events in ${seconds(tookMs)}, ${rate(events / (tookMs / 1_000), 'events/s')}; ` +
      `CPU of PostgreSQL for an event: ${microseconds.toFixed(0)} µs`,
  )
}

async function settle({ db }: JoinedDatabase) {
  progress('settling: vacuum, analyze, checkpoint')
  for (const statement of [
    sql`vacuum analyze outbox`,
    sql`vacuum analyze emails`,
    sql`vacuum analyze metric_facts`,
    sql`vacuum analyze metric_counts`,
    sql`vacuum analyze metric_sums`,
    sql`vacuum analyze uncounted_batches`,
    sql`checkpoint`,
  ])
    await db.queryPooled(statement)
}

/** The slow and obvious way: all events of the range, gone through when somebody asks. */
async function countWhenAsked({ db }: JoinedDatabase, team: string, since: Date, until: Date): Promise<number> {
  const begin = performance.now()
  await db.queryPooled(sql`
    select date_trunc('day', created_at, 'Asia/Kathmandu') as period, type, count(distinct about)
    from outbox where team_id = ${team} and created_at between ${since} and ${until} group by 1, 2`)
  return performance.now() - begin
}

async function row(
  { url, pid }: Service,
  database: JoinedDatabase,
  what: string,
  { query, baseline }: { query: string; baseline?: () => Promise<number> },
): Promise<Row> {
  const address = `${url}/emails/metrics?${query}`
  await calm()
  const times: number[] = []
  const spent = () => ({ service: cpuMicroseconds(pid), PostgreSQL: familyCpuMicroseconds(database.pid) })
  const before = spent()
  for (let turn = 0; turn < WARM_UP + ASKED; turn++) {
    progress(`asking: ${what}`)
    const { milliseconds } = await readOnce(address)
    if (turn >= WARM_UP) times.push(milliseconds)
  }
  const after = spent()
  const each = (who: 'service' | 'PostgreSQL') =>
    `${who} ${((after[who] - before[who]) / 1_000 / (WARM_UP + ASKED)).toFixed(1)} ms`
  note(`${what}: CPU for each: ${each('service')}, ${each('PostgreSQL')}`)
  const slow = baseline && median([await baseline(), await baseline(), await baseline()])
  const figure = median(times)
  return {
    what,
    ours: `${figure.toFixed(1)} ms`,
    baseline: slow === undefined ? null : `${slow.toFixed(0)} ms (counting when asked)`,
    figure,
    unit: 'ms',
    wanted: 'at most',
    must: baseline ? 20 : null,
    dream: baseline ? 5 : null,
  }
}
