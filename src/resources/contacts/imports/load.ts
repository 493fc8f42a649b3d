import type { Transaction } from '../../../platform/db/database.ts'
import { type Sql, sql } from '../../../platform/db/sql.ts'
import { newId } from '../../../platform/ids.ts'
import { addToSegments, setTopics } from '../queries.ts'
import { type ContactRow, mergeRows } from './contact-row.ts'
import type { ImportPlan } from './schema.ts'

/** Writes contacts in one statement, with their segments and topics, and tells how many were new and how many known. */
export async function loadContacts(trx: Transaction, team: string, rows: readonly ContactRow[], plan: ImportPlan) {
  const none = { created: 0, updated: 0, skipped: 0 }
  if (rows.length === 0) return none
  const isUpsert = plan.onConflict === 'upsert'
  const { loud, silent } = byChoice(distinct(rows, isUpsert))
  const written = [
    ...(await writeContacts(trx, team, loud, isUpsert && sql`excluded.unsubscribed`)),
    ...(await writeContacts(trx, team, silent, isUpsert && sql`c.unsubscribed`)),
  ]
  const ids = [...new Set(written.map(({ id }) => id))] // a contact that both statements touched is there twice
  if (plan.segments.length > 0) await addToSegments(trx, team, ids, plan.segments)
  if (plan.topics.length > 0) await setTopics(trx, team, ids, plan.topics)
  const created = written.filter(({ isNew }) => isNew).length
  const known = rows.length - created
  return { ...none, created, ...(isUpsert ? { updated: known } : { skipped: known }) }
}

function distinct(rows: readonly ContactRow[], isUpsert: boolean): ContactRow[] {
  const byAddress = new Map<string, ContactRow>()
  for (const row of rows) {
    const key = row.email.toLowerCase()
    const earlier = byAddress.get(key)
    byAddress.set(key, earlier ? (isUpsert ? mergeRows(earlier, row) : earlier) : row)
  }
  return [...byAddress.values()]
}

/** Rows that say whether the contact is unsubscribed, and rows that leave it as it is: the statement differs. */
function byChoice(rows: readonly ContactRow[]) {
  return {
    loud: rows.filter(({ unsubscribed }) => unsubscribed !== null),
    silent: rows.filter(({ unsubscribed }) => unsubscribed === null),
  }
}

/** `distinct on`: the database may find two addresses equal that we did not, and a statement must not touch a row twice. */
async function writeContacts(trx: Transaction, team: string, rows: readonly ContactRow[], update: Sql | false) {
  if (rows.length === 0) return []
  const onConflict = update
    ? sql`do update set
        first_name = coalesce(excluded.first_name, c.first_name),
        last_name = coalesce(excluded.last_name, c.last_name),
        unsubscribed = ${update},
        properties = c.properties || excluded.properties,
        updated_at = now()`
    : sql`do nothing`
  return trx.query<{ id: string; isNew: boolean }>(sql`
    insert into contacts as c (team_id, id, email, first_name, last_name, unsubscribed, properties)
    select distinct on (lower(email)) ${team}::uuid, id, email, first_name, last_name, unsubscribed, properties
    from unnest(
      ${rows.map(() => newId())}::uuid[], ${rows.map(({ email }) => email)}::text[],
      ${rows.map(({ first_name }) => first_name)}::text[], ${rows.map(({ last_name }) => last_name)}::text[],
      ${rows.map(({ unsubscribed }) => unsubscribed ?? false)}::boolean[],
      ${rows.map(({ properties }) => JSON.stringify(properties))}::jsonb[]
    ) as given (id, email, first_name, last_name, unsubscribed, properties)
    on conflict (team_id, lower(email)) ${onConflict}
    returning id, xmax = 0 as "isNew"`)
}
