import type { Database, Queryable } from '../../kernel/db/database.ts'
import { anyTeam, sql } from '../../kernel/db/sql.ts'
import { MAX_NAMES } from '../../mail/limits.ts'
import { type Addressee, propertyNamed, type Variables, variablesOf } from '../../mail/personal.ts'
import { namesIn } from '../../mail/templates.ts'

export type Reason = 'unsubscribed' | 'not_subscribed' | 'suppressed'

/** A contact as a broadcast meets it. */
export interface Member extends Addressee {
  readonly id: string
  /** By the id of the property. */
  readonly properties: Readonly<Record<string, string | number>>
  /** Why it gets no email; null when it gets one. */
  readonly reason: Reason | null
  /** What there is to say about it and those before it is as much as is read at once. */
  readonly isLastInReach: boolean
}

/** The properties that are read at once. A contact can have megabytes of them. */
const MAX_BYTES = 16 * 1024 * 1024

/** Why a contact `c` gets no email; null when it gets one. */
const reasonFor = (topic: string | null) => sql`
  case when c.unsubscribed then 'unsubscribed'
    when ${topic}::uuid is not null
      and coalesce(choice.subscription, t.default_subscription, 'opt_out') = 'opt_out' then 'not_subscribed'
    when s.id is not null then 'suppressed' end`

/** What the reason is read from. */
const judged = (team: string, topic: string | null) => sql`
  left join topics t on t.team_id = ${team} and t.id = ${topic}
  left join contact_topics choice on choice.team_id = ${anyTeam(team)} and choice.contact_id = c.id and choice.topic_id = t.id
  left join suppressions s on s.team_id = ${anyTeam(team)} and lower(s.email) = lower(c.email)`

/**
 * The next contacts of a segment, in the order of their ids, and fewer when there is much to say about them. Without a choice of their own the topic's default counts; a topic that
 * is gone has no subscribers.
 */
export const findMembers = (
  db: Queryable,
  team: string,
  batch: { segment: string; topic: string | null; after: string; until: string; limit: number },
) =>
  db.query<Member>(sql`
    select c.id, c.email, c.first_name, c.last_name, c.properties, c.bytes >= ${MAX_BYTES} as "isLastInReach",
      ${reasonFor(batch.topic)} as reason
    from (
      select one.*, sum(octet_length(concat(one.properties, one.first_name, one.last_name))) over (order by one.id) as bytes
      from (
        select contact_id from contact_segments
        where team_id = ${team} and segment_id = ${batch.segment}
          and contact_id > ${batch.after} and contact_id <= ${batch.until}
        order by contact_id limit ${batch.limit}) m
      join contacts one on one.team_id = ${anyTeam(team)} and one.id = m.contact_id) c
    ${judged(team, batch.topic)}
    where c.bytes - octet_length(concat(c.properties, c.first_name, c.last_name)) < ${MAX_BYTES}
    order by c.id`)

export async function countMembers(db: Queryable, team: string, segment: string, until: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`
    select count(*)::int as count from contact_segments
    where team_id = ${team} and segment_id = ${segment} and contact_id <= ${until}`)
  return row!.count
}

/** Who would get an email now, and why others would not. Reads all of the segment: 0.5 s for 200,000 contacts on a busy machine. */
export async function countAudience(
  db: Database,
  team: string,
  { segment, topic }: { segment: string; topic: string | null },
) {
  const counts = await db.queryPooled<{ reason: Reason | null; count: number }>(sql`
    select reason, count(*)::int as count from (
      select ${reasonFor(topic)} as reason
      from contact_segments m
      join contacts c on c.team_id = ${anyTeam(team)} and c.id = m.contact_id
      ${judged(team, topic)}
      where m.team_id = ${team} and m.segment_id = ${segment}) judged
    group by reason`)
  const count = (wanted: Reason | null) => counts.find(({ reason }) => reason === wanted)?.count ?? 0
  return {
    audience: counts.reduce((sum, one) => sum + one.count, 0),
    recipients: count(null),
    unsubscribed: count('unsubscribed'),
    not_subscribed: count('not_subscribed'),
    suppressed: count('suppressed'),
  }
}

interface Property {
  readonly id: string
  readonly key: string
  readonly fallback_value: string | number | null
}

/** The names that a text asks for, and the properties of contacts that are among them. */
export interface Wanted {
  readonly names: readonly string[]
  readonly properties: ReadonlyMap<string, Property>
}

export async function findWanted(db: Queryable, team: string, texts: readonly (string | null)[]): Promise<Wanted> {
  const names = namesIn(texts.join('\n')).slice(0, MAX_NAMES)
  const keys = names.map(propertyNamed).filter((key) => key !== null)
  const properties = keys.length > 0 ? await findProperties(db, team, keys) : []
  return { names, properties: new Map(properties.map((property) => [property.key, property])) }
}

const findProperties = (db: Queryable, team: string, keys: readonly string[]) =>
  db.query<Property>(sql`
    select id, key, fallback_value from contact_properties where team_id = ${team} and key = any (${keys}::text[])`)

export const valuesOf = (member: Member, { names, properties }: Wanted): Variables =>
  variablesOf(member, names, (key) => {
    const property = properties.get(key)
    return property && (member.properties[property.id] ?? property.fallback_value)
  })
