import { NoEmbeddedPostgres } from '../../adapters/postgres/binaries.ts'
import { requireCertificateFiles } from '../../adapters/tls/certificate.ts'
import { systemClock } from '../../platform/clock.ts'
import { createLog, type Log } from '../../platform/observability/log.ts'
import { type Config, unknownSettings } from '../../platform/settings/config.ts'
import { tightenDataFolder } from '../../platform/settings/data-folder.ts'
import { type Command, OperatorError } from './command.ts'
import { requireDatabase, WAIT_FLAG, waitMsOf } from './database.ts'
import { welcome } from './welcome.ts'

export const serve: Command = {
  name: 'serve',
  usage: '[--hold] [--temporary] [--wait SECONDS]',
  summary:
    'Start the service (the default command). --hold: accept mail but send nothing. --temporary: delete all data at the end. Waits up to 60 s for the database unless --wait is given',
  options: { hold: { type: 'boolean' }, temporary: { type: 'boolean' }, ...WAIT_FLAG },
  words: 0,
  async run({ config: settings, environment, flags, print }) {
    const log = createLog({ level: settings.LOG_LEVEL, isTerminal: process.stderr.isTTY === true })
    for (const name of unknownSettings(environment))
      log.warn(`config: ${name} is not a known setting; see docs/configuration.md`)
    const stopping = new AbortController()
    const isSmtpPortChosen = environment.POSTWREN_SMTP_PORT !== undefined
    const wait = { waitMs: waitMsOf(flags.wait), signal: stopping.signal }
    const starting = start({ ...settings, ...(flags.hold && { HOLD: 'on' as const }) }, log, {
      isTemporary: flags.temporary === true,
      isSmtpPortChosen,
      wait,
    })
    stopOnSignal(async () => {
      stopping.abort()
      await (await starting.catch(() => null))?.service.stop()
    }, log)
    const started = await starting.catch((error) => {
      // It waited for its database when it was told to stop: there is nothing to say.
      if (error === stopping.signal.reason) return null
      throw error
    })
    if (!started) return
    const { config, service } = started
    print(welcome({ config, isTerminal: process.stdout.isTTY === true, ...service }))
    if (flags.temporary) await accompanyParent(service)
  },
}

interface StartOptions {
  readonly isTemporary: boolean
  readonly isSmtpPortChosen: boolean
  readonly wait: { waitMs: number; signal: AbortSignal }
}

async function start(settings: Config, log: Log, { isTemporary, isSmtpPortChosen, wait }: StartOptions) {
  // The other commands do without the service. It takes as long to load as a database to open.
  const [{ config, database }, { startService }] = await Promise.all([
    open(settings, log, { isTemporary, wait }),
    import('./service.ts'),
  ])
  try {
    return { config, service: await startService(database, { config, log, isSmtpPortChosen }) }
  } catch (error) {
    // Closed already when the parts were there to be stopped. Otherwise it would outlive us, and its PostgreSQL with it.
    await database.close().catch(() => {})
    throw error
  }
}

async function open(settings: Config, log: Log, { isTemporary, wait }: Pick<StartOptions, 'isTemporary' | 'wait'>) {
  // What can be seen to be wrong now must not start a PostgreSQL first.
  if (settings.ROLES.includes('smtp')) requireCertificateFiles(settings)
  const config = isTemporary ? { ...settings, ...(await temporaryData(settings)) } : settings
  tightenDataFolder(config.DATA_DIR)
  return { config, database: await requireDatabase(config, log, wait) }
}

const ELSEWHERE = 'Tests can also use a running Postwren: set POSTWREN_URL and POSTWREN_API_KEY.'

async function temporaryData(config: Config): Promise<Pick<Config, 'DATA_DIR'>> {
  if (config.DATABASE_URL) throw new OperatorError('--temporary uses its own database: unset POSTWREN_DATABASE_URL.')
  const { makeTemporaryDataFolder } = await import('../../kernel/db/temporary.ts')
  const dataDir = makeTemporaryDataFolder(systemClock).catch((error) => {
    const reason = error instanceof NoEmbeddedPostgres ? error.reason : (error as Error).message.trim()
    throw new OperatorError(`The database for tests could not be created: ${reason}. ${ELSEWHERE}`, { cause: error })
  })
  return { DATA_DIR: await dataDir }
}

/** What is started by a program for its tests prints where it listens, and ends with it, however that ends. */
async function accompanyParent({ port, smtpPorts }: { port: number; smtpPorts: readonly number[] | null }) {
  if (process.send) {
    process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
    if (process.connected) process.send({ port, smtpPort: smtpPorts?.[0] ?? null })
    else process.kill(process.pid, 'SIGTERM')
  }
  const { removeAbandonedData } = await import('../../kernel/db/temporary.ts')
  await removeAbandonedData(systemClock)
}

/** One Ctrl-C under `npm start` comes twice: the terminal sends it to every process, and npm passes its own on. */
const ECHO_MS = 1_000

/** A stop takes 8 s at most; longer is only one in the middle of a start that hangs. */
const STOP_MS = 30_000

/** Ctrl-C and SIGTERM stop cleanly, also in the middle of the start; asking again does not wait. */
function stopOnSignal(stop: () => Promise<void>, log: Log) {
  let askedAt: number | null = null
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, async () => {
      if (askedAt !== null) {
        if (performance.now() - askedAt > ECHO_MS) process.exit(1)
        return
      }
      askedAt = performance.now()
      log.info('service: stopping')
      setTimeout(() => {
        log.error('service: shutdown timed out')
        process.exit(1)
      }, STOP_MS).unref()
      await stop().catch((error) => log.error({ error }, 'service: shutdown failed'))
      process.exit()
    })
  }
}
