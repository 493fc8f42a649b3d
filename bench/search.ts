import { setTimeout as delay } from 'node:timers/promises'
import { raw, type Sql, sql } from '../src/kernel/db/sql.ts'
import { type JoinedDatabase, joinDatabase, temporaryDataDir } from './database.ts'
import { cpuMicroseconds, familyCpuMicroseconds } from './processes.ts'
import { note, progress } from './progress.ts'
import { printReport, type Row, seconds } from './report.ts'
import { AUTHORIZATION, type Service, startService } from './service.ts'

const CHUNK = 50_000
const DAYS = 180
const WARM_UP = 5
const ASKED = 40
const POLL_MS = 1_000

const QUESTIONS: readonly (readonly [string, string])[] = [
  ['rare word', 'zebra'],
  ['rare word among many beginnings', 'order777'],
  ['frequent word', 'invoice'],
  ['word of every 500th email', 'quarterly'],
  ['word that was frequent long ago', 'christmas'],
  ['two frequent words that exclude each other', 'invoice reminder'],
  ['one letter', 'i'],
  ['phrase', '"your quarterly report"'],
  ['part of an address', 'northwind'],
  ['whole address', 'to:person4711@northwind.example'],
  ['`to:` a domain of every third email', 'to:example.com'],
  ['`from:` nobody', 'from:northwind'],
  ['`status:` rare', 'status:bounced'],
  ['rare status and frequent word', 'status:bounced invoice'],
  ['`tag:` rare', 'tag:plan=gold'],
  ['frequent word of one day', 'invoice after:DAY before:NEXT'],
  ['combination', 'to:northwind subject:invoice -reminder tag:plan=free'],
  ['left out', '-invoice -reminder'],
  ['no result', 'nothinglikethis'],
]

interface SearchOptions {
  readonly contacts: number
  /** Set: a folder that stays. Emails that an earlier run has made there are searched again. */
  readonly dataDir?: string | undefined
  readonly isForMachines: boolean
}

/** Searches of emails through the API, against the plain list of the same run. */
export async function search({ contacts: emails, dataDir: kept, isForMachines }: SearchOptions) {
  const dataDir = kept ?? temporaryDataDir()
  const service = await startService(dataDir, 'postwren serve', { POSTWREN_ROLES: 'api,jobs' })
  const database = await joinDatabase(dataDir)
  const { db } = database
  const [{ team }] = (await db.query<{ team: string }>(
    sql`select id as team from teams where not is_system limit 1`,
  )) as [{ team: string }]
  const [made] = await db.query<{ count: number }>(sql`select count(*)::int from emails where team_id = ${team}`)
  if (made!.count === 0) await makeEmails(database, team, emails)
  else if (made!.count !== emails) throw new Error(`--data has ${made!.count} emails, and --emails is ${emails}.`)
  await waitForIndex(database, team, emails)
  await settle(database)
  const list = await ask(service, database, '/emails?limit=20')
  const rows: Row[] = []
  for (const [what, q] of QUESTIONS) {
    const day = (at: number) => new Date(Date.now() - at * 86_400_000).toISOString().slice(0, 10)
    const asked = q.replace('DAY', day(91)).replace('NEXT', day(90))
    const { p50, p99, found, cpuMs } = await ask(service, database, `/emails?limit=20&q=${encodeURIComponent(asked)}`)
    rows.push({
      what: `${what}: \`${q}\`, ${found} found`,
      ours: `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, CPU ${cpuMs.toFixed(1)} ms`,
      baseline: `the list: p50 ${list.p50.toFixed(1)} ms, CPU ${list.cpuMs.toFixed(1)} ms`,
      ...{ figure: p50, unit: 'ms', wanted: 'at most', must: 50, dream: 10 },
    })
  }
  await service.stop()
  await database.leave()
  printReport(rows, isForMachines)
}

