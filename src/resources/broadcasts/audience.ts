import type { Variables } from '../../mail/broadcast.ts'
import { namesIn } from '../../mail/templates.ts'
import type { Queryable } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'

export type Reason = 'unsubscribed' | 'not_subscribed' | 'suppressed'

/** A contact as a broadcast meets it. */
export interface Member {
  readonly id: string
  readonly email: string
  readonly first_name: string | null
  readonly last_name: string | null
  /** By the id of the property. */
  readonly properties: Readonly<Record<string, string | number>>
  /** Why it gets no copy; null when it gets one. */
  readonly reason: Reason | null
}

/**
 * The next contacts of a segment, in the order of their ids. Without a choice of their own the topic's default counts; a topic that
 * is gone has no subscribers.
 */
export const findMembers = (
  db: Queryable,
  team: string,
  stretch: { segment: string; topic: string | null; after: string; until: string; limit: number },
) =>
  db.query<Member>(sql`
    select c.id, c.email, c.first_name, c.last_name, c.properties,
      case when c.unsubscribed then 'unsubscribed'
        when ${stretch.topic}::uuid is not null
          and coalesce(choice.subscription, t.default_subscription, 'opt_out') = 'opt_out' then 'not_subscribed'
        when s.id is not null then 'suppressed' end as reason
    from (
      select contact_id from contact_segments
      where team_id = ${team} and segment_id = ${stretch.segment}
        and contact_id > ${stretch.after} and contact_id <= ${stretch.until}
      order by contact_id limit ${stretch.limit}) m
    join contacts c on c.team_id = ${team} and c.id = m.contact_id
    left join topics t on t.team_id = ${team} and t.id = ${stretch.topic}
    left join contact_topics choice on choice.team_id = ${team} and choice.contact_id = c.id and choice.topic_id = t.id
    left join suppressions s on s.team_id = ${team} and lower(s.email) = lower(c.email)
    order by c.id`)

export async function countMembers(db: Queryable, team: string, segment: string, until: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`
    select count(*)::int as count from contact_segments
    where team_id = ${team} and segment_id = ${segment} and contact_id <= ${until}`)
  return row!.count
}

export interface PropertyOfContacts {
  readonly id: string
  readonly key: string
  readonly fallback_value: string | number | null
}

/** The names that a text asks for, with the property of contacts that each stands for, if it is one. */
export interface Wanted {
  readonly name: string
  readonly property: PropertyOfContacts | undefined
}

const FIELDS: Readonly<Record<string, (member: Member) => string | null>> = {
  FIRST_NAME: ({ first_name }) => first_name,
  LAST_NAME: ({ last_name }) => last_name,
  EMAIL: ({ email }) => email,
  'contact.first_name': ({ first_name }) => first_name,
  'contact.last_name': ({ last_name }) => last_name,
  'contact.email': ({ email }) => email,
}

/** `plan` and `contact.plan` are the same property. */
const keyOf = (name: string) => name.replace(/^contact\./, '')

export async function findWanted(db: Queryable, team: string, texts: readonly (string | null)[]): Promise<Wanted[]> {
  const names = namesIn(texts.join('\n'))
  const keys = names.filter((name) => !Object.hasOwn(FIELDS, name)).map(keyOf)
  const properties = keys.length > 0 ? await findProperties(db, team, keys) : []
  return names.map((name) => ({ name, property: properties.find(({ key }) => key === keyOf(name)) }))
}

const findProperties = (db: Queryable, team: string, keys: readonly string[]) =>
  db.query<PropertyOfContacts>(sql`
    select id, key, fallback_value from contact_properties where team_id = ${team} and key = any (${keys}::text[])`)

/** What a contact has for each name. What it has not is left to the fallback in the text; an empty name is none. */
export function variablesOf(member: Member, wanted: readonly Wanted[]): Variables {
  const values = wanted.map(({ name, property }) => {
    if (Object.hasOwn(FIELDS, name)) return [name, FIELDS[name]!(member)] as const
    return [name, property && (member.properties[property.id] ?? property.fallback_value)] as const
  })
  return Object.fromEntries(
    values.flatMap(([name, value]) =>
      value === null || value === undefined || value === '' ? [] : [[name, String(value)]],
    ),
  )
}
