import type { Database, Queryable } from '../../kernel/db/database.ts'
import { anyTeam, sql } from '../../kernel/db/sql.ts'
import { MAX_NAMES } from '../../mail/limits.ts'
import { type Addressee, propertyNamed, type Variables, variablesOf } from '../../mail/personal.ts'
import { namesIn } from '../../mail/templates.ts'
import { findFallbacks, type PropertyFallback } from '../contact-properties/reads.ts'
import { IS_OPTED_OUT, joinChoice, joinContact, membersOf } from '../contacts/reads.ts'
import { joinSuppression } from '../emails/reads.ts'

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
      and ${IS_OPTED_OUT} then 'not_subscribed'
    when s.id is not null then 'suppressed' end`

/** What the reason is read from. */
const judged = (team: string, topic: string | null) => sql`
  ${joinChoice(team, topic)} ${joinSuppression(anyTeam(team), sql`c.email`)}`

/**
 * The next contacts of a segment, in the order of their ids, and fewer when there is much to say about them.
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
      select c.*, sum(octet_length(concat(c.properties, c.first_name, c.last_name))) over (order by c.id) as bytes
      from (
        select m.contact_id from ${membersOf(team, batch.segment)}
          and m.contact_id > ${batch.after} and m.contact_id <= ${batch.until}
        order by m.contact_id limit ${batch.limit}) m
      ${joinContact({ team: anyTeam(team), id: sql`m.contact_id` })}) c
    ${judged(team, batch.topic)}
    where c.bytes - octet_length(concat(c.properties, c.first_name, c.last_name)) < ${MAX_BYTES}
    order by c.id`)

export async function countMembers(db: Queryable, team: string, segment: string, until: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`
    select count(*)::int as count from ${membersOf(team, segment)} and m.contact_id <= ${until}`)
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
      from (select m.contact_id from ${membersOf(team, segment)}) m
      ${joinContact({ team: anyTeam(team), id: sql`m.contact_id` })}
      ${judged(team, topic)}) judged
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

/** The names that a text asks for, and the properties of contacts that are among them. */
export interface Wanted {
  readonly names: readonly string[]
  readonly properties: ReadonlyMap<string, PropertyFallback>
}

export async function findWanted(db: Queryable, team: string, texts: readonly (string | null)[]): Promise<Wanted> {
  const names = namesIn(texts.join('\n')).slice(0, MAX_NAMES)
  const keys = names.map(propertyNamed).filter((key) => key !== null)
  const properties = keys.length > 0 ? await findFallbacks(db, team, keys) : []
  return { names, properties: new Map(properties.map((property) => [property.key, property])) }
}

export const valuesOf = (member: Member, { names, properties }: Wanted): Variables =>
  variablesOf(member, names, (key) => {
    const property = properties.get(key)
    return property && (member.properties[property.id] ?? property.fallback_value)
  })
