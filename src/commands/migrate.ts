import type { Command } from './command.ts'
import { requireDatabase } from './database.ts'
import { quiet } from './quiet.ts'

export const migrateCommand: Command = {
  name: 'migrate',
  usage: '',
  summary: 'Bring the database up to date and exit (`serve` does it by itself)',
  words: 0,
  async run({ config, print }) {
    const { migrated, close } = await requireDatabase(config, quiet)
    await close()
    for (const name of migrated) print(`ran ${name}`)
    print(
      migrated.length === 0
        ? 'The database is up to date.'
        : `The database is up to date, ${migrated.length} migrations ran.`,
    )
  },
}
