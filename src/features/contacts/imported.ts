import type { Transaction } from '../../kernel/db/database.ts'
import { rowsOf } from '../../kernel/db/rows.ts'
import { type Sql, sql } from '../../kernel/db/sql.ts'
import { datedId, type Imported, keptId, type Provenance } from '../imported.ts'
import { withinLimit } from './imports/load.ts'

/** A contact of another account. Undefined: nothing is known about that. */
export interface ImportedContact extends Provenance {
  readonly email: string
  readonly first_name: string | null
  readonly last_name: string | null
  readonly unsubscribed: boolean
  /** Values by the id of their property here. */
  readonly properties?: Readonly<Record<string, string | number>>
  /** Ids of segments here. */
  readonly segments?: readonly string[]
  /** Ids of topics here. */
  readonly topics?: readonly { readonly id: string; readonly subscription: 'opt_in' | 'opt_out' }[]
}

export type ImportedContactOutcome = Imported['outcome'] | 'over_limit'

/**
 * Writes contacts of another account and returns what became of each. An address that is known keeps its contact and what the account does not
 * say; what it says is added. Who has unsubscribed, there or here, stays so: nobody gets mail again because of an import. No events: nothing has
 * happened to these people now.
 */
export async function importContacts(
  trx: Transaction,
  team: string,
  contacts: readonly ImportedContact[],
  { isNewId = false }: { readonly isNewId?: boolean } = {},
): Promise<ImportedContactOutcome[]> {
  const distinct = [...new Map(contacts.map((contact) => [contact.email.toLowerCase(), contact])).values()]
  const rows = distinct.map((contact) => ({ ...contact, id: isNewId ? datedId(contact) : keptId(contact) }))
  const fitting = new Set(await withinLimit(trx, team, rows))
  const within = rows.filter((row) => fitting.has(row))
  const changed = new Map<string, Imported['outcome']>()
  const note = (found: readonly { email: string }[]) => {
    for (const { email } of found) if (!changed.has(email)) changed.set(email, 'updated')
  }

  if (!isNewId) note(await moveAddresses(trx, team, within))
  const written = await writeContacts(trx, team, await withFreeIds(trx, team, within))
  for (const { email, isNew } of written) changed.set(email, isNew ? 'created' : (changed.get(email) ?? 'updated'))
  note(await joinSegments(trx, team, within))
  note(await chooseTopics(trx, team, within))

  const isWithin = new Set(within.map(({ email }) => email.toLowerCase()))
  return contacts.map(({ email }) => {
    const address = email.toLowerCase()
    if (!isWithin.has(address)) return 'over_limit'
    const outcome = changed.get(address) ?? 'unchanged'
    // An address that is there twice in a list is one contact, which is created once.
    if (outcome === 'created') changed.set(address, 'unchanged')
    return outcome
  })
}

type Row = ImportedContact

/** Somebody whose address was changed in the account since they came from there: known by the id, if the new address is nobody's. */
const moveAddresses = (trx: Transaction, team: string, rows: readonly Row[]) =>
  trx.query<{ email: string }>(sql.write`
    update contacts c set email = given.email, updated_at = ${trx.clock.of(team).now()}
    from ${rowsOf(rows, { id: 'uuid', email: 'text' })}
    where c.team_id = ${team} and c.id = given.id and lower(c.email) <> lower(given.email) and not exists (
      select from contacts other where other.team_id = ${team} and lower(other.email) = lower(given.email))
    returning lower(c.email) as email`)

/** An id that another contact has is not taken from it. */
async function withFreeIds(trx: Transaction, team: string, rows: readonly Row[]): Promise<Row[]> {
  const taken = await trx.query<{ id: string; email: string }>(sql`
    select id, lower(email) as email from contacts where team_id = ${team} and id = any (${rows.map(({ id }) => id)}::uuid[])`)
  const owners = new Map(taken.map(({ id, email }) => [id, email]))
  return rows.map((row) => {
    const owner = owners.get(row.id)
    const isFree = owner === undefined || owner === row.email.toLowerCase()
    if (owner === undefined) owners.set(row.id, row.email.toLowerCase())
    return isFree ? row : { ...row, id: datedId(row) }
  })
}

