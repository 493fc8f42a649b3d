import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { InjectOptions } from 'fastify'
import { onTestFinished } from 'vitest'
import type { BlobStore } from '../../src/adapters/blobs/blob-store.ts'
import { FileBlobStore } from '../../src/adapters/blobs/file-blob-store.ts'
import { WatchedBlobStore } from '../../src/adapters/blobs/watched-blob-store.ts'
import { createResolver } from '../../src/adapters/dns/resolver.ts'
import { createApi } from '../../src/app/roles/api.ts'
import { READINESS, ReadinessChecks } from '../../src/app/roles/readiness.ts'
import { createServices } from '../../src/app/roles/services.ts'
import { createSmtpHandler } from '../../src/app/roles/smtp-handler.ts'
import { createWorkers, startWorkers } from '../../src/app/roles/workers.ts'
import { insertApiKey } from '../../src/features/api-keys/queries.ts'
import { newToken } from '../../src/features/api-keys/token.ts'
import { combine, type Feature, type WorkerSeams } from '../../src/features/feature.ts'
import { ENDPOINTS, FEATURES } from '../../src/features/index.ts'
import type { Role } from '../../src/features/people/roles.ts'
import { addMember, ensureUser, makeOperator } from '../../src/features/people/users.ts'
import type { Services } from '../../src/features/services.ts'
import { ensureTeam } from '../../src/features/teams/queries.ts'
import type { Database } from '../../src/kernel/db/database.ts'
import { sql } from '../../src/kernel/db/sql.ts'
import type { Endpoint } from '../../src/kernel/http/endpoint.ts'
import { statusesOf } from '../../src/kernel/http/openapi.ts'
import { PROBLEMS } from '../../src/kernel/http/problem.ts'
import { matches } from '../../src/kernel/http/validate.ts'
import type { Job } from '../../src/kernel/jobs/job.ts'
import { Worker } from '../../src/kernel/jobs/worker.ts'
import { createSealer } from '../../src/kernel/secrets.ts'
import { createLog, type Log } from '../../src/platform/observability/log.ts'
import { Metrics } from '../../src/platform/observability/metrics.ts'
import { SAMPLING } from '../../src/platform/observability/sample.ts'
import { READ_YOUR_WRITES } from '../../src/platform/read-your-writes.ts'
import { type Config, loadConfig, nameServers } from '../../src/platform/settings/config.ts'
import { FROM_OUR_PAGE } from './browser-session.ts'
import { Changes, type Condition } from './changes.ts'
import { fixedClock } from './clock.ts'
import { giveBack, isNode, requireClosed, takeDatabase } from './database.ts'
import { atEndOf } from './program.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers are compared with what a test expects of them
type Body = any

export interface Reply {
  readonly status: number
  readonly headers: Record<string, unknown>
  readonly body: Body
  readonly text: string
}

/**
 * Calls the API with a key of one team. Every answer is checked: a good one against the schema that its endpoint promises, any
 * other against the one shape that errors have.
 */
export interface Client {
  readonly team: string
  readonly token: string
  get(path: string, headers?: Record<string, string>): Promise<Reply>
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>
  patch(path: string, body?: unknown): Promise<Reply>
  delete(path: string, body?: unknown): Promise<Reply>
  send(request: InjectOptions): Promise<Reply>
  /** What the outbox holds for the team, oldest first. */
  events(): Promise<{ type: string; data: Body }[]>
}

/** Calls the API with the key of a sandbox. */
export interface SandboxClient extends Client {
  readonly domain: string
  /** What creating it has answered. */
  readonly made: Body
}

/** Somebody who is signed in to the dashboard. Calls the API as the page does. */
export interface Person extends Omit<Client, 'token' | 'events'> {
  readonly userId: string
  readonly email: string
  readonly cookie: string
  put(path: string, body?: unknown): Promise<Reply>
}

export type App = Awaited<ReturnType<typeof startApp>>

/** The outside world, where a test wants one of its own: the place that mail goes to, the way there, the store of attachments. */
export interface Seams extends WorkerSeams {
  readonly log?: Log
  readonly blobs?: (real: BlobStore) => BlobStore
  /** More of them, behind those of the program. */
  readonly features?: readonly Feature[]
}

const DEFAULTS = {
  POSTWREN_RATE_LIMIT: '0',
  // No test asks the name servers of the machine that it runs on.
  POSTWREN_DNS_SERVERS: '127.0.0.1:1',
  // The mail servers, hooks and files of tests are on this machine.
  POSTWREN_PRIVATE_ADDRESSES: 'allow',
}

