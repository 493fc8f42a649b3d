import type { Command } from './command.ts'
import { requireDatabase, WAIT_FLAG, waitMsOf } from './database.ts'
import { quiet } from './quiet.ts'

export const migrateCommand: Command = {
  name: 'migrate',
  usage: '[--wait SECONDS]',
  summary:
    'Bring the database up to date and exit (`serve` does it by itself). A database that does not answer is waited for, 60 s unless said otherwise',
  options: WAIT_FLAG,
  words: 0,
  async run({ config, flags, print }) {
    const { migrated, close } = await requireDatabase(config, quiet, { waitMs: waitMsOf(flags.wait) })
    await close()
    for (const name of migrated) print(`ran ${name}`)
    print(
      migrated.length === 0
        ? 'The database is up to date.'
        : `The database is up to date, ${migrated.length} migrations ran.`,
    )
  },
}
