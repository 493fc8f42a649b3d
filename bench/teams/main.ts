import { setTimeout as delay } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { sql } from '../../src/kernel/db/sql.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { newId } from '../../src/platform/ids.ts'
import { type Contender, startContender } from '../compare/contender.ts'
import { usageOf } from '../compare/usage.ts'
import { makePastPeriods } from '../depth/periods.ts'
import { smallEmail } from '../email.ts'
import { calm, residentMiB } from '../processes.ts'
import { note, progress } from '../progress.ts'
import { type HookReceiver, startHookReceiver } from '../receiver.ts'
import { mebibytes, median, printReport, type Row } from '../report.ts'
import { API_KEY } from '../service.ts'
import { busyOf, createBase36, fillOneTeam, fillTeams, keyOf } from './fill.ts'
import { beginCounting, countStatements, grownStatements } from './statements.ts'

const CONNECTIONS = 32
/** The mail of the past is in periods, as it is where the service has run for a while. */
const PAST_DAYS = 30
const ROUNDS = 3
/** Of a round: emails, or events. */
const AMOUNT = 2_000
const IDLE_MS = 10_000
const POLL_MS = 20
/** What every team has of runs that wait. */
const RUNS_PER_TEAM = 2
const MAX_JOBS_MS = 600_000

const EMAIL = smallEmail('shop@bench.dev')

/** A service with its load: the keys, and the ids, of the teams that are busy. */
interface Stage {
  readonly contender: Contender
  readonly keys: readonly string[]
  readonly teams: readonly string[]
}

interface TeamsOptions {
  readonly teams: number
  /** Which work; none: all of it. */
  readonly names: readonly string[]
  readonly isForMachines: boolean
}

/** The same work of one team, and of the busy ones among many. The figures are CPU of service and PostgreSQL together: what else runs on the machine is not in them. */
export async function teams({ teams: count, names, isForMachines }: TeamsOptions) {
  const works = WORKS.filter(({ name }) => names.length === 0 || names.includes(name))
  const receiver = await startHookReceiver()
  const one = await prepare({ teams: 0, runs: count * RUNS_PER_TEAM, receiver })
  const many = await prepare({ teams: count, runs: count * RUNS_PER_TEAM, receiver })
  const both = [one, many]
  for (const stage of both)
    for (const { what, work } of works) {
      progress(`${what}, to warm up`)
      await work(stage, receiver)
    }
  for (const { contender } of both) await beginCounting(contender)
  const rows: Row[] = []
  for (const { what, work, each } of works) {
    const used = new Map<Stage, Cpu[]>(both.map((stage) => [stage, []]))
    for (let round = 0; round < ROUNDS; round++)
      for (const stage of both) {
        progress(`${what}, round ${round + 1} of ${ROUNDS}`)
        await calm()
        const before = await cpuOf(stage)
        const items = await work(stage, receiver)
        const after = await cpuOf(stage)
        used.get(stage)!.push(cpuFor((name) => (after[name] - before[name]) / items))
      }
    const medians = [one, many].map((stage) => cpuFor((name) => median(used.get(stage)!.map((cpu) => cpu[name]))))
    rows.push(rowOf(what, each, { one: medians[0]!, many: medians[1]!, count }))
  }
  rows.push(memoryRow(one, many))
  const grown = await grownStatements(one.contender, many.contender)
  for (const { contender } of both) await contender.stop()
  await receiver.stop()
  printReport(rows, isForMachines)
  if (!isForMachines)
    console.log(`\nStatements that read more with many teams, and that took more time in all:\n\n${grown}`)
}

interface Work {
  /** As it is asked for. */
  readonly name: string
  readonly what: string
  /** What the CPU time is of. */
  readonly each: string
  /** Gives how many items it was. */
  work(stage: Stage, receiver: HookReceiver): Promise<number>
}

const WORKS: readonly Work[] = [
  { name: 'emails', what: 'POST /emails accepted and delivered', each: 'email', work: sendEmails },
  { name: 'automations', what: 'events → automation → email delivered', each: 'event', work: sendEvents },
  { name: 'webhooks', what: 'events to webhooks', each: 'event', work: callWebhooks },
  { name: 'jobs', what: 'each recurring job once', each: 'run of all jobs', work: runRecurringJobs },
  { name: 'idle', what: 'idle', each: 'second', work: idle },
]

