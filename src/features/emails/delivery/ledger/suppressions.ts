import type { Queryable, Transaction } from '../../../../kernel/db/database.ts'
import { rowsOf } from '../../../../kernel/db/rows.ts'
import { type Sql, sql } from '../../../../kernel/db/sql.ts'
import { record } from '../../../../kernel/outbox/record.ts'
import { newId } from '../../../../platform/ids.ts'
import type { ErasedAddresses } from './erased-addresses.ts'

/** An address that a team must not write to any more, and the email that taught it. */
export interface NewSuppression {
  readonly email: string
  readonly origin: 'bounce' | 'complaint' | 'manual'
  readonly sourceId: string | null
  /** Of one that was on the list of another account before. */
  readonly former?: { readonly id: string; readonly created_at: Date }
}

/** What an event says about a suppression. */
const EVENT = sql`
  json_build_object('id', id, 'email', email, 'origin', origin, 'source_id', source_id,
    'created_at', iso_time(created_at)) as event`

/** Adds the addresses that are not on the team's list yet, each with its event unless it is silent, and returns how many these are. */
export async function addSuppressions(
  trx: Transaction,
  team: string,
  added: readonly NewSuppression[],
  { isSilent = false } = {},
): Promise<number> {
  const clock = trx.clock.of(team)
  const now = clock.now()
  const rows = await trx.query<{ event: object }>(sql.write`
    insert into suppressions (team_id, id, email, origin, source_id, created_at)
    select ${team}, id, email, origin, "sourceId", created_at
    from ${rowsOf(
      added.map(({ former, ...one }) => ({ ...(former ?? { id: newId(clock), created_at: now }), ...one })),
      { id: 'uuid', email: 'text', origin: 'text', sourceId: 'uuid', created_at: 'timestamptz' },
    )}
    on conflict (team_id, lower(email)) do nothing
    returning ${EVENT}`)
  const events = rows.map(({ event }) => event)
  if (!isSilent) await record(trx, team, 'suppression.added', events)
  return rows.length
}

/**
 * Why a team must not write to a recipient, as a part of a statement; null: it may. `erased` is an array of the names that the recipient has
 * on the list if it was erased: one more probe of the same index.
 */
export const originOf = (team: Sql, recipient: Sql, erased: Sql): Sql => sql`
  (select s.origin from suppressions s where s.team_id = ${team} and lower(s.email) = any (lower(${recipient}) || ${erased})
  limit 1)`

/** Some suppressions of a team, by their ids or their addresses. */
export type SuppressionsRef = { readonly ids: readonly string[] } | { readonly emails: readonly string[] }

/** The same with the names of addresses that were erased: who names an address finds it, whatever is left of it. */
export const withErased = (ref: SuppressionsRef, erased: ErasedAddresses): SuppressionsRef =>
  'ids' in ref ? ref : { emails: ref.emails.flatMap((email) => [email, ...erased.namesOf(email)]) }

/** Which of these addresses were erased, and are not to be written to. */
export async function findErased(
  db: Queryable,
  team: string,
  { addresses, erased }: { readonly addresses: readonly string[]; readonly erased: ErasedAddresses },
): Promise<Set<string>> {
  const names = new Map(
    addresses.flatMap((address) => erased.namesFor(address).map((name) => [name, address] as const)),
  )
  const rows = await db.query<{ email: string }>(sql`
    select s.email from suppressions s where s.team_id = ${team} and lower(s.email) = any (${[...names.keys()]}::text[])`)
  return new Set(rows.map(({ email }) => names.get(email)!))
}

/** A condition on the rows of `suppressions`. */
export const areSuppressionsOf = (ref: SuppressionsRef): Sql =>
  'ids' in ref
    ? sql`id = any (${ref.ids}::uuid[])`
    : sql`lower(email) in (select lower(e) from unnest(${ref.emails}::text[]) e)`

/** Removes them, each with its event. */
export async function removeSuppressions(
  trx: Transaction,
  team: string,
  ref: SuppressionsRef,
): Promise<{ id: string }[]> {
  const rows = await trx.query<{ event: { id: string } }>(sql.write`
    delete from suppressions where team_id = ${team} and ${areSuppressionsOf(ref)} returning ${EVENT}`)
  const removed = rows.map(({ event }) => event)
  await record(trx, team, 'suppression.removed', removed)
  return removed
}
