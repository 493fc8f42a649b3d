import type { Actor } from '../../kernel/http/actor.ts'
import { found } from '../../kernel/http/problem.ts'
import { readWhatArrived } from '../inbound/index.ts'
import { findFitting, type Part } from './finding.ts'
import { type Item, itemsOf } from './items.ts'
import type { MessageFilter } from './match.ts'
import { findMessage, type WholeMessage } from './present.ts'
import { findHeads, type Marks, writeMarks } from './queries.ts'
import { requireWords } from './search.ts'
import type { MessagesServices } from './services.ts'

export { findMessage, type WholeMessage } from './present.ts'
export { releaseMessage } from './release.ts'
export { removeMessage, removeMessages } from './removal.ts'

/**
 * Messages of the actor's team that fit, sent and received, as lists show them: from the newest to the oldest, or from a cursor on in
 * either direction. What has just arrived is among them.
 */
export async function listMessages(
  services: MessagesServices,
  actor: Actor,
  filter: MessageFilter,
  part: Part,
): Promise<Item[]> {
  await readWhatArrived(services, actor)
  return itemsOf(services.db, actor.team, await findFitting(services.db, actor.team, { filter, ...part }))
}

export const requireMessage = async (services: MessagesServices, { team }: Actor, id: string): Promise<WholeMessage> =>
  found(await findMessage(services, team, id), 'Message')

/** Marks those of these messages that there are, and gives their ids. What is left out of the marks stays as it is. */
export async function markMessages(
  { db }: MessagesServices,
  { team }: Actor,
  ids: readonly string[],
  marks: Marks,
): Promise<string[]> {
  const heads = await findHeads(
    db,
    ids.map((id) => ({ team, id })),
  )
  const known = heads.map(({ id }) => id)
  if (known.length > 0) await writeMarks(db, team, known, marks)
  return known
}

/** In one statement. */
const BATCH = 200
/** Of all that is marked at once: proxies wait for a minute. */
const MAX_UPDATE_MS = 40_000

/** Marks what fits, the newest first: what comes meanwhile stays as it is. `isCut`: there was no time for all of it. */
export async function markFitting(
  services: MessagesServices,
  actor: Actor,
  filter: MessageFilter,
  marks: Marks,
): Promise<{ updated: number; isCut: boolean }> {
  requireWords(actor.team, filter.q)
  const begin = performance.now()
  let updated = 0
  for (let cursor: string | null = null; ; ) {
    const heads = await findFitting(services.db, actor.team, { filter, cursor, isOlder: true, amount: BATCH })
    const ids = heads.map(({ id }) => id)
    updated += (await markMessages(services, actor, ids, marks)).length
    if (heads.length < BATCH) return { updated, isCut: false }
    cursor = ids.at(-1)!
    if (performance.now() - begin > MAX_UPDATE_MS) return { updated, isCut: true }
  }
}
