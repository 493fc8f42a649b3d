import type { Static } from 'typebox'
import type { Queryable } from '../../kernel/db/database.ts'
import { rowsOf } from '../../kernel/db/rows.ts'
import { anyTeam, join, raw, type Sql, sql } from '../../kernel/db/sql.ts'
import { assignments, columnsOf, columnValues, differences, insertion, newRow } from '../../kernel/http/columns.ts'
import type { Rows } from '../../kernel/http/rows.ts'
import { lookUp } from '../../kernel/search/find.ts'
import type { ContactValues } from '../automations/engine/values.ts'
import { TOPICS } from '../topics/reads.ts'
import { merged } from './merge.ts'
import {
  CONTACT_INCLUDES,
  Contact,
  ContactFields,
  type ContactInclude,
  ContactItem,
  MAX_COUNTED_CONTACTS,
  MAX_COUNTED_SEGMENTS,
  type TopicChoice,
} from './schema.ts'

const ITEM_COLUMNS = columnsOf(ContactItem, 'c')

/** What is said of a contact `c` besides its own fields. */
const INCLUDED: Readonly<Record<ContactInclude, Sql>> = {
  // Values whose property is gone are not shown: they belong to nothing.
  properties: sql`coalesce((
    select json_object_agg(p.key, json_build_object('type', p.type, 'value', c.properties -> p.id::text) order by p.key)
    from contact_properties p where p.team_id = c.team_id and c.properties ? p.id::text), '{}')`,
  segments: sql`coalesce((
    select json_agg(json_build_object('id', s.id, 'name', s.name) order by s.id)
    from contact_segments mine join segments s on s.team_id = mine.team_id and s.id = mine.segment_id
    where mine.team_id = c.team_id and mine.contact_id = c.id), '[]')`,
  topics: sql`coalesce((
    select json_agg(json_build_object('id', t.id, 'name', t.name, 'subscription', own.subscription) order by t.id)
    from contact_topics own join ${TOPICS} t on t.team_id = own.team_id and t.id = own.topic_id
    where own.team_id = c.team_id and own.contact_id = c.id), '[]')`,
}

const CONTACT_COLUMNS = columnsOf(Contact, 'c', { properties: INCLUDED.properties })

/** The columns of items of the list with what else is asked for, in one order whatever the caller's. */
function itemColumns(include: readonly ContactInclude[]): Sql {
  const more = CONTACT_INCLUDES.filter((name) => include.includes(name))
  return join([ITEM_COLUMNS, ...more.map((name) => sql`${INCLUDED[name]} as ${raw(`"${name}"`)}`)], ', ')
}

export const contactRows = (team: string, include: readonly ContactInclude[] = []): Rows => ({
  columns: include.length === 0 ? ITEM_COLUMNS : itemColumns(include),
  from: sql`contacts c`,
  where: sql`c.team_id = ${team}`,
  id: sql`c.id`,
})

/** Sorted by the membership's column, so that one index finds, sorts and starts at the cursor. */
export const segmentContactRows = (team: string, segment: string, include: readonly ContactInclude[] = []): Rows => ({
  columns: include.length === 0 ? ITEM_COLUMNS : itemColumns(include),
  from: sql`contact_segments m join contacts c on c.team_id = ${anyTeam(team)} and c.id = m.contact_id`,
  where: sql`m.team_id = ${team} and m.segment_id = ${segment}`,
  id: sql`m.contact_id`,
})

/** The contact of a search document `d`, if it is in the segment. */
export function joinContactOf(team: string, segment: string | undefined): Sql {
  const contact = lookUp(sql`c`, sql`contacts c where c.team_id = ${team} and c.id = d.id`)
  if (segment === undefined) return contact
  const membership = sql`
    contact_segments m where m.team_id = ${team} and m.segment_id = ${segment} and m.contact_id = d.id`
  return sql`${contact} ${lookUp(sql`m`, membership)}`
}

/** One contact of a team, by its id or its address. With an audience: only if it is in that. */
export type ContactRef = ({ readonly id: string } | { readonly email: string }) & { readonly audience?: string }

function isContactOf(ref: ContactRef): Sql {
  const isNamed = 'id' in ref ? sql`c.id = ${ref.id}` : sql`lower(c.email) = lower(${ref.email})`
  if (ref.audience === undefined) return isNamed
  return sql`${isNamed} and exists (
    select 1 from contact_segments m where m.team_id = c.team_id and m.contact_id = c.id and m.segment_id = ${ref.audience})`
}

export async function findContact(db: Queryable, team: string, ref: ContactRef) {
  const [contact] = await db.query<Static<typeof Contact>>(sql`
    select ${CONTACT_COLUMNS} from contacts c where c.team_id = ${team} and ${isContactOf(ref)}`)
  return contact
}