async function prepare({
  teams,
  runs,
  receiver,
}: {
  teams: number
  runs: number
  receiver: HookReceiver
}): Promise<Stage> {
  const contender = await startContender({ folder: '.', name: `${teams} teams` }, {}, { beforeStart: countStatements })
  const { db } = contender.database
  await db.presence.start()
  const begun = performance.now()
  await makePastPeriods(contender.database, PAST_DAYS)
  if (teams > 0) {
    await db.queryPooled(createBase36)
    await fillTeams(db, { teams, runs })
  } else await fillOneTeam(db, (await firstTeams(contender, 1))[0]!, runs)
  await db.queryPooled(sql`vacuum analyze`)
  const keys = teams > 0 ? Array.from({ length: busyOf(teams) }, (_, number) => keyOf(number)) : [API_KEY]
  const stage = {
    contender,
    keys,
    teams: teams > 0 ? await busyTeams(contender, keys.length) : await firstTeams(contender, 1),
  }
  await makeBusy(stage, receiver)
  note(`${teams || 1} ${teams > 0 ? 'teams' : 'team'} filled in ${((performance.now() - begun) / 1_000).toFixed(0)} s`)
  return stage
}

const firstTeams = async ({ database: { db } }: Contender, limit: number) =>
  (
    await db.query<{ id: string }>(sql`
      select id from teams where not is_system order by created_at limit ${limit}`)
  ).map(({ id }) => id)

const busyTeams = async ({ database: { db } }: Contender, amount: number) =>
  (
    await db.query<{ id: string }>(sql`
      select id from teams where name = any (${Array.from({ length: amount }, (_, number) => `Team ${number}`)}::text[])`)
  ).map(({ id }) => id)

/** A template, an automation that sends it, a webhook and an inbox for each. */
async function makeBusy({ contender: { service, database }, keys, teams }: Stage, receiver: HookReceiver) {
  let made = 0
  await inParallel(keys.length, async (number) => {
    progress(`${++made} of ${keys.length} busy teams`)
    const post = (path: string, body: object = {}) => call(service.url, keys[number]!, path, body)
    const { from, subject, html, text } = EMAIL
    const { id } = await post('/templates', { name: 'Order', from, subject, html, text })
    await post(`/templates/${id}/publish`)
    await post('/automations', {
      ...{ name: 'Order', status: 'enabled', connections: [{ from: 'begin', to: 'send' }] },
      steps: [
        { key: 'begin', type: 'trigger', config: { event_name: 'bench.ordered' } },
        { key: 'send', type: 'send_email', config: { template: { id } } },
      ],
    })
    await post('/webhooks', { endpoint: `${receiver.url}/`, events: ['topic.created'] })
  })
  // By SQL: their address would have to be of a domain of their own.
  await database.db.queryPooled(sql`
    insert into inboxes (team_id, id, name, email_address, domain_id, created_at, updated_at)
    select id, uuidv7(), 'Shop', 'shop@bench.dev', uuidv7(), now(), now() from unnest(${teams}::uuid[]) id`)
}

/** Each key in turn; until the last one is settled. */
async function sendEmails(stage: Stage): Promise<number> {
  const { service } = stage.contender
  await inParallel(AMOUNT, (number) => call(service.url, keyAt(stage, number), '/emails', EMAIL))
  await allDone(stage)
  return AMOUNT
}

async function sendEvents(stage: Stage): Promise<number> {
  const { service } = stage.contender
  await inParallel(AMOUNT, (number) =>
    call(service.url, keyAt(stage, number), '/events/send', {
      event: 'bench.ordered',
      email: `customer${number % 2}@sink.dev`,
      payload: {},
    }),
  )
  await allDone(stage)
  return AMOUNT
}

/** Until nothing waits: mail, runs, filing. */
async function allDone({ contender: { database } }: Stage) {
  for (let isWaiting = true; isWaiting; ) {
    await delay(POLL_MS)
    const [row] = await database.db.query<{ isWaiting: boolean }>(sql`
      select exists (select from automation_events) or exists (select from unfiled_mail)
        or exists (select from deliveries where state = 'waiting') as "isWaiting"`)
    isWaiting = row!.isWaiting
  }
}

