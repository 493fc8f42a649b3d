import { steering } from './queue-command.ts'

export const queueCancel = steering({
  name: 'cancel',
  summary:
    'Cancel queued mail: of a team, to or from a domain, one email, or what was due before a time, for example after a restore',
  isNarrow: true,
  would: 'Would cancel',
  did: 'Canceled',
  async act(db, change) {
    const { cancelWaiting } = await import('../../../features/emails/delivery/queue/queue.ts')
    return cancelWaiting(db, change)
  },
})
