import { setPriority } from 'node:os'
import { openSealer } from '../../../kernel/secrets.ts'
import { createLog, type Log } from '../../../platform/observability/log.ts'
import type { Config } from '../../../platform/settings/config.ts'
import { openDataFolder } from '../../../platform/settings/data-folder.ts'
import { requireDatabase } from '../database.ts'
import { startService } from '../service.ts'
import type { Exchange } from './exchange.ts'
import type { FromMirror, ToMirror } from './mirror-process.ts'
import { ourSideAt } from './our-side.ts'
import { createShadowTables, Pairs } from './pairs.ts'
import { shadowConfig } from './settings.ts'
import { Shadow } from './shadow.ts'
import { requireShadowDatabase } from './shadow-database.ts'
import { keyHashSecret, ShadowTeams } from './teams.ts'

/** The application comes first when both want the processor. */
const LOW_PRIORITY = 10

/** Our side: the whole service, which sends nothing, and the comparison of its answers. Runs until the proxy stops it or disconnects. */
export async function runMirror(settings: Config) {
  const stopped = whenAskedToStop()
  lowerPriority()
  const config = shadowConfig(settings)
  const log = createLog({ level: config.LOG_LEVEL, isTerminal: process.stderr.isTTY === true })
  const { shadow, secret, stop } = await startShadow(config, log).catch((error) => {
    // The channel would keep the process alive.
    process.disconnect()
    throw error
  })
  process.on('message', (message: ToMirror) => 'exchange' in message && void judge(shadow, message.exchange, log))
  say({ ready: { keyHashSecret: secret } })
  await stopped
  await stop()
  process.exit()
}

async function startShadow(config: Config, log: Log) {
  await requireShadowDatabase(config)
  openDataFolder(config.DATA_DIR)
  const database = await requireDatabase(config, log, { waitMs: 60_000 })
  try {
    await createShadowTables(database.db)
    const sealer = await openSealer(database.db, config)
    const service = await startService(database, {
      config,
      log,
      isSmtpPortChosen: false,
      siblings: null,
      isOffline: true,
    })
    const shadow = new Shadow({
      ourSide: ourSideAt(service.port),
      teams: new ShadowTeams(database.db, sealer),
      pairs: new Pairs(database.db),
    })
    return { shadow, secret: keyHashSecret(sealer), stop: service.stop }
  } catch (error) {
    await database.close().catch(() => {})
    throw error
  }
}

async function judge(shadow: Shadow, exchange: Exchange, log: Log) {
  const judged = await shadow.judge(exchange).catch((error) => {
    log.warn({ error }, 'proxy: comparing a call failed')
    return null
  })
  say({ number: exchange.number, judged })
}

/** A proxy that is gone needs no answer. */
function say(message: FromMirror) {
  if (process.connected) process.send?.(message, () => {})
}

function whenAskedToStop(): Promise<void> {
  // Ctrl-C in a terminal reaches both processes: the proxy says when it is time.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
  return new Promise((resolve) => {
    process.on('disconnect', resolve)
    process.on('message', (message: ToMirror) => 'stop' in message && resolve())
  })
}

function lowerPriority() {
  try {
    setPriority(LOW_PRIORITY)
  } catch {
    // Not allowed everywhere, and no need.
  }
}
