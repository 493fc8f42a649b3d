import { setTimeout as delay } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { MAX_WINDOW } from '../src/features/webhooks/delivery/endpoint-queues.ts'
import { messageBody } from '../src/features/webhooks/delivery/message.ts'
import { sql } from '../src/kernel/db/sql.ts'
import { OUTBOX_CHANNEL } from '../src/kernel/outbox/record.ts'
import { systemClock } from '../src/platform/clock.ts'
import { newId } from '../src/platform/ids.ts'
import { type JoinedDatabase, joinDatabase, temporaryDataDir } from './database.ts'
import { calm, cpuMicroseconds, familyCpuMicroseconds } from './processes.ts'
import { note, progress } from './progress.ts'
import { type HookReceiver, startHookReceiver } from './receiver.ts'
import { median, printReport, type Row, rate } from './report.ts'
import { AUTHORIZATION, type Service, startService } from './service.ts'

const ROUNDS = 3
const EVENTS = 15_000
const MANY_EVENTS = 10_000
const ENDPOINTS = 20
const LATENCIES = 100

interface Stage {
  readonly service: Service
  readonly database: JoinedDatabase
  readonly receiver: HookReceiver
  readonly team: string
}

/** How fast events reach endpoints, and what a dead endpoint costs the others. */
export async function webhooks({ isForMachines }: { isForMachines: boolean }) {
  const dataDir = temporaryDataDir()
  const receiver = await startHookReceiver()
  const service = await startService(dataDir, 'postwren serve')
  const database = await joinDatabase(dataDir)
  await database.db.presence.start()
  const [{ team }] = (await database.db.query<{ team: string }>(sql`select id as team from teams limit 1`)) as [
    { team: string },
  ]
  const stage = { service, database, receiver, team }
  const rows = [await oneEndpointRow(stage), ...(await manyEndpointRows(stage))]
  await service.stop()
  await database.leave()
  printReport(rows, isForMachines)
}

async function oneEndpointRow(stage: Stage): Promise<Row> {
  const remove = await addWebhook(stage, `${stage.receiver.url}/`)
  await deliver(stage, 1_000, 1) // warm
  const ours: number[] = []
  const bare: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    progress(`one endpoint, round ${round + 1} of ${ROUNDS}`)
    await calm()
    ours.push(await deliver(stage, EVENTS, 1, round === ROUNDS - 1 ? 'one endpoint' : undefined))
    await calm()
    bare.push(await postBare(stage, EVENTS))
  }
  await remove()
  return {
    what: `events to one endpoint, ${MAX_WINDOW} connections, attempts written`,
    ours: rate(Math.max(...ours), 'events/s'),
    baseline: `${rate(Math.max(...bare), 'events/s')} (bare client)`,
    figure: Math.max(...ours) / Math.max(...bare),
    unit: '×',
    wanted: 'at least',
    must: 0.4,
    dream: 0.7,
  }
}

/** The same stream of events without a dead endpoint and with one. */
async function manyEndpointRows(stage: Stage): Promise<Row[]> {
  const alive = ENDPOINTS - 1
  for (let n = 0; n < alive; n++) await addWebhook(stage, `${stage.receiver.url}/${n}`)
  progress(`${alive} endpoints`)
  await calm()
  const without = await deliver(stage, MANY_EVENTS / 4, alive)
  await addWebhook(stage, stage.receiver.deadUrl)
  progress(`${alive} endpoints beside a dead one`)
  await calm()
  const beside = await deliver(stage, MANY_EVENTS, alive, `${ENDPOINTS} endpoints`)
  const latency = await latencyOf(stage, alive)
  return [
    {
      what: `${MANY_EVENTS.toLocaleString('en')} events to ${ENDPOINTS} endpoints, one of them dead: rate of the others`,
      ours: rate(beside, 'deliveries/s'),
      baseline: `${rate(without, 'deliveries/s')} (without the dead one)`,
      figure: beside / without,
      unit: '×',
      wanted: 'at least',
      must: 0.8,
      dream: 0.95,
    },
    {
      what: `an event to the ${alive} others, while all of those wait for the dead one, p50`,
      ours: `${latency.toFixed(1)} ms`,
      baseline: null,
      figure: latency,
      unit: 'ms',
      wanted: 'at most',
      must: 100,
      dream: 40,
    },
  ]
}

