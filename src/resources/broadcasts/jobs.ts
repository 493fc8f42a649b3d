import { hours, minutes } from '../../platform/jobs/job.ts'
import { enqueue } from '../../platform/jobs/queries.ts'
import { job } from '../definitions.ts'
import { cancelSome, noteProgress } from './progress.ts'
import { type Step, walkOn } from './walk.ts'

const FIRST = '00000000-0000-0000-0000-000000000000'
const LOOK_AGAIN_MS = 1_000
const CANCEL_AGAIN_MS = 5_000
/** Somebody may still be waiting for a copy, so it is tried for three days, as mail is. */
const LADDER = [1, 5, 30, minutes(2), minutes(10), ...Array<number>(72).fill(hours(1))]

interface Payload {
  readonly team: string
  readonly broadcastId: string
}

/**
 * Makes the copies of a broadcast when its time has come, and looks after it until all of them have been tried. May run twice, also
 * at the same time: each batch begins where the last one committed, whoever that was.
 */
export const sendCopies = job<Payload>({
  name: 'broadcasts.send',
  isHoldable: true,
  retryAfterSeconds: LADDER,
  async run({ team, broadcastId }, { db, clock, signal }) {
    let step: Step = 'walking'
    while (step === 'walking') {
      signal.throwIfAborted()
      const now = clock.of(team).now()
      step = await db.transaction(async (trx) => {
        const reached = await walkOn(trx, team, broadcastId, now)
        if (reached === 'over') return reached
        const progress = await noteProgress(trx, team, broadcastId, now)
        const isToBeWatched = reached === 'walked' && progress === 'sending'
        if (isToBeWatched)
          await enqueue(
            trx,
            sendCopies,
            { team, broadcastId },
            { runAt: new Date(clock.now().getTime() + LOOK_AGAIN_MS), key: broadcastId },
          )
        return reached
      })
    }
  },
})

/**
 * Takes what has not left of a canceled broadcast out of the ledger. May run twice: what was taken out is not there to be taken
 * again. Workers give back what they find of it meanwhile, so a second look follows when some was in their hands.
 */
export const cancelCopies = job<Payload>({
  name: 'broadcasts.cancel',
  retryAfterSeconds: LADDER,
  async run({ team, broadcastId }, { db, clock, signal }) {
    let reached: string | null = FIRST
    let isSomeHeld = false
    while (reached !== null) {
      signal.throwIfAborted()
      const after: string = reached
      const done = await db.transaction((trx) => cancelSome(trx, team, broadcastId, after, clock.now()))
      reached = done.reached
      isSomeHeld ||= done.isSomeHeld
    }
    if (!isSomeHeld) return
    const runAt = new Date(clock.now().getTime() + CANCEL_AGAIN_MS)
    await db.transaction((trx) => enqueue(trx, cancelCopies, { team, broadcastId }, { runAt, key: broadcastId }))
  },
})
