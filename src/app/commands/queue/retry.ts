import { type Command, JSON_FLAG } from '../command.ts'
import { withDatabase } from '../database.ts'
import { auditing } from './audit.ts'
import { readFilter, whileReadable } from './filter.ts'
import { countWaiting, recipientsIn } from './waiting-count.ts'

export const queueRetry: Command = {
  name: 'queue retry',
  usage: '[--team T] [--domain D] [--from DOMAIN] [--email ID] [--dry-run] [--json]',
  summary:
    'Try deferred mail now instead of at its next time; destinations that refused our address are asked again. --dry-run only counts',
  options: {
    team: { type: 'string' },
    domain: { type: 'string' },
    from: { type: 'string' },
    email: { type: 'string' },
    'dry-run': { type: 'boolean' },
    ...JSON_FLAG,
  },
  words: 0,
  async run({ config, flags, print }) {
    const filterFor = readFilter(flags)
    const { retryDeferred } = await import('../../../features/emails/delivery/queue/queue-retry.ts')
    await withDatabase(config, async (db) => {
      const filter = await filterFor(db)
      if (flags['dry-run']) {
        const count = await countWaiting(db, { ...filter, states: ['deferred'] })
        if (flags.json)
          return print(
            JSON.stringify({
              object: 'queue_retry',
              recipients: count.recipients,
              is_complete: count.isComplete,
              dry_run: true,
            }),
          )
        return print(`Would retry mail to ${recipientsIn(count)}.`)
      }
      const { team: _team, ...details } = filter
      const recipients = await whileReadable(retryDeferred(db, filter, auditing('queue.retry', details)))
      if (flags.json)
        return print(JSON.stringify({ object: 'queue_retry', recipients, is_complete: true, dry_run: false }))
      print(`Retrying mail to ${recipientsIn({ recipients, isComplete: true })}.`)
    })
  },
}
