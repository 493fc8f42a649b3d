import type { Transaction } from '../../kernel/db/database.ts'
import type { Actor } from '../../kernel/http/actor.ts'
import { found, Problem } from '../../kernel/http/problem.ts'
import { DELIVERIES_CHANNEL } from './delivery/ledger/queries.ts'
import { cancelTaken, lockStatus, rescheduleTaken, takeWaiting } from './delivery/ledger/unsent.ts'
import { readSchedule } from './schedule.ts'
import type { SendingServices } from './services.ts'

/** What can be done to mail in which status. What waits for approval leaves, or not, as somebody decides. */
const ACTS = { canceled: ['scheduled', 'queued'], rescheduled: ['scheduled'] } as const

/** Only wins while nobody holds a recipient: mail that is being sent is sent. */
async function requireUnsent(trx: Transaction, team: string, { id, act }: { id: string; act: keyof typeof ACTS }) {
  const { taken, all } = await takeWaiting(trx, team, id)
  const status = found(await lockStatus(trx, team, id), 'Email')
  const isOpen = ACTS[act].some((one) => one === status)
  if (!isOpen || taken < all)
    throw new Problem(
      'validation_error',
      `Only scheduled emails can be ${act}; this one is ${isOpen ? 'being sent' : status}.`,
    )
}

export function cancelEmail({ db, clock }: SendingServices, { team }: Actor, id: string) {
  return db.transaction(async (trx) => {
    await requireUnsent(trx, team, { id, act: 'canceled' })
    await cancelTaken(trx, team, { id, now: clock.of(team).now() })
  })
}

export function rescheduleEmail({ db, clock, config }: SendingServices, { team }: Actor, id: string, when: string) {
  const scheduledAt = readSchedule(when, clock.of(team).now())
  return db.transaction(async (trx) => {
    await requireUnsent(trx, team, { id, act: 'rescheduled' })
    await rescheduleTaken(trx, team, id, { scheduledAt, giveUpAfterSeconds: config.GIVE_UP_AFTER })
    trx.announce(DELIVERIES_CHANNEL)
  })
}
