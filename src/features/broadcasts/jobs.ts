import type { Transaction } from '../../kernel/db/database.ts'
import { hours, type Job, minutes } from '../../kernel/jobs/job.ts'
import { enqueue, JOBS_CHANNEL } from '../../kernel/jobs/queries.ts'
import { isSandbox } from '../../platform/ids.ts'
import { job } from '../definitions.ts'
import type { ReserveCopies } from '../emails/delivery/acceptance/accept-copies.ts'
import { ErasedAddresses } from '../emails/delivery/ledger/erased-addresses.ts'
import type { Services } from '../services.ts'
import { BATCH_SIZE, expandBatch } from './expand.ts'
import { pauseIfHarmful } from './guard.ts'
import { cancelSome, updateProgress } from './progress.ts'

const FIRST = '00000000-0000-0000-0000-000000000000'
const POLL_MS = 1_000
/** How long a broadcast is expanded before another one that waits for its turn gets it. */
const TURN_MS = 10_000
/** Broadcasts that are expanded side by side: while copies are on their way an expansion mostly waits for free slots. */
const MAX_EXPANSIONS = 16
const JUDGE_EVERY_MS = 5_000
const CANCEL_AGAIN_MS = 5_000
/** A team that is suspended or held, or has sent as much as it may: somebody may change that, or another day begin. */
const WAIT_MS = 60_000
/** Somebody may still be waiting for their email, so it is tried for three days, as mail is. */
const RETRY_SCHEDULE = [1, 5, 30, minutes(2), minutes(10), ...Array<number>(72).fill(hours(1))]

interface Payload {
  readonly team: string
  readonly broadcastId: string
}

/**
 * Makes the recipient emails of a broadcast when its time has come, and looks after it until all of them have been tried. What is over the quota
 * of its team waits until there is room again. May run twice, also at the same time: each batch begins where the last one committed,
 * whoever that was.
 */
export const sendBroadcastJob: Job<Payload, Services> = job<Payload>({
  name: 'broadcasts.send',
  isHoldable: true,
  retryAfterSeconds: RETRY_SCHEDULE,
  concurrency: MAX_EXPANSIONS,
  isReady: ({ sending }) => sending.acceptance.mayExpand,
  async run({ team, broadcastId }, { db, clock, config, sealer, sending, teamStates, signal }) {
    const own = clock.of(team)
    const goOnAt = (trx: Transaction, runAt: Date): Promise<void> =>
      enqueue(trx, sendBroadcastJob, { team, broadcastId }, { runAt, key: broadcastId })
    /** In the time of the team, which says when it may send again, and how much in a second. */
    const goOnAfter = (trx: Transaction, ms: number) => goOnAt(trx, own.toReal(new Date(own.now().getTime() + ms)))
    await teamStates.load()
    if (teamStates.suspensionOf(team) || teamStates.holds.find({ team }) !== null)
      return await db.transaction((trx) => goOnAfter(trx, WAIT_MS))
    const perSecond = teamStates.limitsOf(team).recipientsPerSecond
    const begin = performance.now()
    let judgedAt = Number.NEGATIVE_INFINITY
    /** Looked at once in a run, and in a long one from time to time: the counters change every ten seconds. */
    const isPausedNow = async (trx: Transaction): Promise<boolean> => {
      if (performance.now() - judgedAt < JUDGE_EVERY_MS) return false
      judgedAt = performance.now()
      return pauseIfHarmful(trx, team, broadcastId)
    }
    /** Copies are made where there are free slots for them. */
    const passOn = async (): Promise<'over'> => {
      await db.transaction((trx) => goOnAt(trx, clock.now()))
      db.signals.wakePeers(JOBS_CHANNEL)
      return 'over'
    }
    const expand = async (batch: { most: number | null; reserve: ReserveCopies }): Promise<'expanding' | 'over'> => {
      if (batch.most === 0) return passOn()
      return db.transaction(async (trx) => {
        const now = own.now()
        const status = await expandBatch(trx, team, broadcastId, {
          now,
          most: Math.min(perSecond ?? BATCH_SIZE, batch.most ?? BATCH_SIZE),
          reserve: batch.reserve,
          giveUpAfterSeconds: config.GIVE_UP_AFTER,
          erased: new ErasedAddresses(sealer),
        })
        if (status === 'over') return 'over'
        if (await isPausedNow(trx)) return 'over'
        const progress = await updateProgress(trx, team, broadcastId, now)
        if (status === 'expanding' && perSecond === null) {
          if (performance.now() - begin < TURN_MS) return 'expanding'
          await goOnAt(trx, clock.now())
        }
        if (status === 'over_quota') await goOnAfter(trx, WAIT_MS)
        // A second's worth was made.
        else if (perSecond !== null && status === 'expanding')
          await goOnAfter(trx, Math.min(1, BATCH_SIZE / perSecond) * 1_000)
        // The progress of emails that workers hold is polled in real time, wherever the team's own stands.
        else if (status === 'expanded' && progress === 'sending')
          await goOnAt(trx, new Date(clock.now().getTime() + POLL_MS))
        return 'over'
      })
    }
    let step: 'expanding' | 'over' = 'expanding'
    while (step === 'expanding') {
      signal.throwIfAborted()
      // What a sandbox sends is claimed, whatever there are slots for.
      step = isSandbox(team)
        ? await expand({ most: null, reserve: () => null })
        : await sending.acceptance.acceptCopies(signal, expand)
    }
  },
})

/**
 * Takes what has not left of a canceled broadcast out of the ledger. May run twice: what was taken out is not there to be taken
 * again. Workers give back what they find of it meanwhile, so a second pass follows when they held some.
 */
export const cancelBroadcastJob = job<Payload>({
  name: 'broadcasts.cancel',
  retryAfterSeconds: RETRY_SCHEDULE,
  async run({ team, broadcastId }, { db, clock, signal }) {
    let cursor: string | null = FIRST
    let isSomeHeld = false
    while (cursor !== null) {
      signal.throwIfAborted()
      const after: string = cursor
      const batch = { id: broadcastId, after, now: clock.of(team).now() }
      const done = await db.transaction((trx) => cancelSome(trx, team, batch))
      cursor = done.cursor
      isSomeHeld ||= done.isSomeHeld
    }
    if (!isSomeHeld) return
    const runAt = new Date(clock.now().getTime() + CANCEL_AGAIN_MS)
    await db.transaction((trx) => enqueue(trx, cancelBroadcastJob, { team, broadcastId }, { runAt, key: broadcastId }))
  },
})