export async function isContact(db: Queryable, team: string, id: string): Promise<boolean> {
  const rows = await db.query(sql`select id from contacts where team_id = ${team} and id = ${id}`)
  return rows.length > 0
}

/** Locks the contact for the transaction: changes to it and to what hangs on it come one after the other. */
export async function lockContact(db: Queryable, team: string, ref: ContactRef): Promise<string | undefined> {
  const [contact] = await db.query<{ id: string }>(sql`
    select c.id from contacts c where c.team_id = ${team} and ${isContactOf(ref)} for update`)
  return contact?.id
}

/** What became of a contact that was to be there. */
export interface Upserted {
  readonly id: string
  readonly isNew: boolean
  readonly isChanged: boolean
}

/** A contact with this address is there afterwards; one that was there before keeps what is not given now. */
export async function upsertContact(
  db: Queryable,
  team: string,
  contact: Static<typeof ContactFields>,
  properties: object,
): Promise<Upserted> {
  const values = { ...columnValues(ContactFields, contact), properties }
  const afterwards = merged(Object.keys(values))
  const row = newRow(db, team)
  const [written] = await db.query<{ id: string; isNew: boolean }>(sql.write`
    insert into contacts as c ${insertion({ ...row, ...values })}
    on conflict (team_id, lower(email)) do update set ${assignments(afterwards, row.updated_at)}
    where ${differences(afterwards, 'c')}
    returning id, xmax = 0 as "isNew"`)
  if (written) return { ...written, isChanged: !written.isNew }
  // It has the values asked for, and is locked by now.
  const [same] = await db.query<{ id: string }>(sql`
    select id from contacts where team_id = ${team} and lower(email) = lower(${contact.email})`)
  return { id: same!.id, isNew: false, isChanged: false }
}

/** False when nothing had to change. */
export async function updateContact(
  db: Queryable,
  team: string,
  {
    id,
    changes,
    properties,
  }: {
    readonly id: string
    readonly changes: Partial<Static<typeof ContactFields>>
    readonly properties: { readonly set: object; readonly removed: string[] }
  },
): Promise<boolean> {
  const values = columnValues(ContactFields, changes)
  const after = sql`(c.properties || ${properties.set}) - ${properties.removed}::text[]`
  const rows = await db.query(sql.write`
    update contacts c set ${assignments(values, db.clock.of(team).now())}, properties = ${after}
    where team_id = ${team} and id = ${id} and (${differences(values, 'c')} or c.properties is distinct from ${after})
    returning id`)
  return rows.length > 0
}

export const deleteContacts = (db: Queryable, team: string, ids: readonly string[]) =>
  db.query(sql.write`delete from contacts where team_id = ${team} and id = any (${ids}::uuid[])`)

/** Contacts with nothing but an address, those that are none yet. Returns the ids of the new ones. */
export async function insertContacts(db: Queryable, team: string, emails: readonly string[]): Promise<string[]> {
  const rows = emails.map((email) => ({ ...newRow(db, team), email }))
  const written = await db.query<{ id: string }>(sql.write`
    insert into contacts (team_id, id, email, created_at, updated_at)
    select team_id, id, email, created_at, updated_at
    from ${rowsOf(rows, { team_id: 'uuid', id: 'uuid', email: 'text', created_at: 'timestamptz', updated_at: 'timestamptz' })}
    on conflict (team_id, lower(email)) do nothing returning id`)
  return written.map(({ id }) => id)
}

/** What can be said about contacts, for those who fill it in somewhere: with the values of properties under their keys. */
export const findValues = (
  db: Queryable,
  team: string,
  { ids, emails }: { ids: readonly string[]; emails: readonly string[] },
) =>
  db.query<ContactValues>(sql`
    select c.id, c.email, c.first_name, c.last_name, c.unsubscribed, iso_time(c.created_at) as created_at,
      case when c.properties = '{}' then '{}' else coalesce((
        select json_object_agg(p.key, c.properties -> p.id::text) from contact_properties p
        where p.team_id = c.team_id and c.properties ? p.id::text), '{}') end as properties
    from contacts c where c.team_id = ${team} and c.id in (
      select id from contacts where team_id = ${anyTeam(team)} and id = any (${ids}::uuid[])
      union all
      select id from contacts where team_id = ${anyTeam(team)} and lower(email) = any (${emails}::text[]))`)

