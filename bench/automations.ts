import { setTimeout as delay } from 'node:timers/promises'
import { sql } from '../src/kernel/db/sql.ts'
import { systemClock } from '../src/platform/clock.ts'
import { newId } from '../src/platform/ids.ts'
import { type JoinedDatabase, joinDatabase, temporaryDataDir } from './database.ts'
import { benchEmail } from './email.ts'
import { postEach } from './load.ts'
import { calm, cpuMicroseconds, familyCpuMicroseconds, watchingMemory } from './processes.ts'
import { note, progress } from './progress.ts'
import { mebibytes, median, printReport, type Row, rate } from './report.ts'
import { AUTHORIZATION, type Service, startService } from './service.ts'

const CONNECTIONS = 64
const ROUNDS = 3
/** Of a round: events, or emails. */
const AMOUNT = 6_000
const WAKES = 200
const POLL_MS = 5

const EMAIL = benchEmail('shop@bench.dev')

interface Stage {
  readonly service: Service
  readonly database: JoinedDatabase
  readonly team: string
}

interface Automation {
  readonly id: string
  readonly graph: string
}

/** Events that become emails, and events that wake one run among many. Nothing is delivered, so that nothing but that is measured. */
export async function automations({ contacts: waiting, isForMachines }: { contacts: number; isForMachines: boolean }) {
  const dataDir = temporaryDataDir()
  const service = await startService(dataDir, 'postwren serve', { POSTWREN_ROLES: 'api,jobs' })
  const database = await joinDatabase(dataDir)
  const [{ team }] = (await database.db.query<{ team: string }>(sql`select id as team from teams limit 1`)) as [
    { team: string },
  ]
  const stage = { service, database, team }
  await addContacts(stage)
  await addSender(stage)
  const sleeper = await addSleeper(stage)
  await eventsToEmails(stage, AMOUNT / 3) // warm
  await emails(stage, AMOUNT / 3)
  const { result, growthMiB } = await watchingMemory(service.pid, async () => [
    await emailsRow(stage),
    await wakeRow(stage, sleeper, waiting),
  ])
  await service.stop()
  await database.leave()
  printReport([...result, memoryRow(growthMiB)], isForMachines)
}

const emailOf = (number: number) => `customer${number}@sink.dev`

async function addContacts({ database: { db }, team }: Stage) {
  const contacts = Array.from({ length: AMOUNT }, (_, number) => ({ id: newId(systemClock), email: emailOf(number) }))
  await db.queryPooled(sql`
    insert into contacts (team_id, id, email, created_at, updated_at)
    select ${team}, id, email, now(), now()
    from unnest(${contacts.map(({ id }) => id)}::uuid[], ${contacts.map(({ email }) => email)}::text[]) as new (id, email)`)
}

/** An email for each event, with the content that the others have. */
async function addSender(stage: Stage) {
  const { from, subject, html, text } = EMAIL
  const { id } = await call(stage, '/templates', { name: 'Order', from, subject, html, text })
  await call(stage, `/templates/${id}/publish`)
  await addAutomation(stage, [
    { key: 'begin', type: 'trigger', config: { event_name: 'bench.ordered' } },
    { key: 'send', type: 'send_email', config: { template: { id } } },
  ])
}

/** Nothing but a wait, which its event ends. */
const addSleeper = (stage: Stage): Promise<Automation> =>
  addAutomation(stage, [
    { key: 'begin', type: 'trigger', config: { event_name: 'bench.begun' } },
    { key: 'wait', type: 'wait_for_event', config: { event_name: 'bench.woken' } },
  ])

interface Step {
  readonly key: string
  readonly type: string
  readonly config: object
}

async function addAutomation(stage: Stage, steps: readonly [Step, Step]): Promise<Automation> {
  const [{ key: from }, { key: to }] = steps
  const automation = { name: to, status: 'enabled', steps, connections: [{ from, to }] }
  const { id } = await call(stage, '/automations', automation)
  const [row] = await stage.database.db.query<{ graph: string }>(sql`
    select graph_id as graph from automations where id = ${id}`)
  return { id, graph: row!.graph }
}

