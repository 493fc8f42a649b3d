import packageJson from '../../package.json' with { type: 'json' }
import { openBlobStore } from '../platform/blobs/open-blob-store.ts'
import { systemClock } from '../platform/clock.ts'
import { type Config, nameServers } from '../platform/config.ts'
import { sql } from '../platform/db/sql.ts'
import { createResolver } from '../platform/dns/resolver.ts'
import type { Log } from '../platform/log.ts'
import { Metrics } from '../platform/metrics.ts'
import { openSealer } from '../platform/secrets.ts'
import { ENDPOINTS, PUBLIC_ROUTES } from '../resources/index.ts'
import { createApi } from '../roles/api.ts'
import { createDelivery } from '../roles/delivery.ts'
import { createWorker } from '../roles/jobs.ts'
import { createSmtp, type Smtp } from '../roles/smtp.ts'
import { createWebhooks } from '../roles/webhooks.ts'
import { OperatorError } from './command.ts'
import { requireDatabase } from './database.ts'
import { ensureFirstKey } from './first-key.ts'

/** Connections that the system has taken and we have not: beyond it a flood of them makes everybody else wait for seconds. */
const BACKLOG = 4_096

/** What is in flight when a stop is asked for has this long to end. */
const GRACE_MS = 10_000

/** Starts what the roles ask for, in the order in which one part needs another, and gives back how to stop it all. */
export async function startService(config: Config, log: Log, { isSmtpPortChosen }: { isSmtpPortChosen: boolean }) {
  const database = await requireDatabase(config, log)
  const { db } = database
  const sealer = await openSealer(db, config).catch(async (error) => {
    await database.close()
    throw error
  })
  const resolver = createResolver(nameServers(config))
  const blobs = openBlobStore(config)
  const metrics = new Metrics()
  const parts = { db, clock: systemClock, config, sealer, resolver, blobs, log, metrics, version: packageJson.version }
  let isServing = false
  const isReady = () =>
    db.query(sql`select 1`).then(
      () => isServing,
      () => false,
    )
  metrics.addGauge(
    { name: 'postwren_database_connections', help: 'Connections and statements by state.', labelNames: ['state'] },
    async () => Object.entries(db.load).map(([state, value]) => ({ labels: { state }, value })),
  )
  const isApi = config.ROLES.includes('api')
  const api = createApi({
    ...parts,
    isReady,
    port: () => (api.app.server.address() as { port: number } | null)?.port ?? config.PORT,
    endpoints: isApi ? ENDPOINTS : [],
    publicRoutes: isApi ? PUBLIC_ROUTES : [],
  })
  // A client keeps its connection for the next request; after the one that was in flight it must go.
  api.app.addHook('onResponse', async ({ raw }) => void (isServing || raw.socket.end()))
  const worker = config.ROLES.includes('jobs') ? createWorker(parts) : null
  const webhooks = config.ROLES.includes('jobs') ? createWebhooks(parts) : null
  const delivery = config.ROLES.includes('delivery') ? createDelivery(parts) : null
  const smtp = config.ROLES.includes('smtp') ? createSmtp(parts) : null

  /** Stops taking in, finishes or hands back what is in flight, and leaves the database last. */
  const stop = async () => {
    isServing = false
    const force = setTimeout(() => api.app.server.closeAllConnections(), GRACE_MS)
    const running = [smtp, worker, webhooks, delivery]
    await Promise.all([api.app.close(), ...running.map((part) => part?.stop(GRACE_MS))])
    clearTimeout(force)
    await api.flush()
    await database.close()
  }

  try {
    const firstKey = await ensureFirstKey(db, config)
    await db.signals.start()
    await worker?.start()
    await webhooks?.start()
    await delivery?.start()
    await api.app.listen({ host: config.HOST, port: config.PORT, backlog: BACKLOG })
    const smtpPorts = smtp && (await listenForMail(smtp, { config, log, isSmtpPortChosen }))
    isServing = true
    const { port } = api.app.server.address() as { port: number }
    return { firstKey, port, smtpPorts, dashboardLink: api.dashboard?.makeLink() ?? null, stop }
  } catch (error) {
    await stop().catch(() => {})
    throw explainListen(error, config)
  }
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
    const { code, port } = error as { code?: unknown; port?: unknown }
    const where = `port ${port ?? config.SMTP_PORT} of ${config.HOST}`
    if (code === 'EADDRINUSE' && port === config.SMTP_PORT && !isSmtpPortChosen) {
      log.warn(`takes no mail in: ${where} is in use; choose another with POSTWREN_SMTP_PORT`)
      return null
    }
    if ((error as { syscall?: unknown }).syscall !== 'listen') throw error
    throw new OperatorError(
      `Cannot listen for mail on ${where} (${code}): change POSTWREN_SMTP_PORT, POSTWREN_SMTP_MORE_PORTS or POSTWREN_HOST.`,
    )
  }
}

/** A place where nobody can listen is a matter of two settings. */
function explainListen(error: unknown, { HOST, PORT }: Config) {
  const { code, syscall } = error as { code?: unknown; syscall?: unknown }
  if (code === 'EADDRINUSE')
    return new OperatorError(
      `Port ${PORT} on ${HOST} is in use; stop what uses it, or choose another with POSTWREN_PORT.`,
    )
  if (syscall !== 'listen' && syscall !== 'getaddrinfo') return error
  return new OperatorError(`Cannot listen on port ${PORT} of ${HOST} (${code}): change POSTWREN_PORT or POSTWREN_HOST.`)
}
