import packageJson from '../../../package.json' with { type: 'json' }
import { openBlobStore } from '../../adapters/blobs/open-blob-store.ts'
import { WatchedBlobStore } from '../../adapters/blobs/watched-blob-store.ts'
import { createResolver } from '../../adapters/dns/resolver.ts'
import { OfflineHttp } from '../../adapters/outgoing-http/offline-http.ts'
import type { HttpsPort } from '../../adapters/tls/https-port.ts'
import { PRODUCT } from '../../features/index.ts'
import { readConnectionUse, shortageOf } from '../../kernel/db/connection-use.ts'
import type { Database } from '../../kernel/db/database.ts'
import type { OpenDatabase } from '../../kernel/db/open.ts'
import type { Presence } from '../../kernel/db/presence.ts'
import type { Checks } from '../../kernel/http/system.ts'
import { openSealer } from '../../kernel/secrets.ts'
import { type Log, nameNode } from '../../platform/observability/log.ts'
import { Metrics } from '../../platform/observability/metrics.ts'
import { type Config, hostName, nameServers, settingName, smtpHost } from '../../platform/settings/config.ts'
import type { Siblings } from '../../platform/siblings.ts'
import { createApi } from '../roles/api.ts'
import { createHttps } from '../roles/https.ts'
import { ReadinessChecks } from '../roles/readiness.ts'
import { createServices } from '../roles/services.ts'
import { createSmtp, type Smtp } from '../roles/smtp.ts'
import { startTracing } from '../roles/tracing.ts'
import { createWorkers, startWorkers } from '../roles/workers.ts'
import { OperatorError } from './command.ts'
import { Deadline } from './deadline.ts'
import { ensureFirstKey } from './first-key.ts'
import { type MetricsPort, openMetricsPort } from './metrics-port.ts'

/** Connections that the system has taken and we have not: beyond it a flood of them makes everybody else wait for seconds. */
const BACKLOG = 4_096

/** What is in flight when a stop is asked for has this long to end: `docker stop` kills after ten seconds, and all else comes behind it. */
const GRACE_MS = 5_500
/** And what did not end this long to be handed back. */
const HAND_BACK_MS = 1_000
/** After that logs are written and connections closed. */
const LEAVE_MS = 500
/** And an embedded PostgreSQL stops. Then the stop is over, whatever hangs. */
const STOP_MS = 8_000

interface ServiceOptions {
  readonly config: Config
  readonly log: Log
  readonly isSmtpPortChosen: boolean
  /** Null: no other process answers on the same ports. */
  readonly siblings: Siblings | null
  /** Nothing is sent to others over HTTP: webhooks are recorded and stay, downloads are refused. For the shadow of the proxy. */
  readonly isOffline?: boolean
}

/** Without those who post what happened to the world. */
const OFFLINE_PRODUCT: typeof PRODUCT = {
  ...PRODUCT,
  workers: PRODUCT.workers.filter(({ name }) => name !== 'webhooks'),
}

/** Starts what the roles ask for, in the order in which one part needs another, and gives back how to stop it all. */
export async function startService(
  database: OpenDatabase,
  { config, log, isSmtpPortChosen, siblings, isOffline = false }: ServiceOptions,
) {
  const { db } = database
  nameNode(log, () => db.presence.node)
  const product = isOffline ? OFFLINE_PRODUCT : PRODUCT
  const sealer = await openSealer(db, config)
  const resolver = createResolver(nameServers(config))
  const blobs = new WatchedBlobStore(await openBlobStore(config))
  const metrics = new Metrics(siblings, { hasExemplars: config.OTLP_URL !== undefined })
  const stopTracing = await startTracing(config, { log, metrics, version: packageJson.version })
  const parts = { db, config, sealer, resolver, blobs, log, metrics }
  let state: Checks['service'] = 'starting'
  const checks = new ReadinessChecks(parts)
  const readiness = async (): Promise<Checks> => ({ service: state, ...(await checks.read()) })
  db.presence.on('clock', () => tellOfClock(db.presence, log))
  metrics.addGauge(
    { name: 'postwren_build_info', help: 'Version of Postwren and of Node.', labelNames: ['version', 'node'] },
    async () => [{ labels: { version: packageJson.version, node: process.versions.node }, value: 1 }],
  )
  const isApi = config.ROLES.includes('api')
  const services = createServices(product, {
    ...parts,
    ...(isOffline && { outgoing: new OfflineHttp() }),
    port: () => (api.app.server.address() as { port: number } | null)?.port ?? config.PORT,
    smtpPort: () => smtp?.addresses[0]?.port ?? config.SMTP_PORT,
  })
  const api = createApi({
    services,
    version: packageJson.version,
    siblings,
    readiness,
    endpoints: isApi ? product.endpoints : [],
    publicRoutes: isApi ? product.publicRoutes : [],
  })
  // A client keeps its connection for the next request; after the one that was in flight it must go.
  api.app.addHook('onSend', (_request, reply, payload, done) => {
    if (state === 'stopping') reply.header('connection', 'close')
    done(null, payload)
  })
  api.app.addHook('onResponse', ({ raw }, _reply, done) => {
    if (state === 'stopping') raw.socket.end()
    done()
  })
  const workers = createWorkers(product, services, { roles: config.ROLES })
  const smtp = config.ROLES.includes('smtp') ? createSmtp(services) : null
  let metricsPort: MetricsPort | null = null
  const https = isApi ? createHttps(services, api.app.server) : null

  /** Stops taking in, finishes or releases what is in flight, and leaves the database last. */
  const stop = async () => {
    state = 'stopping'
    https?.close()
    const handedBack = new Deadline(GRACE_MS + HAND_BACK_MS)
    const left = new Deadline(GRACE_MS + HAND_BACK_MS + LEAVE_MS)
    const over = new Deadline(STOP_MS)
    const force = setTimeout(() => api.app.server.closeAllConnections(), GRACE_MS)
    const running = [...(smtp ? [smtp] : []), ...workers.values()]
    await handedBack.wait(Promise.all([api.app.close(), ...running.map((part) => part.stop(GRACE_MS))]))
    clearTimeout(force)
    await left.wait(metricsPort?.stop() ?? Promise.resolve())
    await left.wait(Promise.all([api.flush(), stopTracing(LEAVE_MS)]))
    await over.wait(database.close(left.leftMs, over.leftMs))
  }

  try {
    services.teamStates.follow()
    services.sending.senders.follow()
    if (isApi || smtp) services.peers.join()
    const [firstKey] = await allEnded([ensureFirstKey(db, config), services.teamStates.load(), db.presence.start()])
    if (config.ACME !== undefined) await services.certificates.follow(hostName(config))
    await warnOfConnections(db, log)
    const isHolding = config.HOLD === 'on'
    if (isHolding) log.warn('service: on hold; mail and events wait until a start without hold')
    if (!services.teamStates.holds.isEmpty) log.warn('service: some mail is on hold; see `postwren queue holds`')
    const listening = async () => {
      await api.app.listen({ host: config.HOST, port: config.PORT, backlog: BACKLOG })
      if (https) await listenForHttps(https, config)
      metricsPort = await openMetricsPort(parts)
      const smtpPorts = smtp && (await listenForMail(smtp, { config, log, isSmtpPortChosen }))
      return { smtpPorts, metricsPort: metricsPort?.port ?? null, httpsPort: https?.port ?? null }
    }
    const [ports] = await allEnded([listening(), startWorkers(product, workers, isHolding)])
    state = 'ok'
    const { port } = api.app.server.address() as { port: number }
    const dashboardLink = api.dashboard?.makeLink() ?? null
    return { firstKey, port, ...ports, dashboardLink, stop }
  } catch (error) {
    await stop().catch(() => {})
    throw explainListen(error, config)
  }
}

