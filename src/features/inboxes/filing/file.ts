import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Database, Transaction } from '../../../kernel/db/database.ts'
import { sql } from '../../../kernel/db/sql.ts'
import type { Progress } from '../../../kernel/db/team-worker.ts'
import { snippetOf } from '../../../mail/snippet.ts'
import { connectionsOf } from './connections.ts'
import { recordThreadEvents } from './events.ts'
import { type Filed, type FilingEntry, fileInto, threadEventsOf } from './file-into.ts'
import type { FiledArrival, InboxHooks } from './inbox-hooks.ts'
import { type FiledInbox, findInboxes, InboxRouter, ownAddresses } from './inbox-router.ts'
import { loadReceived, loadSent, type Mail } from './load.ts'
import { lockInboxes } from './lock.ts'
import type { FiledMessage } from './message.ts'
import { findPending, type PendingMail, takePending } from './pending.ts'
import { peopleLines, peopleOf } from './people.ts'
import { searchText } from './search-document.ts'
import type { Document } from './store.ts'

/** Looked at in a transaction. Most mail of a team that sends a lot belongs into no inbox. */
export const MAX_PENDING = 500
/** Filed in a transaction, and what they may have together: to read the words of a million characters takes some 0.2 s. */
const MAX_MESSAGES = 50
const MAX_CHARACTERS = 1_000_000

export interface FilingParts {
  readonly db: Database
  readonly inboxHooks: readonly InboxHooks[]
}

export interface FilingOptions {
  /** How much pending mail is looked at. */
  readonly limit?: number
  /** Set: how long to wait for whoever files mail of this team. */
  readonly waitMs?: number
}

/**
 * Files what waits of a team, the oldest first, as much as fits into a transaction. Pending mail leaves the list together with what follows from
 * them, so a crash leaves everything as it was. One at a time for each team: nothing is filed twice, and none waits for the inboxes of another.
 */
export const fileSome = (
  { db, inboxHooks }: FilingParts,
  team: string,
  { limit = MAX_PENDING, waitMs }: FilingOptions = {},
) =>
  db.transaction(async (trx): Promise<Progress> => {
    if (!(await lockFiling(trx, team, waitMs))) return 'elsewhere'
    const pending = await findPending(trx, team, limit)
    if (pending.length === 0) return 'done'
    const router = new InboxRouter(await findInboxes(trx, team, pending))
    const batch = firstOf(pending, (entry) => router.of(entry).length > 0, MAX_MESSAGES)
    const { processed, arrivals } = await file(trx, team, batch, router)
    for (const { onFiled } of inboxHooks) await onFiled(trx, team, arrivals)
    await takePending(trx, team, processed)
    return pending.length === limit || processed.length < pending.length ? 'more' : 'done'
  })

/** Whoever has it, until the transaction ends, is alone with what is filed and what is to be. */
export async function lockFiling(trx: Transaction, team: string, waitMs?: number): Promise<boolean> {
  const key = sql`hashtextextended('inboxes ' || ${team}::text, 0)`
  if (waitMs !== undefined) {
    await trx.query(sql`select set_config('lock_timeout', ${String(Math.ceil(waitMs))}, true)`)
    await trx.query(sql`select pg_advisory_xact_lock(${key})`)
    await trx.query(sql`select set_config('lock_timeout', '0', true)`)
    return true
  }
  const [row] = await trx.query<{ isOurs: boolean }>(sql`select pg_try_advisory_xact_lock(${key}) as "isOurs"`)
  return row!.isOurs
}

/** The items up to so many that are wanted, with those between. */
function firstOf<Item>(items: readonly Item[], isWanted: (item: Item) => boolean, most: number): Item[] {
  let wanted = 0
  const end = items.findIndex((item) => isWanted(item) && ++wanted > most)
  return end < 0 ? [...items] : items.slice(0, end)
}

/** Gives the pending mail that is dealt with, those in front, until there is enough for one transaction; and what of it was received. */
async function file(
  trx: Transaction,
  team: string,
  pending: readonly PendingMail[],
  router: InboxRouter,
): Promise<{ processed: readonly PendingMail[]; arrivals: readonly FiledArrival[] }> {
  const wanted = pending.filter((entry) => router.of(entry).length > 0)
  if (wanted.length === 0) return { processed: pending, arrivals: [] }
  const mails = await load(trx, team, wanted)
  const entries: FilingEntry[] = []
  let characters = 0
  let processed = 0
  for (const entry of pending) {
    if (characters > MAX_CHARACTERS) break
    processed += 1
    const mail = mails.get(entry.email)
    const inboxes = mail ? router.of(entry) : []
    for (const inbox of inboxes) {
      entries.push({ entry, document: documentOf(team, inbox, mail!) })
      characters += mail!.text.length
      // Reading the words of a long text takes milliseconds, and others have something to do, too.
      await nextTurn()
    }
  }
  const filed = await fileEntries(trx, team, entries)
  const received = filed.filter(({ copy }) => copy.document.message.direction === 'inbound')
  const arrivals = received.map(({ inbox, copy }) => ({ inbox, email: copy.entry.email }))
  return { processed: pending.slice(0, processed), arrivals }
}

async function load(trx: Transaction, team: string, pending: readonly PendingMail[]): Promise<Map<string, Mail>> {
  const idsOf = (direction: PendingMail['direction']) =>
    pending.filter((entry) => entry.direction === direction).map(({ email }) => email)
  const [received, sent] = [idsOf('inbound'), idsOf('outbound')]
  const mails = [
    ...(received.length > 0 ? await loadReceived(trx, team, received) : []),
    ...(sent.length > 0 ? await loadSent(trx, team, sent) : []),
  ]
  return new Map(mails.map((mail) => [mail.id, mail]))
}

function documentOf(team: string, inbox: FiledInbox, mail: Mail): Document {
  const message: FiledMessage = { ...mail, team, inbox: inbox.id }
  return {
    message,
    snippet: snippetOf(message.text),
    search: searchText(message),
    lines: peopleLines(message),
    people: peopleOf(message),
    connections: connectionsOf(message, ownAddresses(inbox)),
  }
}

/** Under the locks of the inboxes. One that was deleted meanwhile takes nothing in. */
async function fileEntries(trx: Transaction, team: string, entries: readonly FilingEntry[]): Promise<readonly Filed[]> {
  const wanted = [...new Set(entries.map(({ document }) => document.message.inbox))]
  const filed: Filed[] = []
  for (const inbox of await lockInboxes(trx, team, wanted)) {
    const own = entries.filter(({ document }) => document.message.inbox === inbox)
    filed.push(...(await fileInto(trx, { team, inbox }, own)))
  }
  await recordThreadEvents(trx, threadEventsOf(team, filed))
  return filed
}
