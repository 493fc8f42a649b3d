import type { Command } from '../command.ts'
import { withDatabase } from '../database.ts'
import { auditing } from './audit.ts'
import { MAIL_OPTIONS, readFilter, whileReadable } from './filter.ts'
import { countWaiting, recipientsIn, shownCount } from './waiting-count.ts'

export const queueRetry: Command = {
  name: 'queue retry',
  usage: '[--team T] [--domain D] [--from DOMAIN] [--email ID] [--dry-run] [--json]',
  summary:
    'Try deferred mail now instead of at its next time; destinations that refused our address are asked again. --dry-run only counts',
  options: MAIL_OPTIONS,
  words: 0,
  async run({ config, flags, print }) {
    const { 'dry-run': isDryRun = false, json: isJson, ...filters } = flags
    const filterFor = readFilter(filters)
    const { retryDeferred } = await import('../../../features/emails/delivery/queue/queue-retry.ts')
    await withDatabase(config, async (db) => {
      const filter = await filterFor(db)
      const { team: _team, ...details } = filter
      const retry = () => whileReadable(retryDeferred(db, filter, auditing('queue.retry', details)))
      const count = isDryRun
        ? await countWaiting(db, { ...filter, states: ['deferred'] })
        : { recipients: await retry(), isComplete: true }
      if (isJson) return print(JSON.stringify({ object: 'queue_retry', ...shownCount(count), dry_run: isDryRun }))
      print(`${isDryRun ? 'Would retry' : 'Retrying'} mail to ${recipientsIn(count)}.`)
    })
  },
}