/** The node whose budget is too much says so. It works as long as not all of them need all of theirs. */
async function warnOfConnections(db: Database, log: Log) {
  const shortage = shortageOf(await readConnectionUse(db))
  if (shortage) log.warn(`database: ${shortage}`)
}

/** As `Promise.all`, but nothing is under way any more when it throws: what is stopped then must not start behind it. */
async function allEnded<const Work extends readonly Promise<unknown>[]>(work: Work) {
  await Promise.allSettled(work)
  return Promise.all(work)
}

async function listenForHttps(https: HttpsPort, { HOST, HTTPS_PORT: port }: Config) {
  try {
    await https.open({ host: HOST, port: port!, backlog: BACKLOG })
  } catch (error) {
    const { code } = error as { code?: unknown }
    if (code === 'EADDRINUSE') throw new OperatorError(portInUse(port!, HOST, settingName('HTTPS_PORT')))
    throw new OperatorError(
      `Cannot listen on port ${port} of ${HOST} (${code}): change POSTWREN_HTTPS_PORT or POSTWREN_HOST.`,
    )
  }
}

/** `bind` where the supervisor of several processes listens for them. */
const LISTEN_CALLS = new Set<unknown>(['listen', 'bind'])

function tellOfClock({ isInStep, clockOffsetMs }: Presence, log: Log) {
  if (isInStep) return log.info('clock: back in step with the database')
  const seconds = Math.abs(Math.round(clockOffsetMs / 1_000))
  const direction = clockOffsetMs > 0 ? 'behind' : 'ahead of'
  log.error(`clock: this machine is ${seconds} s ${direction} the database; no mail is sent until it is corrected`)
}

/** A port that nobody chose may be taken, by a second process on this machine for instance: it works, and says what it does not do. */
async function listenForMail(
  smtp: Smtp,
  { config, log, isSmtpPortChosen }: { config: Config; log: Log; isSmtpPortChosen: boolean },
): Promise<readonly number[] | null> {
  try {
    await smtp.start()
    return smtp.addresses.map(({ port }) => port)
  } catch (error) {
    const { code, syscall, port = config.SMTP_PORT } = error as { code?: unknown; syscall?: unknown; port?: number }
    if (code === 'EADDRINUSE') {
      const setting = settingName(port === config.SMTP_PORT ? 'SMTP_PORT' : 'SMTP_MORE_PORTS')
      const message = portInUse(port, smtpHost(config), setting)
      if (port !== config.SMTP_PORT || isSmtpPortChosen) throw new OperatorError(message)
      log.warn(`smtp: not listening. ${message}`)
      return null
    }
    if (!LISTEN_CALLS.has(syscall)) throw error
    throw new OperatorError(
      `Cannot listen for mail on port ${port} of ${smtpHost(config)} (${code}): change POSTWREN_SMTP_PORT, POSTWREN_SMTP_MORE_PORTS or POSTWREN_SMTP_HOST.`,
    )
  }
}

const portInUse = (port: number, host: string, setting: string) =>
  `Port ${port} on ${host} is in use: stop the other program, or change ${setting}.`

/** An address where nobody can listen is a matter of two settings. */
function explainListen(error: unknown, { HOST, PORT }: Config) {
  const { code, syscall } = error as { code?: unknown; syscall?: unknown }
  if (code === 'EADDRINUSE') return new OperatorError(portInUse(PORT, HOST, settingName('PORT')))
  if (!LISTEN_CALLS.has(syscall) && syscall !== 'getaddrinfo') return error
  return new OperatorError(`Cannot listen on port ${PORT} of ${HOST} (${code}): change POSTWREN_PORT or POSTWREN_HOST.`)
}
