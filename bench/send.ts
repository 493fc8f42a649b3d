import { setTimeout as delay } from 'node:timers/promises'
import { sql } from '../src/kernel/db/sql.ts'
import { baselineRate, hasPgbench } from './accept-baseline.ts'
import { type JoinedDatabase, joinDatabase, temporaryDataDir } from './database.ts'
import { openDialogue } from './dialogue.ts'
import { type BenchEmail, benchEmail, WIRE_BYTES } from './email.ts'
import { postMany, postOne, postRate } from './load.ts'
import { missingForPostfix, startPostfix } from './postfix.ts'
import { calm, cpuMicroseconds, familyCpuMicroseconds } from './processes.ts'
import { note, progress } from './progress.ts'
import { median, printReport, type Row, rate } from './report.ts'
import { AUTHORIZATION, type Service, startService } from './service.ts'
import { type Sink, startSink } from './sink.ts'

const CONNECTIONS = 64
const ROUNDS = 3
const ROUND_SECONDS = 4
const SIGNED = 1_500
const UNSIGNED = 4_000
const LATENCIES = 200
const SETTLED_POLL_MS = 5

/** The rows of the table of figures that are about sending. */
export async function send({ isForMachines }: { isForMachines: boolean }) {
  const dataDir = temporaryDataDir()
  const rows = [...(await accepting(dataDir)), ...(await delivering(dataDir))]
  printReport(rows, isForMachines)
}

/** Only the API runs: what is accepted stays in the ledger, so that nothing but accepting is measured. */
async function accepting(dataDir: string): Promise<Row[]> {
  const service = await startService(dataDir, 'postwren serve', { POSTWREN_ROLES: 'api' })
  const database = await joinDatabase(dataDir)
  const rows = [await acceptRow(service, database, { must: 0.8, dream: 1.5, isSlowDisk: false })]
  await database.db.queryPooled(sql`alter system set commit_delay = 5000`)
  await database.db.queryPooled(sql`alter system set commit_siblings = 0`)
  await database.db.queryPooled(sql`select pg_reload_conf()`)
  rows.push(await acceptRow(service, database, { must: 3, dream: 8, isSlowDisk: true }))
  await database.db.queryPooled(sql`alter system reset all`)
  await database.db.queryPooled(sql`truncate emails, email_bodies, deliveries, outbox, request_logs cascade`)
  await service.stop()
  await database.leave()
  return rows
}

async function acceptRow(
  service: Service,
  database: JoinedDatabase,
  { must, dream, isSlowDisk }: { must: number; dream: number; isSlowDisk: boolean },
): Promise<Row> {
  const { db, connection } = database
  const what = `POST /emails accepted durably, ${CONNECTIONS} connections${isSlowDisk ? ', 5 ms disk' : ''}`
  const email = benchEmail('shop@bench.dev')
  const [{ team }] = (await db.query<{ team: string }>(sql`select id as team from teams limit 1`)) as [{ team: string }]
  const ours: number[] = []
  const baseline: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    await calm()
    progress(`accepting${isSlowDisk ? ' on a slow disk' : ''}, round ${round + 1} of ${ROUNDS}`)
    ours.push(
      await explained(what, service, database, round, async () => {
        const load = { connections: CONNECTIONS, seconds: ROUND_SECONDS }
        const accepted = await postRate(`${service.url}/emails`, email, load)
        return { result: accepted, emails: accepted * ROUND_SECONDS }
      }),
    )
    baseline.push(await baselineRate(connection, team, email, { clients: CONNECTIONS, seconds: ROUND_SECONDS }))
  }
  return ratioRow({
    what,
    ours: Math.max(...ours),
    baseline: Math.max(...baseline),
    baselineName: hasPgbench() ? 'pgbench' : 'driver',
    must,
    dream,
  })
}

/** Everything runs, and mail leaves through a relay that is our sink. */
async function delivering(dataDir: string): Promise<Row[]> {
  const sink = await startSink()
  const service = await startService(dataDir, 'postwren serve', {
    POSTWREN_DELIVERY: 'relay',
    POSTWREN_RELAY_URL: `smtp://127.0.0.1:${sink.port}`,
  })
  const database = await joinDatabase(dataDir)
  await addDomain(service, database, 'rsa.bench.dev', 'rsa')
  await addDomain(service, database, 'ed.bench.dev', 'ed25519')
  const rsa = benchEmail('shop@rsa.bench.dev')
  const ed = benchEmail('shop@ed.bench.dev')
  await endToEnd(service, database, sink, ed, 200) // warm

  const rows = [
    await endToEndRow(service, database, sink, { email: rsa, messages: SIGNED, isSigned: true, must: 2, dream: 3 }),
    await endToEndRow(service, database, sink, { email: ed, messages: UNSIGNED, isSigned: false, must: 1.2, dream: 2 }),
    await latencyRow(service, sink, ed),
  ]
  await service.stop()
  await database.leave()
  await sink.stop()
  return rows.flatMap((row) => row ?? [])
}

