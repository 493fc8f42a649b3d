import { QUEUE_STATES, type QueueState, RETRIED_STATES } from '../../../features/emails/delivery/queue/queue-filter.ts'
import { OperatorError } from '../command.ts'
import { OPERATOR } from '../teams.ts'
import { steering } from './queue-command.ts'

export const queueRetry = steering({
  name: 'retry',
  summary:
    'Try deferred and parked mail now instead of at its next time; destinations that refused our mail, or took none, are asked again',
  isNarrow: false,
  would: 'Would retry',
  did: 'Retrying',
  read({ state }) {
    const names = state === undefined ? [] : String(state).split(',')
    const wrong = names.map((name) => name.trim()).find((name) => isState(name) && !RETRIED_STATES.includes(name))
    if (wrong !== undefined)
      throw new OperatorError(`--state must be one or more of ${RETRIED_STATES.join(',')}, not \`${wrong}\`.`)
    return {}
  },
  narrow: (filter) => ({ ...filter, states: filter.states ?? RETRIED_STATES }),
  async act(db, change) {
    const [{ retryDeferred }, { liftPausesIn, liftPausesOf }] = await Promise.all([
      import('../../../features/emails/delivery/queue/queue-retry.ts'),
      import('../../../features/operator/pauses.ts'),
    ])
    const { states: _states, destination, ...narrower } = change.filter
    const reason = change.reason || 'retried by hand'
    // Whoever retries expects another answer, of those that this mail goes to and of nobody else.
    if (Object.keys(narrower).length > 0)
      return retryDeferred(db, {
        ...change,
        lift: (trx, destinations) => liftPausesOf(trx, OPERATOR, { destinations, reason }),
      })
    const filter = destination === undefined ? {} : { destination }
    await db.transaction((trx) => liftPausesIn(trx, OPERATOR, { filter, reason }))
    return retryDeferred(db, change)
  },
})

const isState = (name: string): name is QueueState => (QUEUE_STATES as readonly string[]).includes(name)
