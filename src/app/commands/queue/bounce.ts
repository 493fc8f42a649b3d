import { OperatorError, oneLine } from '../command.ts'
import { reasonOf } from '../team-operations.ts'
import { steering } from './queue-command.ts'

export const queueBounce = steering({
  name: 'bounce',
  summary:
    'Give up on queued mail, with a --reason that its team sees: events and webhooks are those of a bounce, and nobody is suppressed',
  isNarrow: true,
  would: 'Would bounce',
  did: 'Bounced',
  read(flags) {
    if (!reasonOf(flags) && !flags['dry-run'])
      throw new OperatorError('Missing --reason; the team sees it. Example: --reason "The domain is gone for good."')
    return {}
  },
  async act(db, change) {
    const { bounceWaiting } = await import('../../../features/emails/delivery/queue/queue-bounce.ts')
    return bounceWaiting(db, { ...change, reason: oneLine(change.reason) })
  },
})
