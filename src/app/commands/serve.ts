import cluster from 'node:cluster'
import { setFlagsFromString } from 'node:v8'
import { NoEmbeddedPostgres } from '../../adapters/postgres/binaries.ts'
import { requireCertificateFiles } from '../../adapters/tls/certificate.ts'
import type { OpenDatabase } from '../../kernel/db/open.ts'
import { findRestored, type RestoredBackup } from '../../kernel/db/restored-backup.ts'
import { systemClock } from '../../platform/clock.ts'
import { createLog, type Log } from '../../platform/observability/log.ts'
import type { Config } from '../../platform/settings/config.ts'
import { tightenDataFolder } from '../../platform/settings/data-folder.ts'
import type { Siblings } from '../../platform/siblings.ts'
import { type Command, OperatorError } from './command.ts'
import { requireDatabase, WAIT_FLAG, waitMsOf } from './database.ts'
import { sourceAddressTrouble } from './source-address.ts'
import { stopOnSignal } from './stop-on-signal.ts'
import { type ServiceManager, serviceManager } from './systemd.ts'
import { welcome } from './welcome.ts'

export const serve: Command = {
  name: 'serve',
  usage: '[--hold] [--temporary] [--wait SECONDS]',
  summary:
    'Start the service (the default command). --hold: accept mail but send nothing. --temporary: delete all data at the end. Waits for the database as long as POSTWREN_START_WAIT says, or --wait',
  options: { hold: { type: 'boolean' }, temporary: { type: 'boolean' }, ...WAIT_FLAG },
  words: 0,
  async run({ config: settings, environment, flags, print }) {
    const isOneOfSeveral = settings.PROCESSES > 1 && !flags.temporary
    const member = isOneOfSeveral && cluster.isWorker ? await joinProcesses() : null
    const log = createLog({
      level: settings.LOG_LEVEL,
      isTerminal: process.stderr.isTTY === true,
      format: settings.LOG_FORMAT,
      process: member?.number,
    })
    // Of several processes the supervisor is the one that systemd knows.
    const manager = serviceManager(member ? {} : environment, log)
    if (isOneOfSeveral && !member) return supervise(settings, log, manager)
    const stopping = new AbortController()
    const isSmtpPortChosen = environment.POSTWREN_SMTP_PORT !== undefined
    const wait = { waitMs: waitMsOf(flags.wait, settings), signal: stopping.signal }
    const starting = start({ ...settings, ...(flags.hold && { HOLD: 'on' as const }) }, log, {
      isTemporary: flags.temporary === true,
      isSmtpPortChosen,
      wait,
      siblings: member,
    })
    stopOnSignal(async () => {
      stopping.abort()
      const told = manager.stopping()
      await (await starting.catch(() => null))?.service.stop()
      await told
    }, log)
    const started = await starting.catch((error) => {
      // It waited for its database when it was told to stop: there is nothing to say.
      if (error === stopping.signal.reason) return null
      member?.leave()
      throw error
    })
    if (!started) return
    const { config, service, restored } = started
    if (!member || member.isFirst)
      print(welcome({ config, isTerminal: process.stdout.isTTY === true, restored, ...service }))
    member?.started()
    await manager.ready(statusOf(config))
    if (flags.temporary) await accompanyParent(service)
  },
}

const joinProcesses = async () => (await import('../processes/member.ts')).Member.join()

/** Runs several processes like this one. They say themselves what goes wrong in them. */
async function supervise(config: Config, log: Log, manager: ServiceManager) {
  const { Supervisor } = await import('../processes/supervisor.ts')
  const onReady = () => void manager.ready(`${statusOf(config)}, ${config.PROCESSES} processes`)
  const supervisor = new Supervisor(config.PROCESSES, log, onReady)
  const stop = async () => {
    const told = manager.stopping()
    await supervisor.stop()
    await told
  }
  stopOnSignal(stop, log, { force: () => supervisor.kill() })
  supervisor.start()
}

/** For `systemctl status`. */
const statusOf = ({ ROLES, DELIVERY, HOLD }: Config) =>
  `Ready: ${ROLES.join(', ')}; delivery ${HOLD === 'on' ? 'on hold' : DELIVERY}`

interface StartOptions {
  readonly isTemporary: boolean
  readonly isSmtpPortChosen: boolean
  readonly wait: { waitMs: number; signal: AbortSignal }
  /** Null: no other process answers on the same ports. */
  readonly siblings: Siblings | null
}

async function start(settings: Config, log: Log, { isTemporary, isSmtpPortChosen, wait, siblings }: StartOptions) {
  boundYoungGeneration(true)
  // The other commands do without the service. It takes as long to load as a database to open.
  const [{ config, database, restored }, { startService }] = await Promise.all([
    open(settings, log, { isTemporary, wait }),
    import('./service.ts'),
  ])
  try {
    const service = await startService(database, { config, log, isSmtpPortChosen, siblings })
    return { config, service, restored: restored && (await describeRestored(database, restored, log)) }
  } catch (error) {
    // Closed already when the parts were there to be stopped. Otherwise it would outlive us, and its PostgreSQL with it.
    await database.close().catch(() => {})
    throw error
  } finally {
    boundYoungGeneration(false)
  }
}

/**
 * While the program loads, nearly all that it makes stays: the engine takes that for a reason to let its young generation grow to the full 32 MB, and an
 * idle process would keep them. Afterwards it grows with the load, as ever.
 */
const boundYoungGeneration = (isBound: boolean) => setFlagsFromString(`--semi-space-growth-factor=${isBound ? 1 : 2}`)

async function open(settings: Config, log: Log, { isTemporary, wait }: Pick<StartOptions, 'isTemporary' | 'wait'>) {
  // What can be seen to be wrong now must not start a PostgreSQL first.
  if (settings.ROLES.includes('smtp')) requireCertificateFiles(settings)
  const trouble = await sourceAddressTrouble(settings)
  if (trouble !== null) throw new OperatorError(trouble)
  const config = isTemporary ? { ...settings, ...(await temporaryData(settings)) } : settings
  tightenDataFolder(config.DATA_DIR)
  const database = await requireDatabase(config, log, wait)
  const restored = await findRestored(database.db).catch(async (error) => {
    await database.close().catch(() => {})
    throw error
  })
  return { config: restored ? { ...config, HOLD: 'on' as const } : config, database, restored }
}

/** A backup does not know what has left since it was made: somebody has to look first, whatever the settings say. */
async function describeRestored({ db }: OpenDatabase, restored: RestoredBackup, log: Log): Promise<string[]> {
  log.warn(
    `service: restored from the backup ${restored.name}; on hold until \`postwren restore --finish\` and a restart`,
  )
  const { describeHold, readWaiting } = await import('./backup/waiting.ts')
  return describeHold(restored, await readWaiting(db))
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
