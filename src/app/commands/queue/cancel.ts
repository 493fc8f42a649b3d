import { cancelWaiting } from '../../../features/emails/delivery/queue/queue.ts'
import { type Command, OperatorError } from '../command.ts'
import { withDatabase } from '../database.ts'
import { auditing } from './audit.ts'
import { isoOf, MAIL_OPTIONS, readFilter } from './filter.ts'
import { countWaiting, recipientsIn, shownCount } from './waiting-count.ts'

export const queueCancel: Command = {
  name: 'queue cancel',
  usage: '--due-before TIME | --team T | --domain D | --from DOMAIN | --email ID [--dry-run] [--json]',
  summary:
    'Cancel queued mail: of a team, to or from a domain, one email, or what was due before a time, for example after a restore. Filters can be combined. --dry-run only counts',
  options: { 'due-before': { type: 'string' }, ...MAIL_OPTIONS },
  words: 0,
  async run({ config, flags, print }) {
    const { 'dry-run': isDryRun = false, json: isJson, ...filters } = flags
    if (Object.keys(filters).length === 0)
      throw new OperatorError(
        'Missing --due-before, or another filter. Example: postwren queue cancel --due-before 2026-01-31T12:00:00Z',
      )
    const filterFor = readFilter(filters)
    await withDatabase(config, async (db) => {
      const filter = await filterFor(db)
      const { dueBefore, team: _team, ...rest } = filter
      const details = { ...rest, ...(dueBefore && { due_before: dueBefore.toISOString() }) }
      const count = isDryRun
        ? await countWaiting(db, filter)
        : { recipients: await cancelWaiting(db, filter, auditing('queue.cancel', details)), isComplete: true }
      if (isJson) return print(JSON.stringify({ object: 'queue_cancel', ...shownCount(count), dry_run: isDryRun }))
      const when = dueBefore ? `, due before ${isoOf(dueBefore)}` : ''
      print(`${isDryRun ? 'Would cancel' : 'Canceled'} mail to ${recipientsIn(count)}${when}.`)
    })
  },
}
