import { hours, minutes } from '../../kernel/jobs/job.ts'
import { enqueue } from '../../kernel/jobs/queries.ts'
import { retention } from '../../kernel/jobs/retention.ts'
import { groupBy } from '../../platform/group-by.ts'
import { job } from '../definitions.ts'
import { lockInbox } from './filing/lock.ts'
import { deleteMessagesOf, deleteRemains, dropTrashed, findTrashed } from './filing/removal.ts'
import { deleteDraftsOf } from './queries.ts'

/** Messages in a transaction: 1,000 with their words are some 0.2 s. */
const SLICE = 1_000
/** Threads. */
const BATCH = 200
const RETRY_SCHEDULE = [1, 5, 30, minutes(2), minutes(10), ...Array<number>(72).fill(hours(1))]

/** Deletes what an inbox had that is gone. Running it twice goes on with what is left. */
export const deleteInboxRemains = job<{ team: string; inbox: string }>({
  name: 'inboxes.remove',
  retryAfterSeconds: RETRY_SCHEDULE,
  async run({ team, inbox }, { db, inboxHooks, signal }) {
    const remains = [deleteRemains, ...inboxHooks.map((hooks) => hooks.deleteRemains)]
    for (let isMore = true; isMore; ) {
      signal.throwIfAborted()
      isMore = await db.transaction(async (trx) => {
        for (const deleteSome of remains) if (await deleteSome(trx, { team, inbox }, SLICE)) return true
        return false
      })
    }
  },
})

/** Deletes the messages of threads that are gone. Running it twice goes on with those that are left. */
export const deleteThreads = job<{ team: string; inbox: string; threads: readonly string[] }>({
  name: 'inboxes.threads.remove',
  retryAfterSeconds: RETRY_SCHEDULE,
  async run({ team, inbox, threads }, { db, signal }) {
    for (let isMore = true; isMore; ) {
      signal.throwIfAborted()
      isMore = await db.transaction((trx) => deleteMessagesOf(trx, { team, inbox }, threads, SLICE))
    }
  },
})

/** Empties the trash. The emails stay what they are, received or sent. */
export const sweepTrash = retention({
  name: 'inboxes.trash.sweep',
  kind: 'trash',
  async deleteBefore(db, expired) {
    const trashed = await findTrashed(db, { ...expired, limit: BATCH })
    for (const threads of groupBy(trashed, ({ team, inbox }) => `${team} ${inbox}`).values()) {
      const { team, inbox, before } = threads[0]!
      await db.transaction(async (trx) => {
        await lockInbox(trx, team, inbox)
        const ids = threads.map(({ thread }) => thread)
        const dropped = await dropTrashed(trx, { team, inbox }, ids, before)
        if (dropped.length === 0) return
        await deleteDraftsOf(trx, team, dropped)
        await enqueue(trx, deleteThreads, { team, inbox, threads: dropped })
      })
    }
    return trashed.length === BATCH
  },
})