/** Over half a year, most of them delivered; words, addresses and tags of several frequencies. */
async function makeEmails({ db }: JoinedDatabase, team: string, emails: number) {
  for (let done = 0; done < emails; done += CHUNK) {
    progress(`making emails: ${Math.round((done / emails) * 100)} %`)
    await db.queryPooled(sql`
      with made as materialized (
        select ${timeOrderedId(sql`at`)} as id, at, n
        from generate_series(${done + 1}::int, ${Math.min(done + CHUNK, emails)}::int) n,
          lateral (select now() - make_interval(days => ${DAYS}) * (1 - n::float8 / ${emails}) - interval '5 minutes' as at) t),
      new_emails as (
        insert into emails (team_id, id, message_id, "from", "to", subject, tags, last_event, created_at)
        select ${team}, id, '<' || id || '@bench.dev>', 'Shop <shop@bench.dev>',
          jsonb_build_array('Person ' || n || ' <person' || n || '@' || case when n % 1000 = 711 then 'northwind.example' when n % 3 = 0 then 'example.com' else 'mail' || n % 5000 || '.example' end || '>'),
          case n % 3 when 0 then 'Invoice' when 1 then 'Reminder for' else 'News about' end || ' order' || n
            || case when n % 500 = 0 then ' in your quarterly report' else '' end
            || case when n < ${emails / 10} then ' christmas' else '' end
            || case when n in (${Math.floor(emails / 4)}, ${Math.floor(emails / 2)}, ${emails - 7}) then ' zebra' else '' end,
          case when n % 100 = 11 then '[{"name":"plan","value":"free"}]'::jsonb when n % 20000 = 5 then '[{"name":"plan","value":"gold"}]'::jsonb end,
          case when n % 1000 = 9 then 'bounced' else 'delivered' end, at
        from made)
      insert into deliveries (team_id, email_id, position, recipient, state, due_at, give_up_at, settled_at)
      select ${team}, id, 0, 'person' || n || '@example.com', 'delivered', at, at, at from made`)
  }
}

/** A UUIDv7 of a moment. */
const timeOrderedId = (at: Sql): Sql => sql`(
  lpad(to_hex((extract(epoch from ${at}) * 1000)::bigint), 12, '0') || '7' || lpad(to_hex(n % 4096), 3, '0')
  || '8' || substr(md5(n::text), 1, 15))::uuid`

async function waitForIndex({ db }: JoinedDatabase, team: string, emails: number) {
  const begin = performance.now()
  const isDone = async () => {
    const [row] = await db.query<{ low: string }>(
      sql`select low from search_progress where team_id = ${team} and kind = 'email_documents' and low = '00000000-0000-0000-0000-000000000000'`,
    )
    return row !== undefined
  }
  while (!(await isDone())) {
    progress(`indexing: ${seconds(performance.now() - begin)}`)
    await delay(POLL_MS)
  }
  const [size] = await db.query<{ documents: string; index: string; emails: string }>(sql`
    select pg_size_pretty(sum(pg_table_size(relid)) filter (where relid::text ~ '^email_documents')) as documents,
      pg_size_pretty(sum(pg_relation_size(relid)) filter (where relid::text ~ 'words')) as index,
      pg_size_pretty(sum(pg_table_size(relid)) filter (where relid::text ~ '^emails')) as emails
    from (
      select relid from pg_partition_tree('email_documents') union all select relid from pg_partition_tree('email_documents_by_words')
      union all select relid from pg_partition_tree('emails')) parts`)
  note(
    `indexed ${emails.toLocaleString('en')} emails in ${seconds(performance.now() - begin)}: documents ${size!.documents}, index ${size!.index}; the emails are ${size!.emails}`,
  )
}

async function settle({ db }: JoinedDatabase) {
  progress('settling: vacuum, analyze, checkpoint')
  for (const table of ['emails', 'deliveries', 'emails_by_status', 'email_documents'])
    await db.queryPooled(raw(`vacuum analyze ${table}`))
  await db.queryPooled(sql`checkpoint`)
}

/** CPU is that of the service and of PostgreSQL. */
async function ask(service: Service, { pid }: JoinedDatabase, path: string) {
  const cpu = () => cpuMicroseconds(service.pid) + familyCpuMicroseconds(pid)
  let before = 0
  const times: number[] = []
  let found = 0
  for (let at = 0; at < WARM_UP + ASKED; at++) {
    if (at === WARM_UP) before = cpu()
    const begin = performance.now()
    const reply = await fetch(service.url + path, { headers: AUTHORIZATION })
    const body = (await reply.json()) as { data: unknown[] }
    if (!reply.ok) throw new Error(`${path}: ${JSON.stringify(body)}`)
    if (at >= WARM_UP) times.push(performance.now() - begin)
    found = body.data.length
  }
  const cpuMs = (cpu() - before) / 1_000 / ASKED
  times.sort((one, other) => one - other)
  return { p50: times[ASKED >> 1]!, p99: times[ASKED - 1]!, found, cpuMs }
}
