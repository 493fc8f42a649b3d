import type { Static } from 'typebox'
import type { Actor } from '../../../kernel/http/actor.ts'
import { requireInbox, sourceOf } from '../actions.ts'
import { labelThreads } from '../filing/changes.ts'
import { lockInbox } from '../filing/lock.ts'
import { threadSummaries } from '../filing/shown.ts'
import { requireLabels } from '../labels/actions.ts'
import { applyChanges } from './actions.ts'
import { findCurrentIds } from './queries.ts'
import type { UpdatedThreads, UpdateThreads } from './schema.ts'
import type { InboxesThreadsServices } from './services.ts'

/** Changes many threads of an inbox in one transaction. Deleted ones are reported, and the others are changed. */
export async function changeThreads(
  { db }: InboxesThreadsServices,
  actor: Actor,
  inbox: string,
  { ids, add_labels: add = [], remove_labels: remove = [], ...changes }: Static<typeof UpdateThreads>,
): Promise<Static<typeof UpdatedThreads>> {
  const { team } = actor
  return db.transaction(async (trx) => {
    const { id } = await requireInbox(trx, team, inbox)
    await lockInbox(trx, team, id)
    const ref = { team, inbox: id }
    await requireLabels(trx, ref, [...add, ...remove])
    const named = await findCurrentIds(trx, ref, ids)
    const threads = [...new Set(named.filter((thread) => thread !== null))]
    await applyChanges(trx, { ...ref, threads }, { actor, changes })
    if (add.length + remove.length > 0) await labelThreads(trx, { ...ref, threads }, { add, remove }, sourceOf(actor))
    const shown = await threadSummaries(trx, team, threads)
    return {
      data: threads.map((thread) => shown.get(thread)!),
      errors: ids.flatMap((one, index) =>
        named[index] === null ? [{ index, id: one, message: 'Thread not found' }] : [],
      ),
    }
  })
}
