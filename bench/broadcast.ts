import { setTimeout as delay } from 'node:timers/promises'
import { sql } from '../src/kernel/db/sql.ts'
import { type JoinedDatabase, joinDatabase, temporaryDataDir } from './database.ts'
import { type BenchEmail, benchEmail } from './email.ts'
import { importContacts } from './import.ts'
import { postOne } from './load.ts'
import { calm, cpuMicroseconds, familyCpuMicroseconds, watchingMemory } from './processes.ts'
import { note, progress } from './progress.ts'
import { mebibytes, median, printReport, type Row, rate, seconds } from './report.ts'
import { addDomain, endToEnd } from './send.ts'
import { AUTHORIZATION, type Service, startService } from './service.ts'
import { type Sink, startSink } from './sink.ts'

const SINGLES = 4_000
const SINGLE_ROUNDS = 3
const RESETS = 20
const POLL_MS = 250

interface Broadcast {
  readonly id: string
  readonly status: string
  readonly counts: { readonly emails: number; readonly sent: number }
}

/** One message to many against the same message to one at a time, and what somebody who waits for a single one feels of it. */
export async function broadcast({ contacts, isForMachines }: { contacts: number; isForMachines: boolean }) {
  const dataDir = temporaryDataDir()
  const sink = await startSink()
  const service = await startService(dataDir, 'postwren serve', {
    POSTWREN_DELIVERY: 'relay',
    POSTWREN_RELAY_URL: `smtp://127.0.0.1:${sink.port}`,
  })
  const database = await joinDatabase(dataDir)
  await addDomain(service, database, 'ed.bench.dev', 'ed25519')
  const email = benchEmail('shop@ed.bench.dev')
  await importContacts(service.url, contacts)
  const segment = await addAllToSegment(service, database)

  const singles = await bestOfSingles(service, database, sink, email)
  await calm()
  const idle = await resetDelays(service, sink, email)
  const readers = await countReaders(database)
  const work = () => sendAll(service, sink, email, { segment, readers })
  const { result: measured, growthMiB } = await watchingMemory(service.pid, () =>
    measuringCpu(service, database, readers, work),
  )
  const { result, cpu } = measured
  note(`CPU for each copy: ${cpu}`)
  await service.stop()
  await database.leave()
  await sink.stop()
  printReport(rowsOf({ ...result, growthMiB, singles, idle }), isForMachines)
}