async function addWebhook({ service }: Stage, endpoint: string): Promise<() => Promise<unknown>> {
  const call = async (method: string, path: string, body?: object) => {
    const headers = { ...AUTHORIZATION, 'content-type': 'application/json' }
    const reply = await fetch(`${service.url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    if (!reply.ok) throw new Error(`${method} ${path}: ${await reply.text()}`)
    return (await reply.json()) as { id: string }
  }
  const { id } = await call('POST', '/webhooks', { endpoint, events: ['email.delivered'] })
  return () => call('DELETE', `/webhooks/${id}`)
}

const fact = (number: number) => ({
  email_id: newId(systemClock),
  created_at: new Date().toISOString(),
  from: 'Acme <shop@bench.dev>',
  to: [`customer${number}@example.com`],
  subject: 'Your order is on its way',
  message_id: `<${newId(systemClock)}@bench.dev>`,
  tags: { kind: 'order' },
})

/** Deliveries a second, from the commit of the events until the last one was answered and written down. */
async function deliver(stage: Stage, events: number, endpoints: number, explained?: string): Promise<number> {
  const { db } = stage.database
  stage.receiver.reset()
  const before = usage(stage)
  const begin = await happen(stage, events)
  const end = await stage.receiver.reached(events * endpoints)
  // Those of the dead endpoint are not waited for.
  while ((await countPending(stage)) > events) await delay(10)
  await db.queryPooled(sql`select 1`)
  if (explained) explain(explained, stage, before, events * endpoints)
  return (events * endpoints) / ((end - begin) / 1_000)
}

async function happen({ database: { db }, team }: Stage, events: number): Promise<number> {
  const facts = Array.from({ length: events }, (_, number) => JSON.stringify(fact(number)))
  await db.queryPooled(sql`
    insert into outbox (team_id, id, type, data, created_at)
    select ${team}, id, 'email.delivered', data, now()
    from unnest(${facts.map(() => newId(systemClock))}::uuid[], ${facts}::json[]) as new (id, data)`)
  db.signals.announce(OUTBOX_CHANNEL)
  return performance.now()
}

async function countPending({ database }: Stage): Promise<number> {
  const [{ pending }] = (await database.db.query<{ pending: number }>(sql`
    select ((select count(*) from webhook_deliveries where due_at is not null)
      + (select coalesce(sum(cardinality(event_ids)), 0) from webhook_batches))::int as pending`)) as [
    { pending: number },
  ]
  return pending
}

/** The same bodies to the same receiver, over as many connections, with nothing around it. */
async function postBare({ receiver }: Stage, events: number): Promise<number> {
  const bodies = Array.from({ length: events }, (_, number) =>
    messageBody({
      type: 'email.delivered',
      createdAt: new Date().toISOString(),
      data: JSON.stringify(fact(number)),
    }),
  )
  const dispatcher = new Agent({ connections: MAX_WINDOW, pipelining: 1 })
  const headers = { 'content-type': 'application/json' }
  const begin = performance.now()
  const work = Array.from({ length: MAX_WINDOW }, async () => {
    for (let body = bodies.pop(); body !== undefined; body = bodies.pop()) {
      const answer = await request(`${receiver.url}/`, { method: 'POST', dispatcher, headers, body })
      await answer.body.dump()
    }
  })
  await Promise.all(work)
  const taken = performance.now() - begin
  await dispatcher.close()
  return events / (taken / 1_000)
}

async function latencyOf(stage: Stage, endpoints: number): Promise<number> {
  const taken: number[] = []
  for (let turn = 0; turn < LATENCIES; turn++) {
    progress(`latency beside a dead endpoint, ${turn + 1} of ${LATENCIES}`)
    stage.receiver.reset()
    const begin = await happen(stage, 1)
    taken.push((await stage.receiver.reached(endpoints)) - begin)
  }
  return median(taken)
}

const usage = ({ service, database, receiver }: Stage) => ({
  service: cpuMicroseconds(service.pid),
  PostgreSQL: familyCpuMicroseconds(database.pid),
  receiver: cpuMicroseconds(receiver.pid),
})

function explain(what: string, stage: Stage, before: ReturnType<typeof usage>, deliveries: number) {
  const parts = Object.entries(usage(stage)).map(
    ([part, used]) => `${part} ${((used - before[part as keyof typeof before]) / deliveries).toFixed(0)} µs`,
  )
  note(`${what}: CPU for each delivery: ${parts.join(', ')}`)
}
