import type { Transaction } from '../../../kernel/db/database.ts'
import { rowsOf } from '../../../kernel/db/rows.ts'
import { raw, sql } from '../../../kernel/db/sql.ts'
import { assignments, columnType, isNullable } from '../../../kernel/http/columns.ts'
import { newId } from '../../../platform/ids.ts'
import { lockCount } from '../../limits/object-limits.ts'
import { merged, mergeRows } from '../merge.ts'
import { addMemberships, addToSegments, setChoices, setTopics } from '../queries.ts'
import { ContactFields } from '../schema.ts'
import type { ContactRow } from './contact-row.ts'
import { CONTACT_COLUMNS, type ContactColumn, type ImportPlan } from './schema.ts'

/** Writes contacts in one statement, with their segments and topics, and returns how many were new and how many known. */
export async function loadContacts(trx: Transaction, team: string, rows: readonly ContactRow[], plan: ImportPlan) {
  const none = { created: 0, updated: 0, skipped: 0 }
  if (rows.length === 0) return none
  const isUpsert = plan.onConflict === 'upsert'
  const written = []
  for (const { columns, rows: alike } of byColumns(distinct(rows, isUpsert)))
    written.push(...(await writeContacts(trx, team, { rows: alike, columns, isUpsert })))
  const ids = [...new Set(written.map(({ id }) => id))] // a contact that both statements touched is there twice
  if (plan.segments.length > 0) await addToSegments(trx, team, ids, plan.segments)
  if (plan.topics.length > 0) await setTopics(trx, team, ids, plan.topics)
  await writeRowLinks(trx, team, rows, written)
  const created = written.filter(({ isNew }) => isNew).length
  const known = rows.length - created
  return { ...none, created, ...(isUpsert ? { updated: known } : { skipped: known }) }
}

/** What each row says of its own contact, where that was written. */
async function writeRowLinks(
  trx: Transaction,
  team: string,
  rows: readonly ContactRow[],
  written: readonly { id: string; email: string }[],
) {
  const ids = new Map(written.map(({ id, email }) => [email, id]))
  const own = rows.flatMap((row) => {
    const contact = ids.get(row.email.toLowerCase())
    return contact ? [{ ...row, contact }] : []
  })
  await addMemberships(
    trx,
    team,
    own.flatMap(({ contact, segments = [] }) => segments.map((segment) => ({ contact, segment }))),
  )
  await setChoices(
    trx,
    team,
    own.flatMap(({ contact, topics = [] }) => topics.map((choice) => ({ contact, ...choice }))),
  )
}

/** The rows that a team has room for: about contacts that it has, and the first of those that are new. The others fail. */
export async function withinLimit<Row extends { readonly email: string }>(
  trx: Transaction,
  team: string,
  rows: readonly Row[],
): Promise<readonly Row[]> {
  const found = await lockCount(trx, team, 'contacts')
  if (!found || found.limit - found.count >= rows.length) return rows
  const addresses = [...new Set(rows.map(({ email }) => email.toLowerCase()))]
  const known = await trx.query<{ email: string }>(sql`
    select lower(email) as email from contacts where team_id = ${team} and lower(email) = any (${addresses}::text[])`)
  const allowed = new Set(known.map(({ email }) => email))
  let left = Math.max(0, found.limit - found.count)
  for (const address of addresses) if (left > 0 && !allowed.has(address) && allowed.add(address)) left--
  return rows.filter(({ email }) => allowed.has(email.toLowerCase()))
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

/** Those that cannot be empty: a row that says nothing about one leaves it to the contact, or else to the database. */
const NEVER_NULL = CONTACT_COLUMNS.filter((name) => !isNullable(ContactFields.properties[name]))

/** Rows that say something about the same columns: each such set is a statement of its own. */
function byColumns(rows: readonly ContactRow[]) {
  const sets = new Map<string, { columns: ContactColumn[]; rows: ContactRow[] }>()
  for (const row of rows) {
    const columns = CONTACT_COLUMNS.filter((name) => row[name] !== null || !NEVER_NULL.includes(name))
    const key = columns.join()
    const known = sets.get(key)
    if (known) known.rows.push(row)
    else sets.set(key, { columns, rows: [row] })
  }
  return sets.values()
}

/** `distinct on`: the database may find two addresses equal that we did not, and a statement must not touch a row twice. */
function writeContacts(
  trx: Transaction,
  team: string,
  {
    rows,
    columns,
    isUpsert,
  }: {
    readonly rows: readonly ContactRow[]
    readonly columns: readonly ContactColumn[]
    readonly isUpsert: boolean
  },
) {
  const types = Object.fromEntries(columns.map((name) => [name, columnType(ContactFields.properties[name])]))
  const names = raw([...columns, 'properties'].map((name) => `"${name}"`).join(', '))
  const clock = trx.clock.of(team)
  const now = clock.now()
  const identityOf = ({ created_at }: ContactRow) =>
    created_at && created_at < now
      ? { id: newId({ now: () => created_at, isSandbox: clock.isSandbox }), created_at }
      : { id: newId(clock), created_at: now }
  const changes = merged([...columns, 'properties'])
  const onConflict = isUpsert ? sql`do update set ${assignments(changes, now)}` : sql`do nothing`
  return trx.query<{ id: string; email: string; isNew: boolean }>(sql.write`
    insert into contacts as c (team_id, id, created_at, updated_at, ${names})
    select distinct on (lower(email)) ${team}::uuid, id, created_at, ${now}::timestamptz, ${names}
    from ${rowsOf(
      rows.map((row) => ({ ...row, ...identityOf(row) })),
      { id: 'uuid', created_at: 'timestamptz', ...types, properties: 'jsonb' },
    )}
    on conflict (team_id, lower(email)) ${onConflict}
    returning id, lower(email) as email, xmax = 0 as "isNew"`)
}
