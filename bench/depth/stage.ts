import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { type Sql, sql } from '../../src/kernel/db/sql.ts'
import { firstIdAt } from '../../src/platform/ids.ts'
import { atEnd } from '../cleanup.ts'
import { type JoinedDatabase, joinDatabase, temporaryDataDir } from '../database.ts'
import { postEach } from '../load.ts'
import { progress } from '../progress.ts'
import { type HookReceiver, startHookReceiver } from '../receiver.ts'
import { addDomain } from '../send.ts'
import { AUTHORIZATION, type Service, startService } from '../service.ts'
import { type Sink, startSink } from '../sink.ts'
import { personalEmail } from './mail.ts'

const CONNECTIONS = 32
const POLL_MS = 100
const PIECE = 2_000

/** What both databases talk to. */
export interface Outside {
  readonly sink: Sink
  readonly receiver: HookReceiver
}

export async function startOutside(): Promise<Outside> {
  return { sink: await startSink(), receiver: await startHookReceiver() }
}

/** An installation with one team, one domain and one webhook that hears of what is delivered. */
export interface Stage {
  readonly name: string
  readonly outside: Outside
  readonly database: JoinedDatabase
  readonly team: string
  /** False: it has the mail of an earlier run. */
  readonly isNew: boolean
  service: Service
  /** Ends the process, and starts another one with these roles. */
  restart(roles: string, settings?: Record<string, string>): Promise<void>
  stop(): Promise<void>
}

let started = 0

/** `kept`: a folder that stays; what an earlier run has left there is used. */
export async function startStage(name: string, outside: Outside, kept?: string): Promise<Stage> {
  const dataDir = kept ?? temporaryDataDir(`-${++started}`)
  const start = (roles: string, settings: Record<string, string> = {}) =>
    startService(dataDir, 'postwren serve', {
      ...{ POSTWREN_ROLES: roles, POSTWREN_DELIVERY: 'relay', POSTWREN_PRIVATE_ADDRESSES: 'allow' },
      POSTWREN_RELAY_URL: `smtp://127.0.0.1:${outside.sink.port}`,
      // Or it would delete most of what was filled, beside everything that is measured.
      ...{ POSTWREN_RETENTION_EVENTS: 'forever', POSTWREN_RETENTION_LOGS: 'forever' },
      ...settings,
    })
  const service = await start(EVERYTHING)
  const database = await joinDatabase(dataDir)
  const [row] = await database.db.query<{ team: string }>(
    sql`select id as team from teams where not is_system order by created_at limit 1`,
  )
  const isNew = (await database.db.query(sql`select from domains where name = ${DOMAIN}`)).length === 0
  const stage: Stage = {
    ...{ name, outside, database, service, isNew, team: row!.team },
    async restart(roles, settings) {
      await stage.service.stop()
      stage.service = await start(roles, settings)
    },
    async stop() {
      await stage.service.stop()
      await database.leave()
    },
  }
  const endpoint = `${outside.receiver.url}/`
  if (!isNew) {
    // That of an earlier run is gone, and what it was to hear would be tried for hours.
    const { data } = await call<{ data: { id: string }[] }>(stage, 'GET', '/webhooks')
    await call(stage, 'PATCH', `/webhooks/${data[0]!.id}`, { endpoint })
    return stage
  }
  await addDomain(service, database, DOMAIN, 'ed25519')
  await call(stage, 'POST', '/webhooks', { endpoint, events: ['email.delivered'] })
  return stage
}

const DOMAIN = 'depth.bench.dev'
export const EVERYTHING = 'api,delivery,jobs,smtp'

export async function call<Body>({ service }: Stage, method: string, path: string, body?: object): Promise<Body> {
  const headers = { ...AUTHORIZATION, 'content-type': 'application/json' }
  const reply = await fetch(`${service.url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  if (!reply.ok) throw new Error(`${reply.status} from ${path}: ${await reply.text()}`)
  return (await reply.json()) as Body
}

/** Sends so many through the API, and waits until nothing is left to be done about any of them. */
export async function send(stage: Stage, emails: number, { from = 0 }: { from?: number } = {}) {
  const begin = firstIdAt(new Date())
  for (let done = 0; done < emails; done += PIECE) {
    progress(`${stage.name}: sent ${done.toLocaleString('en')} of ${emails.toLocaleString('en')}`)
    const amount = Math.min(PIECE, emails - done)
    await postEach(`${stage.service.url}/emails`, { connections: CONNECTIONS, amount }, (number) =>
      personalEmail(from + done + number),
    )
    await until(stage, sql`not exists (select from deliveries where state = 'waiting')`)
  }
  await until(
    stage,
    sql`${emails}::int <= (
      select count(*) from request_logs where team_id = ${stage.team} and id >= ${begin} and endpoint = '/emails' and method = 'POST')`,
  )
  await allSettled(stage)
}

/** Outcomes written, events counted, webhooks heard, documents of the search made. Asked by the indexes that there are: what is asked here is counted, too. */
export async function allSettled(stage: Stage) {
  await until(stage, sql`not exists (select from deliveries where state = 'waiting')`)
  await call(stage, 'GET', '/emails?q=order&limit=1')
  await call(stage, 'GET', '/emails/metrics')
  await until(
    stage,
    sql`not exists (
      select from uncounted_batches union all select from webhook_fan_outs union all select from webhook_batches
      union all select from webhook_deliveries where due_at is not null and holder is null
      union all select from webhook_deliveries where holder is not null)`,
  )
}

/** Not too often: what is asked here is counted as CPU of PostgreSQL. */
async function until({ database: { db } }: Stage, condition: Sql) {
  for (;;) {
    const [row] = await db.query<{ isSo: boolean }>(sql`select ${condition} as "isSo"`)
    if (row!.isSo) return
    await delay(POLL_MS)
  }
}

/** A connection of its own, for settings that must not reach others. */
export async function openSession(stage: Stage): Promise<pg.Client> {
  const client = new pg.Client(stage.database.connection)
  await client.connect()
  atEnd(async () => client.end().catch(() => {}))
  return client
}
