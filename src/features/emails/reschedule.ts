import type { Transaction } from '../../kernel/db/database.ts'
import { withMovedRows } from '../../kernel/db/with-retries.ts'
import type { Actor } from '../../kernel/http/actor.ts'
import { found, Problem } from '../../kernel/http/problem.ts'
import { DELIVERIES_CHANNEL } from './delivery/ledger/queries.ts'
import { cancelTaken, lockStatus, rescheduleTaken, takeWaiting } from './delivery/ledger/unsent.ts'
import { readSchedule } from './schedule.ts'
import type { SendingServices } from './services.ts'

/** Only wins while nobody holds a recipient: mail that is being sent is sent. */
async function requireScheduled(trx: Transaction, team: string, id: string, act: string) {
  const { taken, all } = await takeWaiting(trx, team, id)
  const status = found(await lockStatus(trx, team, id), 'Email')
  if (status !== 'scheduled' || taken < all)
    throw new Problem(
      'validation_error',
      `Only scheduled emails can be ${act}; this one is ${status === 'scheduled' ? 'being sent' : status}.`,
    )
}

export function cancelEmail({ db, clock }: SendingServices, { team }: Actor, id: string) {
  return withMovedRows(() =>
    db.transaction(async (trx) => {
      await requireScheduled(trx, team, id, 'canceled')
      await cancelTaken(trx, team, id, clock.of(team).now())
    }),
  )
}

export function rescheduleEmail({ db, clock, config }: SendingServices, { team }: Actor, id: string, when: string) {
  const scheduledAt = readSchedule(when, clock.of(team).now())
  return withMovedRows(() =>
    db.transaction(async (trx) => {
      await requireScheduled(trx, team, id, 'rescheduled')
      await rescheduleTaken(trx, team, id, { scheduledAt, giveUpAfterSeconds: config.GIVE_UP_AFTER })
      trx.announce(DELIVERIES_CHANNEL)
    }),
  )
}