async function callWebhooks({ contender, teams }: Stage, receiver: HookReceiver): Promise<number> {
  const { db } = contender.database
  receiver.reset()
  const arrived = receiver.reached(AMOUNT)
  const events = Array.from({ length: AMOUNT }, (_, number) => ({
    team: teams[number % teams.length]!,
    id: newId(systemClock),
  }))
  await db.queryPooled(sql`
    insert into outbox (team_id, id, type, data, created_at)
    select team, id, 'topic.created', '{"id":"none"}', now() from json_to_recordset(${JSON.stringify(events)}::json) as new (team uuid, id uuid)`)
  db.signals.announce('outbox')
  await arrived
  await webhooksDone(contender)
  return AMOUNT
}

/** Those that wait for hours are not waited for. */
async function webhooksDone(contender: Contender) {
  const { db } = contender.database
  for (let isOpen = true; isOpen; ) {
    const [row] = await db.query<{ isOpen: boolean }>(sql`
      select exists (select from webhook_fan_outs) or exists (select from webhook_batches)
        or exists (select from webhook_deliveries where due_at < now() + interval '1 hour') as "isOpen"`)
    isOpen = row!.isOpen
    await delay(POLL_MS)
  }
}

/** All at once, as after a start. In whole milliseconds, as a `Date` has them: what is due a few microseconds later would not be waited for. */
async function runRecurringJobs({ contender: { database } }: Stage): Promise<number> {
  const { db } = database
  const [row] = await db.queryPooled<{ at: Date }>(sql`
    with made as (
      update jobs set run_at = date_trunc('milliseconds', now()) where key = 'recurring' and holder is null returning 1)
    select date_trunc('milliseconds', now()) as at, count(*) from made`)
  const deadline = performance.now() + MAX_JOBS_MS
  for (let isOpen = true; isOpen && performance.now() < deadline; ) {
    await delay(POLL_MS)
    const rows = await db.query(sql`
      select 1 from jobs where key = 'recurring' and (holder is not null or run_at <= ${row!.at}) limit 1`)
    isOpen = rows.length > 0
  }
  return 1
}

async function idle(): Promise<number> {
  await delay(IDLE_MS)
  return IDLE_MS / 1_000
}

/** In milliseconds. */
type Cpu = Readonly<Record<'service' | 'postgres' | 'all', number>>

const cpuFor = (millisecondsOf: (name: keyof Cpu) => number): Cpu => ({
  service: millisecondsOf('service'),
  postgres: millisecondsOf('postgres'),
  all: millisecondsOf('all'),
})

async function cpuOf({ contender }: Stage): Promise<Cpu> {
  const { service, postgres } = await usageOf(contender)
  return { service, postgres, all: service + postgres }
}

function rowOf(what: string, each: string, { one, many, count }: { one: Cpu; many: Cpu; count: number }): Row {
  const written = ({ all, service, postgres }: Cpu) =>
    `${all.toFixed(2)} ms (service ${service.toFixed(2)}, PostgreSQL ${postgres.toFixed(2)})`
  return {
    what: `${what}, CPU per ${each}, ${count.toLocaleString('en')} teams, ${busyOf(count).toLocaleString('en')} busy`,
    ours: written(many),
    baseline: `${written(one)}, one team`,
    figure: many.all / one.all,
    unit: '×',
    wanted: 'at most',
    must: 1.5,
    dream: 1.15,
  }
}

function memoryRow(one: Stage, many: Stage): Row {
  const [less, more] = [residentMiB(one.contender.service.pid), residentMiB(many.contender.service.pid)]
  return {
    what: '– memory of the service after all of that',
    ours: mebibytes(more),
    baseline: `${mebibytes(less)} (one team)`,
    figure: more / less,
    unit: '×',
    wanted: 'at most',
    must: 1.5,
    dream: 1.2,
  }
}

const keyAt = ({ keys }: Stage, number: number) => keys[number % keys.length]!

async function inParallel(amount: number, work: (number: number) => Promise<unknown>) {
  let next = 0
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (next < amount) await work(next++)
    }),
  )
}

const dispatcher = new Agent({ connections: CONNECTIONS, pipelining: 1 })

async function call(url: string, key: string, path: string, body: object): Promise<{ id: string }> {
  const answer = await request(`${url}${path}`, {
    method: 'POST',
    dispatcher,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (answer.statusCode >= 300) throw new Error(`POST ${path}: ${answer.statusCode} ${await answer.body.text()}`)
  return (await answer.body.json()) as { id: string }
}
