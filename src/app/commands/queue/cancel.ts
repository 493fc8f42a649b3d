import { cancelWaiting } from '../../../features/emails/delivery/queue/queue.ts'
import { type Command, OperatorError } from '../command.ts'
import { withDatabase } from '../database.ts'
import { auditing } from './audit.ts'
import { isoOf, timeOf } from './filter.ts'

export const queueCancel: Command = {
  name: 'queue cancel',
  usage: '--due-before TIME',
  summary: 'Cancel the queued mail of all teams that was due before this time, for example after a restore',
  options: { 'due-before': { type: 'string' } },
  words: 0,
  async run({ config, flags, print }) {
    if (flags['due-before'] === undefined)
      throw new OperatorError('Missing --due-before. Example: postwren queue cancel --due-before 2026-01-31T12:00:00Z')
    const dueBefore = timeOf(flags['due-before'])
    await withDatabase(config, async (db) => {
      const canceled = await cancelWaiting(
        db,
        dueBefore,
        auditing('queue.cancel', { due_before: dueBefore.toISOString() }),
      )
      print(`Canceled mail to ${canceled} recipients, due before ${isoOf(dueBefore)}.`)
    })
  },
}