async function call({ service }: Stage, path: string, body: object = {}): Promise<{ id: string }> {
  const headers = { ...AUTHORIZATION, 'content-type': 'application/json' }
  const reply = await fetch(`${service.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!reply.ok) throw new Error(`POST ${path}: ${await reply.text()}`)
  return (await reply.json()) as { id: string }
}

const sendEvents = ({ service }: Stage, event: string, amount: number) =>
  postEach(`${service.url}/events/send`, { connections: CONNECTIONS, amount }, (number) => ({
    event,
    email: emailOf(number),
    payload: { order: number, total: 49.9, plan: 'pro' },
  }))

/** Emails a second, from the first event until the last email is in the ledger. */
async function eventsToEmails(stage: Stage, amount: number): Promise<number> {
  const before = await countEmails(stage)
  const begin = performance.now()
  await sendEvents(stage, 'bench.ordered', amount)
  await allTaken(stage)
  const taken = performance.now() - begin
  const accepted = (await countEmails(stage)) - before
  if (accepted !== amount) throw new Error(`${amount} events became ${accepted} emails`)
  return amount / (taken / 1_000)
}

async function emails({ service }: Stage, amount: number): Promise<number> {
  const begin = performance.now()
  await postEach(`${service.url}/emails`, { connections: CONNECTIONS, amount }, () => EMAIL)
  return amount / ((performance.now() - begin) / 1_000)
}

/** An event leaves this list in the transaction that does what follows from it. */
async function allTaken({ database: { db } }: Stage) {
  for (;;) {
    const [row] = await db.query<{ isWaiting: boolean }>(sql`
      select exists (select from automation_events) as "isWaiting"`)
    if (!row!.isWaiting) return
    await delay(POLL_MS)
  }
}

async function countEmails({ database: { db }, team }: Stage): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`
    select count(*)::int as count from automation_emails where team_id = ${team}`)
  return row!.count
}

async function emailsRow(stage: Stage): Promise<Row> {
  const ours: number[] = []
  const baseline: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    progress(`events to emails, round ${round + 1} of ${ROUNDS}`)
    await calm()
    const before = usage(stage)
    ours.push(await eventsToEmails(stage, AMOUNT))
    if (round === ROUNDS - 1) explain(stage, before)
    await calm()
    baseline.push(await emails(stage, AMOUNT))
  }
  return {
    what: `events → trigger → send_email → accepted, ${CONNECTIONS} connections`,
    ours: rate(Math.max(...ours), 'emails/s'),
    baseline: `${rate(Math.max(...baseline), 'emails/s')} (POST /emails accepted)`,
    figure: Math.max(...ours) / Math.max(...baseline),
    unit: '×',
    wanted: 'at least',
    must: 0.5,
    dream: 0.8,
  }
}

async function wakeRow(stage: Stage, sleeper: Automation, waiting: number): Promise<Row> {
  await wakeTimes(stage, sleeper, 'warm') // the first ones are compiled
  const alone = median(await wakeTimes(stage, sleeper, 'alone'))
  await addWaiting(stage, sleeper, waiting)
  const many = waiting.toLocaleString('en')
  const beside = median(await wakeTimes(stage, sleeper, `beside ${many}`))
  return {
    what: `an event that wakes a run, beside ${many} that wait, p50`,
    ours: `${beside.toFixed(1)} ms`,
    baseline: `${alone.toFixed(1)} ms (nobody else waits)`,
    figure: beside / alone,
    unit: '×',
    wanted: 'at most',
    must: 1.2,
    dream: 1.05,
  }
}

/** From the request that sends the event until the run that waited for it is over. */
async function wakeTimes(stage: Stage, { id }: Automation, how: string): Promise<number[]> {
  const { db } = stage.database
  await sendEvents(stage, 'bench.begun', WAKES)
  await allTaken(stage)
  await calm()
  const times: number[] = []
  for (let number = 0; number < WAKES; number++) {
    progress(`waking ${how}, ${number + 1} of ${WAKES}`)
    const [contact] = await db.query<{ id: string }>(sql`
      select id from contacts where team_id = ${stage.team} and lower(email) = ${emailOf(number)}`)
    const isAsleep = async () => {
      const rows = await db.query(sql`
        select from automation_runs where team_id = ${stage.team} and automation_id = ${id}
          and contact_id = ${contact!.id} and status = 'running'`)
      return rows.length > 0
    }
    if (!(await isAsleep())) throw new Error('a run does not wait')
    const begin = performance.now()
    await call(stage, '/events/send', { event: 'bench.woken', contact_id: contact!.id })
    while (await isAsleep());
    times.push(performance.now() - begin)
  }
  return times
}

/** Of one statement, which may not take long. */
const SLICE = 50_000

/** Runs of contacts of whom nothing is heard; half of them wait for three weeks at most. */
async function addWaiting({ database: { db }, team }: Stage, { id, graph }: Automation, amount: number) {
  for (let from = 0; from < amount; from += SLICE) {
    progress(`${from.toLocaleString('en')} of ${amount.toLocaleString('en')} runs wait`)
    await db.queryPooled(sql`
      insert into automation_runs (team_id, id, automation_id, graph_id, contact_id, status, step_key, entered_at, due_at, waits_for,
        event, wait_events, trail, created_at, started_at)
      select ${team}, gen_random_uuid(), ${id}, ${graph}, gen_random_uuid(), 'running', 'wait', now(),
        case when number % 2 = 0 then now() + interval '20 days' + number * interval '1 second' end, 'bench.woken',
        '{}', '{}', '[]', now(), now()
      from generate_series(${from + 1}::int, ${Math.min(from + SLICE, amount)}::int) number`)
  }
  await db.queryPooled(sql`analyze automation_runs`)
}

function memoryRow(growthMiB: number): Row {
  return {
    what: '– memory growth of the service in all of that',
    ours: mebibytes(growthMiB),
    baseline: null,
    figure: growthMiB,
    unit: 'MiB',
    wanted: 'at most',
    must: 128,
    dream: 64,
  }
}

const usage = ({ service, database }: Stage) => ({
  service: cpuMicroseconds(service.pid),
  PostgreSQL: familyCpuMicroseconds(database.pid),
  'this load': cpuMicroseconds(process.pid),
})

function explain(stage: Stage, before: ReturnType<typeof usage>) {
  const parts = Object.entries(usage(stage)).map(
    ([part, used]) => `${part} ${((used - before[part as keyof typeof before]) / 1_000 / AMOUNT).toFixed(2)} ms`,
  )
  note(`events to emails: CPU for each event: ${parts.join(', ')}`)
}