/** The contacts of the memberships that are new. */
export async function addToSegments(
  db: Queryable,
  team: string,
  contacts: readonly string[],
  segments: readonly string[],
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql.write`
    insert into contact_segments (team_id, contact_id, segment_id, created_at)
    select ${team}, contact_id, segment_id, ${db.clock.of(team).now()}
    from unnest(${contacts}::uuid[]) contact_id cross join unnest(${segments}::uuid[]) segment_id
    on conflict do nothing returning contact_id as id`)
  return rows.map(({ id }) => id)
}

/** The same for pairs of their own. */
export async function addMemberships(
  db: Queryable,
  team: string,
  pairs: readonly { readonly contact: string; readonly segment: string }[],
) {
  if (pairs.length === 0) return
  await db.query(sql.write`
    insert into contact_segments (team_id, contact_id, segment_id, created_at)
    select ${team}, contact, segment, ${db.clock.of(team).now()} from ${rowsOf(pairs, { contact: 'uuid', segment: 'uuid' })}
    on conflict do nothing`)
}

export async function removeFromSegment(
  db: Queryable,
  team: string,
  contact: string,
  segment: string,
): Promise<boolean> {
  const rows = await db.query(sql.write`
    delete from contact_segments where team_id = ${team} and contact_id = ${contact} and segment_id = ${segment}
    returning contact_id`)
  return rows.length > 0
}

/** How many choices are other ones than before. */
export async function setTopics(
  db: Queryable,
  team: string,
  contacts: readonly string[],
  choices: readonly Static<typeof TopicChoice>[],
): Promise<number> {
  const last = new Map(choices.map((choice) => [choice.id, choice])) // a topic named twice: the last word counts
  const rows = await db.query(sql.write`
    insert into contact_topics as known (team_id, contact_id, topic_id, subscription, updated_at)
    select ${team}, contact_id, choice.id, choice.subscription, ${db.clock.of(team).now()}
    from unnest(${contacts}::uuid[]) contact_id
    cross join ${rowsOf([...last.values()], { id: 'uuid', subscription: 'text' }, 'choice')}
    on conflict (team_id, contact_id, topic_id) do update set
      subscription = excluded.subscription, updated_at = excluded.updated_at
    where known.subscription is distinct from excluded.subscription
    returning 1`)
  return rows.length
}

/** What each contact has chosen for itself; of several choices for a topic the last one counts. */
export async function setChoices(
  db: Queryable,
  team: string,
  choices: readonly { readonly contact: string; readonly topic: string; readonly subscription: string }[],
) {
  const last = [...new Map(choices.map((choice) => [`${choice.contact} ${choice.topic}`, choice])).values()]
  if (last.length === 0) return
  await db.query(sql.write`
    insert into contact_topics as known (team_id, contact_id, topic_id, subscription, updated_at)
    select ${team}, contact, topic, subscription, ${db.clock.of(team).now()}
    from ${rowsOf(last, { contact: 'uuid', topic: 'uuid', subscription: 'text' })}
    on conflict (team_id, contact_id, topic_id) do update set
      subscription = excluded.subscription, updated_at = excluded.updated_at
    where known.subscription is distinct from excluded.subscription`)
}

/** What an event says about contacts, in the order of their ids. Clients take the audience for a text: who is in none has an empty one. */
export async function contactEvents(db: Queryable, team: string, ids: readonly string[]): Promise<object[]> {
  const rows = await db.query<{ event: object }>(sql`
    select json_build_object('id', c.id, 'audience_id', coalesce(segment_ids[1]::text, ''), 'segment_ids', to_json(segment_ids),
      'created_at', iso_time(c.created_at), 'updated_at', iso_time(c.updated_at), 'email', c.email,
      'first_name', c.first_name, 'last_name', c.last_name, 'unsubscribed', c.unsubscribed) as event
    from contacts c, lateral (
      select coalesce(array_agg(m.segment_id order by m.segment_id), '{}') as segment_ids
      from contact_segments m where m.team_id = c.team_id and m.contact_id = c.id
    ) memberships
    where c.team_id = ${team} and c.id = any (${ids}::uuid[]) order by c.id`)
  return rows.map(({ event }) => event)
}

/** How many contacts are in each of the newest segments, up to a bound. */
export const countMembers = (team: string): Sql => sql`
  select s.id as segment_id, least(found.size, ${MAX_COUNTED_CONTACTS})::int as contacts, found.size <= ${MAX_COUNTED_CONTACTS} as is_exact
  from (select id from segments where team_id = ${team} order by id desc limit ${MAX_COUNTED_SEGMENTS}) s
  cross join lateral (
    select count(*) as size from (
      select from contact_segments m where m.team_id = ${team} and m.segment_id = s.id limit ${MAX_COUNTED_CONTACTS + 1}) counted) found
  order by s.id desc`