/** `distinct on`: the database may find two addresses equal that we did not, and a statement must not touch a row twice. */
const writeContacts = (trx: Transaction, team: string, rows: readonly Row[]) =>
  trx.query<{ email: string; isNew: boolean }>(sql.write`
    insert into contacts as c (team_id, id, email, first_name, last_name, unsubscribed, properties, created_at, updated_at)
    select distinct on (lower(email)) ${team}::uuid, id, email, first_name, last_name, unsubscribed, properties, created_at, created_at
    from ${rowsOf(
      rows.map((row) => ({ ...row, properties: row.properties ?? {} })),
      {
        id: 'uuid',
        email: 'text',
        first_name: 'text',
        last_name: 'text',
        unsubscribed: 'boolean',
        properties: 'jsonb',
        created_at: 'timestamptz',
      },
    )}
    on conflict (team_id, lower(email)) do update set
      first_name = coalesce(excluded.first_name, c.first_name),
      last_name = coalesce(excluded.last_name, c.last_name),
      unsubscribed = c.unsubscribed or excluded.unsubscribed,
      properties = c.properties || excluded.properties,
      updated_at = ${trx.clock.of(team).now()}
    where c.first_name is distinct from coalesce(excluded.first_name, c.first_name)
      or c.last_name is distinct from coalesce(excluded.last_name, c.last_name)
      or (excluded.unsubscribed and not c.unsubscribed)
      or c.properties is distinct from c.properties || excluded.properties
    returning lower(c.email) as email, xmax = 0 as "isNew"`)

async function joinSegments(trx: Transaction, team: string, rows: readonly Row[]): Promise<{ email: string }[]> {
  const pairs = rows.flatMap(({ email, segments = [] }) => segments.map((segment) => ({ email, segment })))
  return pairs.length === 0 ? [] : trx.query<{ email: string }>(insertMemberships(trx, team, pairs))
}

const insertMemberships = (trx: Transaction, team: string, pairs: readonly { email: string; segment: string }[]): Sql =>
  sql.write`
    with joined as (
      insert into contact_segments (team_id, contact_id, segment_id, created_at)
      select distinct c.team_id, c.id, given.segment, ${trx.clock.of(team).now()}::timestamptz
      from ${rowsOf(pairs, { email: 'text', segment: 'uuid' })}
      join contacts c on c.team_id = ${team} and lower(c.email) = lower(given.email)
      on conflict do nothing returning team_id, contact_id)
    select distinct lower(c.email) as email from joined join contacts c on c.team_id = joined.team_id and c.id = joined.contact_id`

/** Makes members of addresses that are contacts here; returns how many of these were none before. */
export async function importMembers(
  trx: Transaction,
  team: string,
  segment: string,
  emails: readonly string[],
): Promise<number> {
  const pairs = emails.map((email) => ({ email, segment }))
  return pairs.length === 0 ? 0 : (await trx.query(insertMemberships(trx, team, pairs))).length
}

/** A choice that says what the default of the topic says anyway is not kept; one against a topic is, whatever the other side says. */
async function chooseTopics(trx: Transaction, team: string, rows: readonly Row[]): Promise<{ email: string }[]> {
  const choices = rows.flatMap(({ email, topics = [] }) =>
    topics.map(({ id, subscription }) => ({ email, topic: id, subscription })),
  )
  if (choices.length === 0) return []
  return trx.query<{ email: string }>(sql.write`
    with chosen as (
      insert into contact_topics as known (team_id, contact_id, topic_id, subscription, updated_at)
      select distinct on (c.id, t.id) c.team_id, c.id, t.id, given.subscription, ${trx.clock.of(team).now()}::timestamptz
      from ${rowsOf(choices, { email: 'text', topic: 'uuid', subscription: 'text' })}
      join contacts c on c.team_id = ${team} and lower(c.email) = lower(given.email)
      join topics t on t.team_id = ${team} and t.id = given.topic
      left join contact_topics before on before.team_id = c.team_id and before.contact_id = c.id and before.topic_id = t.id
      where before.subscription is not null or given.subscription <> t.default_subscription
      order by c.id, t.id, given.subscription desc
      on conflict (team_id, contact_id, topic_id) do update set
        subscription = excluded.subscription, updated_at = excluded.updated_at
      where known.subscription = 'opt_in' and excluded.subscription = 'opt_out'
      returning team_id, contact_id)
    select distinct lower(c.email) as email from chosen join contacts c on c.team_id = chosen.team_id and c.id = chosen.contact_id`)
}