/**
 * The service in this process, on a database of its own: HTTP by injection, a clock that stands still, jobs that run when the
 * test says so. Gone when the test ends.
 */
export async function startApp(settings: Record<string, string> = {}, seams: Seams = {}) {
  const isOrdinary = Object.keys(seams).length === 0
  const parts = (isOrdinary && (await takeIdle(settings))) || (await makeParts(settings, seams))
  const { db, api, clock, services, startedAt } = parts
  const worker = (name: string) => parts.workers.get(name)!
  // A test before this one may have been ahead in time, and has put off what recurs until then.
  await db.query(sql`delete from jobs where key = 'recurring' and run_at > now() + interval '1 minute'`)
  let isChanged = !isOrdinary
  /** Whoever takes hold of a part may start it, stop it or count with it: the next test gets another one. */
  const handOut = <Part>(part: Part): Part => {
    isChanged = true
    return part
  }
  onTestFinished(async () => {
    const hasMoved = clock.now().getTime() !== startedAt
    if (isChanged || hasMoved || idle) return end(parts)
    await api.flush()
    await requireClosed(db)
    if (!(await isNode(db))) return end(parts)
    idle = parts
  })

  const send = async (request: InjectOptions, token?: string): Promise<Reply> => {
    const headers = { ...(token && { authorization: `Bearer ${token}` }), ...request.headers }
    const reply = await api.app.inject({ ...request, headers })
    const body = reply.headers['content-type']?.toString().startsWith('application/json') ? reply.json() : reply.body
    const result = { status: reply.statusCode, headers: reply.headers, body, text: reply.body }
    const endpoint = endpointOf(request)
    if (endpoint) requireDocumentedStatus(endpoint, result)
    if (endpoint && reply.statusCode < 300) requirePromisedShape(endpoint, result)
    else if (reply.statusCode >= 400 && typeof body === 'object' && !OTHERS.test(String(request.url)))
      requireProblem(request, result)
    return result
  }

  const changes = new Changes()
  onTestFinished(db.signals.observe(changes.notify))

  const teams = new Map<string, Promise<Client>>()
  const owners = new Map<string, Promise<Person>>()
  const suffix = Math.random().toString(36).slice(2)
  return {
    db,
    clock,
    config: parts.config,
    sealer: parts.sealer,
    /** What stands behind the SMTP listener. */
    handler: parts.handler,
    get metrics() {
      return handOut(parts.metrics)
    },
    /** The folder of the blob store. */
    get folder() {
      return handOut(parts.folder)
    },
    get server() {
      return handOut(api.app)
    },
    /** Who waits for messages. */
    messageWaits: services.messageWaits,
    get services() {
      return handOut(services)
    },
    get dashboard() {
      return handOut(api.dashboard!)
    },
    get delivery() {
      return handOut(worker('delivery'))
    },
    get webhooks() {
      return handOut(worker('webhooks'))
    },
    /**
     * Resolves once the condition holds: false, or an assertion that fails, is "not yet". It is looked at whenever a worker of this app has
     * looked for work or ended a piece of it, and when something is announced to it.
     */
    until: (condition: Condition, withinMs?: number) => changes.until(condition, withinMs),
    /** Without a key. */
    send,
    flush: () => api.flush(),
    runDueJobs: () => worker('jobs').runDue(),
    /** Tells webhooks what is due, and returns when it is settled. */
    deliverWebhooks: () => worker('webhooks').runDue(),
    /** Takes runs of automations on until nothing is due. */
    runAutomations: () => worker('automations').runDue(),
    /** Files mail into inboxes until none waits. */
    fileMail: () => worker('filing').runDue(),
    get automations() {
      return handOut(worker('automations'))
    },
    /** A worker with jobs of the test's own. */
    workerFor: (jobs: readonly Job<never, Services>[]) =>
      new Worker<Services>(jobs as readonly Job<object, Services>[], handOut(services)),
    /** Starts all that works by itself in a service. */
    async startWorkers() {
      handOut(parts)
      await services.teamStates.load()
      await startWorkers(parts.product, parts.workers, false)
    },
    /** Makes due what has come due in sandboxes whose clocks run. */
    runClocks: () => worker('clocks').runDue(),
    /** Delivers what is due, and returns when it is settled. */
    deliverDue: () => worker('delivery').runDue(),
    /** Ends delivery, with what it has still to write. */
    stopDelivery: () => worker('delivery').stop(5_000),
    /** A person in the team with this name, at a browser: `app.person('acme', 'viewer')`. */
    async person(name: string, role: Role): Promise<Person> {
      const { team } = await this.as(name)
      return makePerson(parts, { team, role }, send)
    },
    /** The person who may do everything: owns the client's team, and operates the installation. */
    ownerOf({ team }: Pick<Client, 'team'>): Promise<Person> {
      let owner = owners.get(team)
      if (!owner) {
        owner = makePerson(parts, { team, role: 'owner' }, send).then(async (person) => {
          await makeOperator(db, person.userId)
          return person
        })
        owners.set(team, owner)
      }
      return owner
    },
    /** A sandbox that the client's team makes, with a client that has its key. */
    async sandboxOf(owner: Pick<Client, 'post'>, body: object = {}): Promise<SandboxClient> {
      const { status, body: made, text } = await owner.post('/sandboxes', body)
      if (status !== 201) throw new Error(`no sandbox: ${text}`)
      return { ...clientOf(db, made.id, made.api_key, send), domain: made.domain, made }
    },
    /** A client of the team with this name; the team is this test's own. */
    as(name: string, permission: 'full_access' | 'sending_access' = 'full_access'): Promise<Client> {
      const key = `${name} ${permission}`
      let client = teams.get(key)
      if (!client) {
        client = makeClient(db, `${name}-${suffix}`, permission, send)
        teams.set(key, client)
      }
      return client
    },
  }
}

