import { unknownSettings } from '../platform/config.ts'
import { createLog, type Log } from '../platform/log.ts'
import type { Command } from './command.ts'
import { welcome } from './welcome.ts'

export const serve: Command = {
  name: 'serve',
  usage: '[--hold]',
  summary: 'Start the service; what `npm start` runs after installing and building. With --hold nothing leaves',
  options: { hold: { type: 'boolean' } },
  words: 0,
  async run({ config: settings, environment, flags, print }) {
    const config = flags.hold ? { ...settings, HOLD: 'on' as const } : settings
    const log = createLog({ level: config.LOG_LEVEL, isTerminal: process.stderr.isTTY === true })
    for (const name of unknownSettings(environment))
      log.warn(`${name} is not a setting of Postwren; see docs/configuration.md`)
    // The other commands do without all this.
    const { startService } = await import('./service.ts')
    const starting = startService(config, log, { isSmtpPortChosen: environment.POSTWREN_SMTP_PORT !== undefined })
    stopOnSignal(async () => (await starting).stop(), log)
    print(welcome({ config, isTerminal: process.stdout.isTTY === true, ...(await starting) }))
  },
}

/** One Ctrl-C under `npm start` comes twice: the terminal sends it to every process, and npm passes its own on. */
const ECHO_MS = 1_000

/** A stop takes 12 s at most and an embedded PostgreSQL a moment; longer is only one in the middle of a start that hangs. */
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
      log.info('stopping')
      setTimeout(() => {
        log.error('could not stop in time')
        process.exit(1)
      }, STOP_MS).unref()
      await stop().catch((error) => log.error({ error }, 'could not stop cleanly'))
      process.exit()
    })
  }
}
