import type { Database, Transaction } from '../../kernel/db/database.ts'
import type { Actor } from '../../kernel/http/actor.ts'
import { found, Problem } from '../../kernel/http/problem.ts'
import { isSandbox } from '../../platform/ids.ts'
import type { Config } from '../../platform/settings/config.ts'
import { deleteEmails } from '../emails/delivery/ledger/removal.ts'
import { deleteReceived } from '../inbound/intake/removal.ts'
import { lockFiling } from '../inboxes/filing/file.ts'
import { removeMessages as removeFiled } from '../inboxes/filing/removal.ts'
import { deleteFacts, foldEvents } from '../metrics/index.ts'
import type { Services } from '../services.ts'
import { findFitting, type Search } from './finding.ts'
import { deleteMarks, findHeads } from './queries.ts'
import { requireWords } from './search.ts'
import type { ReleaseServices } from './services.ts'

/** In one transaction. */
const BATCH = 200
/** Of all that is deleted at once: proxies wait for a minute. */
const MAX_REMOVAL_MS = 40_000
const MAX_FOLDED = 20_000
const FILING_WAIT_MS = 10_000

/** Mail that was for real people is kept as long as the retention says. */
export function requireDeletable(config: Config, team: string) {
  if (config.DELIVERY === 'inbox' || isSandbox(team)) return
  throw new Problem(
    'not_in_this_mode',
    'Messages can be deleted in sandboxes and in inbox mode (POSTWREN_DELIVERY=inbox).',
  )
}

export async function removeMessage(services: ReleaseServices, actor: Actor, id: string): Promise<void> {
  const { team } = actor
  requireDeletable(services.config, team)
  // Asked first: whoever names none has changed nothing, and nothing of it is in the audit log.
  found((await findHeads(services.db, [{ team, id }]))[0], 'Message')
  found((await removeSome(services, team, [id])) > 0, 'Message')
}

/** Deletes those of these messages that there are. An email that is scheduled is none yet. */
export async function removeListed(services: ReleaseServices, { team }: Actor, ids: readonly string[]): Promise<void> {
  requireDeletable(services.config, team)
  for (let at = 0; at < ids.length; at += BATCH) {
    const some = ids.slice(at, at + BATCH).map((id) => ({ team, id }))
    const there = (await findHeads(services.db, some)).map(({ id }) => id)
    if (there.length > 0) await removeSome(services, team, there)
  }
}

/** Deletes what fits, the newest first: what comes meanwhile stays. `isCut`: there was no time for all of it. */
export async function removeMessages(
  services: ReleaseServices,
  { team }: Actor,
  search: Search,
): Promise<{ deleted: number; isCut: boolean }> {
  requireDeletable(services.config, team)
  requireWords(team, search.filter.q)
  const begin = performance.now()
  let deleted = 0
  for (let cursor: string | null = null; ; ) {
    const heads = await findFitting(services.db, team, { ...search, cursor, isOlder: true, amount: BATCH })
    if (heads.length === 0) return { deleted, isCut: false }
    deleted += await removeSome(
      services,
      team,
      heads.map(({ id }) => id),
    )
    cursor = heads.at(-1)!.id
    if (performance.now() - begin > MAX_REMOVAL_MS) return { deleted, isCut: true }
  }
}

/** Deletes messages with what the metrics know of each, and returns how many there were. What was counted stays counted. */
export const removeWithFacts = (db: Database, team: string, ids: readonly string[]): Promise<number> =>
  removeSome({ db, andTheir: (trx, gone) => deleteFacts(trx, team, gone) }, team, ids)

/** Deletes messages, and returns how many there were. `andTheir` deletes more of them in the same transaction. */
export async function removeSome(
  {
    db,
    andTheir,
  }: Pick<Services, 'db'> & {
    readonly andTheir?: (trx: Transaction, gone: readonly string[]) => Promise<unknown>
  },
  team: string,
  ids: readonly string[],
): Promise<number> {
  // Which domain an event counts for is what its email says.
  await foldEvents(db, team, MAX_FOLDED)
  return db.transaction(async (trx) => {
    await lockFiling(trx, team, FILING_WAIT_MS)
    const gone = [...(await deleteEmails(trx, team, ids)), ...(await deleteReceived(trx, team, ids))]
    if (gone.length === 0) return 0
    await removeFiled(trx, team, gone)
    await deleteMarks(trx, team, gone)
    await andTheir?.(trx, gone)
    return gone.length
  })
}