/** What programs speak OAuth with, and what clients of Mailpit do, has errors of its own. */
const OTHERS = /^\/oauth\/(?:authorize|register|revoke|token)\b|^(?:\/sandboxes\/[^/]+)?\/(?:api\/v1|view)\//

type Parts = Awaited<ReturnType<typeof makeParts>>

/** What the last test of this file has left as it was. To make it anew for every test took a tenth of the CPU time of all tests. */
let idle: Parts | null = null

async function takeIdle(settings: Record<string, string>): Promise<Parts | null> {
  const parts = idle
  idle = null
  if (!parts) return null
  // A node whose beats were late, or that has beaten while a test held the time, claims nothing for up to a second.
  if (!isDeepStrictEqual(parts.settings, settings) || !parts.db.presence.mayWork) {
    await end(parts)
    return null
  }
  parts.startedAt = parts.clock.catchUp()
  return parts
}

async function makeParts(settings: Record<string, string>, seams: Seams) {
  // What arrived is in the next list, also on a machine that takes seconds to start the thread that reads it; so are numbers on a page.
  READ_YOUR_WRITES.maxMs = 60_000
  SAMPLING.maxWaitMs = 60_000
  READINESS.answerMs = 60_000
  const config: Config = loadConfig({ ...DEFAULTS, ...settings })
  const clock = fixedClock()
  const db = await takeDatabase(clock)
  const log = seams.log ?? createLog({ level: process.env.TEST_LOG_LEVEL ?? 'silent', isTerminal: false })
  const metrics = new Metrics()
  const sealer = createSealer(Buffer.alloc(32, 'secret'))
  const resolver = createResolver(nameServers(config))
  const folder = mkdtempSync(join(tmpdir(), 'postwren-app-'))
  const files = new FileBlobStore(folder)
  const blobs = new WatchedBlobStore(seams.blobs?.(files) ?? files, { probeEveryMs: 0 })
  const checks = new ReadinessChecks({ db, blobs, config, metrics })
  const product = combine([...FEATURES, ...(seams.features ?? [])])
  const services = createServices(product, { db, config, sealer, resolver, blobs, log, metrics })
  const api = createApi({
    services,
    version: '0.0.0',
    endpoints: product.endpoints,
    publicRoutes: product.publicRoutes,
    readiness: async () => ({ service: 'ok', ...(await checks.read()) }),
  })
  atEndOf('file', async () => {
    const last = idle
    idle = null
    if (last) await end(last)
  })
  return {
    settings,
    db,
    clock,
    config,
    sealer,
    metrics,
    folder,
    product,
    services,
    api,
    workers: createWorkers(product, services, { roles: ['jobs', 'delivery'], seams }),
    handler: createSmtpHandler(services),
    startedAt: clock.now().getTime(),
  }
}