async function call<Body>(service: Service, method: string, path: string, body?: object): Promise<Body> {
  const headers = { ...AUTHORIZATION, 'content-type': 'application/json' }
  const reply = await fetch(`${service.url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  if (!reply.ok) throw new Error(`${reply.status} from ${path}: ${await reply.text()}`)
  return (await reply.json()) as Body
}

async function addAllToSegment(service: Service, { db }: JoinedDatabase): Promise<string> {
  const { id } = await call<{ id: string }>(service, 'POST', '/segments', { name: 'Readers' })
  await db.queryPooled(sql`
    insert into contact_segments (team_id, contact_id, segment_id, created_at) select team_id, id, ${id}, now() from contacts`)
  await db.queryPooled(sql`vacuum analyze contacts, contact_segments`)
  await db.queryPooled(sql`checkpoint`)
  return id
}

async function bestOfSingles(service: Service, database: JoinedDatabase, sink: Sink, email: BenchEmail) {
  const rates: number[] = []
  for (let round = 1; round <= SINGLE_ROUNDS; round++) {
    progress(`single emails, round ${round} of ${SINGLE_ROUNDS}`)
    await calm()
    const work = () => endToEnd(service, database, sink, email, SINGLES)
    const { result, cpu } = await measuringCpu(service, database, SINGLES, work)
    rates.push(result)
    if (round === SINGLE_ROUNDS) note(`CPU for each single email: ${cpu}`)
  }
  return Math.max(...rates)
}

/** Does the work and tells the CPU that each part used for an email. */
async function measuringCpu<Result>(
  service: Service,
  database: JoinedDatabase,
  emails: number,
  work: () => Promise<Result>,
) {
  const usage = () => [cpuMicroseconds(service.pid), familyCpuMicroseconds(database.pid)] as const
  const before = usage()
  const result = await work()
  const [ours, postgres] = usage().map((used, part) => ((used - before[part]!) / 1_000 / emails).toFixed(2))
  return { result, cpu: `service ${ours} ms, PostgreSQL ${postgres} ms` }
}

/** How long a password reset takes to arrive, again and again. */
async function resetDelays(service: Service, sink: Sink, email: BenchEmail): Promise<number[]> {
  const delays: number[] = []
  for (let turn = 0; turn < RESETS; turn++) {
    const to = `reset${turn}@sink.dev`
    const begin = performance.now()
    const heard = sink.heard(to)
    await postOne(`${service.url}/emails`, { ...email, to })
    delays.push((await heard) - begin)
    await delay(50)
  }
  return delays
}

/** From the request that sends it until the last outcome is written down, with password resets in the middle of it. */
async function sendAll(
  service: Service,
  sink: Sink,
  email: BenchEmail,
  { segment, readers }: { segment: string; readers: number },
) {
  const { from, subject, html, text } = email
  const personal = { html: html.replace('<body>', '<body><p>Dear {{{FIRST_NAME|friend}}},</p>'), text, from, subject }
  sink.reset()
  const begin = performance.now()
  const arrived = sink.reached(readers + RESETS)
  const { id } = await call<Broadcast>(service, 'POST', '/broadcasts', { ...personal, segment_id: segment, send: true })
  const read = () => call<Broadcast>(service, 'GET', `/broadcasts/${id}`)
  let madeMs = 0
  let busy: Promise<number[]> | null = null
  for (;;) {
    const { status, counts } = await read()
    progress(
      `${counts.emails.toLocaleString('en')} copies, ${counts.sent.toLocaleString('en')} sent of ${readers.toLocaleString('en')}`,
    )
    if (counts.emails === readers) madeMs ||= performance.now() - begin
    if (counts.sent > readers / 4) busy ??= resetDelays(service, sink, email)
    if (status === 'sent') break
    await delay(POLL_MS)
  }
  const tookMs = performance.now() - begin
  const delays = (await busy) ?? []
  await arrived
  note(`${readers.toLocaleString('en')} copies made in ${seconds(madeMs)}`)
  return { readers, recipientsPerSecond: readers / (tookMs / 1_000), busy: delays }
}

async function countReaders({ db }: JoinedDatabase): Promise<number> {
  const [row] = await db.query<{ readers: number }>(sql`
    select count(*)::int as readers from contacts where not unsubscribed`)
  return row!.readers
}

function rowsOf(figures: {
  readers: number
  recipientsPerSecond: number
  singles: number
  growthMiB: number
  busy: readonly number[]
  idle: readonly number[]
}): Row[] {
  const { readers, recipientsPerSecond, singles, growthMiB, busy, idle } = figures
  const spread = (delays: readonly number[]) =>
    `${median(delays).toFixed(0)} ms, at most ${Math.max(...delays).toFixed(0)} ms`
  return [
    {
      what: `a broadcast to ${readers.toLocaleString('en')}, from send to sink, outcomes written`,
      ours: rate(recipientsPerSecond, 'recipients/s'),
      baseline: `${rate(singles, 'emails/s')} (single emails)`,
      figure: recipientsPerSecond / singles,
      unit: '×',
      wanted: 'at least',
      must: 1,
      dream: 2,
    },
    {
      what: '– memory growth of the service meanwhile',
      ours: mebibytes(growthMiB),
      baseline: null,
      figure: growthMiB,
      unit: 'MiB',
      wanted: 'at most',
      must: 128,
      dream: 64,
    },
    {
      what: 'POST /emails to the sink in the middle of it, p50',
      ours: spread(busy),
      baseline: `${spread(idle)} (idle)`,
      figure: median(busy) / median(idle),
      unit: '×',
      wanted: 'at most',
      must: 20,
      dream: 5,
    },
  ]
}
