import packageJson from '../../package.json' with { type: 'json' }
import { systemClock } from '../platform/clock.ts'
import { type Config, unknownSettings } from '../platform/config.ts'
import { openDatabase } from '../platform/db/open.ts'
import { sql } from '../platform/db/sql.ts'
import { createLog, type Log } from '../platform/log.ts'
import { Metrics } from '../platform/metrics.ts'
import { ENDPOINTS } from '../resources/index.ts'
import { createApi } from '../roles/api.ts'
import { createWorker } from '../roles/jobs.ts'
import { type Command, OperatorError } from './command.ts'
import { ensureFirstKey } from './first-key.ts'
import { welcome } from './welcome.ts'

/** What is in flight when a stop is asked for has this long to end. */
const GRACE_MS = 10_000

export const serve: Command = {
  name: 'serve',
  usage: '',
  summary: 'Start the service; what `npm start` runs after installing and building',
  words: 0,
  async run({ config, environment, print }) {
    const log = createLog({ level: config.LOG_LEVEL, isTerminal: process.stderr.isTTY === true })
    for (const name of unknownSettings(environment))
      log.warn(`${name} is not a setting of Postwren; see docs/configuration.md`)
    const { stop, ...started } = await startService(config, log)
    print(welcome({ config, ...started }))
    stopOnSignal(stop, log)
  },
}

/** Starts what the roles ask for, in the order in which one part needs another, and gives back how to stop it all. */
export async function startService(config: Config, log: Log) {
  const database = await openDatabase(config, log).catch((error: Error) => {
    throw new OperatorError(`The database cannot be used: ${error.message}`)
  })
  const { db } = database
  const metrics = new Metrics()
  const parts = { db, clock: systemClock, config, log, metrics, version: packageJson.version }
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
  const api = createApi({ ...parts, isReady, endpoints: config.ROLES.includes('api') ? ENDPOINTS : [] })
  const worker = config.ROLES.includes('jobs') ? createWorker(parts) : null

  /** Stops taking in, finishes or hands back what is in flight, and leaves the database last. */
  const stop = async () => {
    isServing = false
    const force = setTimeout(() => api.app.server.closeAllConnections(), GRACE_MS)
    await Promise.all([api.app.close(), worker?.stop(GRACE_MS)])
    clearTimeout(force)
    await api.flush()
    await database.close()
  }

  try {
    const firstKey = await ensureFirstKey(db, config)
    await db.signals.start()
    await worker?.start()
    await api.app.listen({ host: config.HOST, port: config.PORT })
    isServing = true
    const { port } = api.app.server.address() as { port: number }
    return { firstKey, port, stop }
  } catch (error) {
    await stop().catch(() => {})
    throw isPortTaken(error) ? new OperatorError(portTaken(config)) : error
  }
}

const isPortTaken = (error: unknown) => (error as { code?: unknown }).code === 'EADDRINUSE'

const portTaken = (config: Config) =>
  `Port ${config.PORT} on ${config.HOST} is in use; stop what uses it, or choose another with POSTWREN_PORT.`

/** Ctrl-C and SIGTERM stop cleanly; asking twice does not wait. */
function stopOnSignal(stop: () => Promise<void>, log: Log) {
  let isStopping = false
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, async () => {
      if (isStopping) process.exit(1)
      isStopping = true
      log.info('stopping')
      await stop().catch((error) => log.error({ error }, 'could not stop cleanly'))
      process.exit(0)
    })
  }
}