async function end(parts: Parts) {
  const { db, api, folder } = parts
  await api.app.close()
  await Promise.all([...parts.workers.values()].map((worker) => worker.stop(5_000)))
  await api.flush()
  rmSync(folder, { recursive: true, force: true })
  await giveBack(db)
}

async function makeClient(
  db: Database,
  name: string,
  permission: 'full_access' | 'sending_access',
  send: (request: InjectOptions, token: string) => Promise<Reply>,
): Promise<Client> {
  const { id: team } = await ensureTeam(db, name)
  const token = newToken()
  await insertApiKey(db, team, { name: `key of ${name}`, permission, token })
  return clientOf(db, team, token, send)
}

function clientOf(
  db: Database,
  team: string,
  token: string,
  send: (request: InjectOptions, token: string) => Promise<Reply>,
): Client {
  const call = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, body?: unknown, headers = {}) =>
    send({ method, url, ...(body !== undefined && { payload: body as object }), headers }, token)
  return {
    team,
    token,
    get: (path, headers) => call('GET', path, undefined, headers),
    post: (path, body, headers) => call('POST', path, body, headers),
    patch: (path, body) => call('PATCH', path, body),
    delete: (path, body) => call('DELETE', path, body),
    send: (request) => send(request, token),
    events: () => db.query(sql`select type, data from outbox where team_id = ${team} order by id`),
  }
}

let people = 0

async function makePerson(
  { db, services }: Parts,
  { team, role }: { team: string; role: Role },
  send: (request: InjectOptions) => Promise<Reply>,
): Promise<Person> {
  const email = `${role}-${++people}-${Math.random().toString(36).slice(2)}@example.com`
  const { id: userId } = await ensureUser(db, email)
  await addMember(db, team, userId, role)
  const session = { userId, team, method: 'link' as const, ipAddress: '192.0.2.7', userAgent: null }
  const cookie = (await services.sessions.openFor(session)).split(';', 1)[0]!
  const own = { ...FROM_OUR_PAGE, cookie, 'x-postwren-team': team }
  const call = (method: NonNullable<InjectOptions['method']>, url: string, body?: unknown, headers = {}) =>
    send({ method, url, ...(body !== undefined && { payload: body as object }), headers: { ...own, ...headers } })
  return {
    team,
    userId,
    email,
    cookie,
    get: (path, headers) => call('GET', path, undefined, headers),
    post: (path, body, headers) => call('POST', path, body, headers),
    patch: (path, body) => call('PATCH', path, body),
    put: (path, body) => call('PUT', path, body),
    delete: (path, body) => call('DELETE', path, body),
    send: (request) => send({ ...request, headers: { ...own, ...request.headers } }),
  }
}

/** What has a path by name comes before those who have a pattern for it. */
const BY_PATTERN = ENDPOINTS.map((endpoint) => ({
  ...endpoint,
  pattern: new RegExp(`^${endpoint.path.replace(/:\w+/g, '[^/]+')}/?$`),
})).sort((a, b) => a.path.split(':').length - b.path.split(':').length)

function endpointOf({ url, method = 'GET' }: InjectOptions): Endpoint | undefined {
  const path = String(url)
    .split('?', 1)[0]!
    .replace(/^\/+/, '/')
    .replace(/^\/sandboxes\/[0-9a-f-]{36}(?=\/.)/i, '')
  return BY_PATTERN.find((one) => one.method === method && one.pattern.test(path))
}

function requirePromisedShape(endpoint: Endpoint, reply: Reply) {
  const complaint = matches(endpoint.reply, reply.body)
  if (complaint) throw new Error(`${endpoint.id} broke its own schema: ${complaint}\n${reply.text.slice(0, 500)}`)
}

function requireDocumentedStatus(endpoint: Endpoint, { status, text }: Reply) {
  // 405 is about a path, such as one that a name shares with a parameter.
  if (status === 405 || statusesOf(endpoint).includes(status)) return
  throw new Error(`${endpoint.id} answered ${status}, which the document does not say: ${text.slice(0, 500)}`)
}

const NAMES = new Set<string>(Object.values(PROBLEMS).map(({ name }) => name))

function requireProblem(request: InjectOptions, { status, body, text }: Reply) {
  const isProblem =
    Object.keys(body ?? {}).join() === 'statusCode,message,name' && body.statusCode === status && NAMES.has(body.name)
  if (!isProblem || status === 500)
    throw new Error(
      `${request.method ?? 'GET'} ${String(request.url).slice(0, 200)} answered ${status}: ${text.slice(0, 500)}`,
    )
}
