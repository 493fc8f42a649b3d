import type { Command } from './command.ts'
import { requireDatabase, WAIT_FLAG, waitMsOf } from './database.ts'
import { quiet } from './quiet.ts'

export const migrateCommand: Command = {
  name: 'migrate',
  usage: '[--wait SECONDS]',
  summary:
    'Run database migrations and exit (`serve` does so, too). Waits for the database as long as POSTWREN_START_WAIT says, or --wait',
  options: WAIT_FLAG,
  words: 0,
  async run({ config, flags, print }) {
    const { migrated, close } = await requireDatabase(config, quiet, { waitMs: waitMsOf(flags.wait, config) })
    await close()
    for (const name of migrated) print(`ran ${name}`)
    print(
      migrated.length === 0
        ? 'The database is up to date.'
        : `The database is up to date, ${migrated.length} migrations ran.`,
    )
  },
}