/** The DNS of a benchmark has nothing to say: the domain is declared verified where that is written down. */
export async function addDomain(service: Service, { db }: JoinedDatabase, name: string, dkim: string) {
  const reply = await fetch(`${service.url}/domains`, {
    method: 'POST',
    headers: { ...AUTHORIZATION, 'content-type': 'application/json' },
    body: JSON.stringify({ name, dkim }),
  })
  if (!reply.ok) throw new Error(`could not make the domain ${name}: ${await reply.text()}`)
  await db.query(sql`update domains set status = 'verified', is_sending_verified = true where name = ${name}`)
}

/** Emails a second from the first request until the last is at the sink and every outcome is written down. */
export async function endToEnd(
  service: Service,
  database: JoinedDatabase,
  sink: Sink,
  email: BenchEmail,
  messages: number,
) {
  sink.reset()
  const begin = performance.now()
  const arrived = sink.reached(messages)
  await postMany(`${service.url}/emails`, email, { connections: CONNECTIONS, amount: messages })
  await arrived
  await settled(database)
  return messages / ((performance.now() - begin) / 1_000)
}

/** Resolves when every outcome is written down. */
export async function settled({ db }: JoinedDatabase) {
  for (;;) {
    const [{ waiting }] = (await db.query<{ waiting: boolean }>(sql`
      select exists (select from deliveries where state = 'waiting') as waiting`)) as [{ waiting: boolean }]
    if (!waiting) return
    await delay(SETTLED_POLL_MS)
  }
}

async function endToEndRow(
  service: Service,
  database: JoinedDatabase,
  sink: Sink,
  {
    email,
    messages,
    isSigned,
    must,
    dream,
  }: { email: BenchEmail; messages: number; isSigned: boolean; must: number; dream: number },
): Promise<Row | null> {
  const what = `accepted → DKIM ${isSigned ? 'RSA-2048' : 'Ed25519'} → sink, events written`
  const missing = missingForPostfix()
  const postfix = missing ? null : await startPostfix(sink, { isSigned })
  const name = isSigned ? 'Postfix with OpenDKIM' : 'Postfix, unsigned'
  const ours: number[] = []
  const baseline: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    await calm()
    progress(`end to end ${isSigned ? 'with RSA-2048' : 'with Ed25519'}, round ${round + 1} of ${ROUNDS}`)
    ours.push(
      await explained(what, service, database, round, async () => ({
        result: await endToEnd(service, database, sink, email, messages),
        emails: messages,
      })),
    )
    if (postfix) baseline.push(await postfix.rate(messages, WIRE_BYTES))
  }
  await postfix?.stop()
  if (missing) {
    note(`${what}: ${rate(Math.max(...ours), 'emails/s')}; no comparison with Postfix, because ${missing}`)
    return null
  }
  return ratioRow({ what, ours: Math.max(...ours), baseline: Math.max(...baseline), baselineName: name, must, dream })
}

/** Does the work, and in the last round tells where the time went: the CPU that each part used for an email. */
async function explained<Result>(
  what: string,
  service: Service,
  database: JoinedDatabase,
  round: number,
  work: () => Promise<{ result: Result; emails: number }>,
): Promise<Result> {
  const usage = () => ({
    service: cpuMicroseconds(service.pid),
    PostgreSQL: familyCpuMicroseconds(database.pid),
    'this load': cpuMicroseconds(process.pid),
  })
  const before = usage()
  const { result, emails } = await work()
  const after = usage()
  const parts = Object.entries(after).map(
    ([part, used]) => `${part} ${((used - before[part as keyof typeof before]) / 1_000 / emails).toFixed(2)} ms`,
  )
  if (round === ROUNDS - 1) note(`${what}: CPU for each email: ${parts.join(', ')}`)
  return result
}

/** One email at a time on an idle system, against the same message said to the sink; both over open connections. */
async function latencyRow(service: Service, sink: Sink, email: BenchEmail): Promise<Row> {
  await calm()
  progress('latency')
  const dialogue = await openDialogue(sink.port)
  const ours: number[] = []
  const bare: number[] = []
  for (let turn = 0; turn < LATENCIES; turn++) {
    sink.reset()
    let begin = performance.now()
    const arrived = sink.reached(1)
    await postOne(`${service.url}/emails`, email)
    ours.push((await arrived) - begin)
    sink.reset()
    begin = performance.now()
    const heard = sink.reached(1)
    await dialogue.send(WIRE_BYTES)
    bare.push((await heard) - begin)
  }
  dialogue.close()
  const more = median(ours) - median(bare)
  return {
    what: 'POST /emails to the sink on an idle system, p50',
    ours: `${median(ours).toFixed(1)} ms`,
    baseline: `${median(bare).toFixed(1)} ms (bare SMTP)`,
    figure: more,
    unit: 'ms',
    wanted: 'at most',
    must: 25,
    dream: 10,
  }
}

function ratioRow(figures: {
  what: string
  ours: number
  baseline: number
  baselineName: string
  must: number
  dream: number
}): Row {
  const { what, ours, baseline, baselineName, must, dream } = figures
  return {
    what,
    ours: rate(ours, 'emails/s'),
    baseline: `${rate(baseline, 'emails/s')} (${baselineName})`,
    figure: ours / baseline,
    unit: '×',
    wanted: 'at least',
    must,
    dream,
  }
}
