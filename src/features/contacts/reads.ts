import type { Queryable } from '../../kernel/db/database.ts'
import { rowsOf } from '../../kernel/db/rows.ts'
import { anyTeam, type RowKey, type Sql, sql } from '../../kernel/db/sql.ts'

// What others read of contacts, their segments and what they have chosen. A piece of SQL calls a contact `c`, a membership `m`, a topic `t`
// and what the contact has chosen for it `choice`. After one with `where` another condition may follow.

export const contactWith = ({ team, id }: RowKey): Sql => sql`contacts c where c.team_id = ${team} and c.id = ${id}`

export const joinContact = ({ team, id }: RowKey): Sql => sql`join contacts c on c.team_id = ${team} and c.id = ${id}`

export const membersOf = (team: string, segment: string): Sql => sql`
  contact_segments m where m.team_id = ${team} and m.segment_id = ${segment}`

/** Whether a segment has a contact with this address, which is in lower case. */
export const hasMember = ({
  team,
  segment,
  email,
}: {
  readonly team: Sql
  readonly segment: Sql
  readonly email: Sql
}): Sql => sql`
  exists (select from contacts c join contact_segments m on m.team_id = c.team_id and m.contact_id = c.id
    where c.team_id = ${team} and lower(c.email) = ${email} and m.segment_id = ${segment})`

/** Contacts and their memberships, of all teams. */
export const CONTACTS = sql`contacts`
export const MEMBERSHIPS = sql`contact_segments`

export const countContacts = (team: string): Sql => sql`(select count(*)::float8 from contacts where team_id = ${team})`

/** The topic and what the contact `c` has chosen for it. */
export const joinChoice = (team: string, topic: string | null): Sql => sql`
  left join topics t on t.team_id = ${team} and t.id = ${topic}
  left join contact_topics choice on choice.team_id = ${anyTeam(team)} and choice.contact_id = c.id and choice.topic_id = t.id`

/** Without a choice of their own the topic's default counts; a topic that is gone has no subscribers. */
export const IS_OPTED_OUT = sql`coalesce(choice.subscription, t.default_subscription, 'opt_out') = 'opt_out'`

/** Which of these recipients do not want mail about its topic: by their own choice, or because the topic asks for one first. */
export function findUnwilling(
  db: Queryable,
  rows: readonly { team: string; topicId: string; recipient: string }[],
): Promise<{ team: string; topicId: string; recipient: string }[]> {
  return db.query(sql`
    select r.team, r."topicId", r.recipient
    from ${rowsOf(rows, { team: 'uuid', topicId: 'uuid', recipient: 'text' }, 'r')}
    join topics t on t.team_id = r.team and t.id = r."topicId"
    left join contacts c on c.team_id = r.team and lower(c.email) = lower(r.recipient)
    left join contact_topics choice on choice.team_id = c.team_id and choice.contact_id = c.id and choice.topic_id = t.id
    where coalesce(choice.subscription, t.default_subscription) = 'opt_out'`)
}

/** Which of these recipients of broadcasts have unsubscribed from everything that goes to many. */
export function findUnsubscribed(
  db: Queryable,
  rows: readonly { team: string; recipient: string }[],
): Promise<{ team: string; recipient: string }[]> {
  return db.query(sql`
    select r.team, r.recipient
    from ${rowsOf(rows, { team: 'uuid', recipient: 'text' }, 'r')}
    join contacts c on c.team_id = r.team and lower(c.email) = lower(r.recipient)
    where c.unsubscribed`)
}

export interface TopicPreference {
  readonly id: string
  readonly name: string
  readonly description: string | null
  readonly isSubscribed: boolean
}

export interface Preferences {
  /** The topic that was named first, then the ones that the team shows to everybody. */
  readonly topics: readonly TopicPreference[]
  readonly isUnsubscribedFromAll: boolean
}

/** What somebody gets, as far as it can be chosen. Null when the topic is not there any more. */
export async function findPreferences(
  db: Queryable,
  { team, recipient, topicId }: { readonly team: string; readonly recipient: string; readonly topicId: string | null },
): Promise<Preferences | null> {
  const [contact] = await db.query<{ id: string; unsubscribed: boolean }>(sql`
    select id, unsubscribed from contacts where team_id = ${team} and lower(email) = lower(${recipient})`)
  const topics = await db.query<TopicPreference>(sql`
    select t.id, t.name, t.description, coalesce(choice.subscription, t.default_subscription) = 'opt_in' as "isSubscribed"
    from topics t
    left join contact_topics choice
      on choice.team_id = t.team_id and choice.topic_id = t.id and choice.contact_id = ${contact?.id ?? null}
    where t.team_id = ${team} and (t.visibility = 'public' or t.id = ${topicId})
    order by t.id is distinct from ${topicId}::uuid, t.name, t.id`)
  if (topicId !== null && topics[0]?.id !== topicId) return null
  return { topics, isUnsubscribedFromAll: contact?.unsubscribed ?? false }
}
