import { Problem } from '../../http/problem.ts'
import type { Rows } from '../../http/rows.ts'
import { type Sql, sql } from '../../platform/db/sql.ts'
import type { RecipientQuery } from './schema.ts'

// What became of a broadcast, read from the events about its copies.

const eventsOf = (team: string, broadcast: string, type: string) => sql`
  outbox o where o.team_id = ${team} and o.data ->> 'broadcast_id' = ${broadcast} and o.type = ${type}`

/** The events of one recipient. */
const eventsAbout = (type: string) => sql`
  outbox o where o.team_id = r.team_id and o.about = r.id and o.type = ${type}`

/** The recipients that met a fate. The id of a row is that of the copy, or of nothing for who was left out. */
export function recipientRows(team: string, broadcast: string, query: RecipientQuery): Rows {
  const { type, email, bounce_type } = query
  if (bounce_type !== undefined && type !== 'bounced')
    throw new Problem('validation_error', 'The `bounce_type` can only be used when `type` is `bounced`.')
  const named = email === undefined ? sql`` : sql`and position(lower(${email}) in lower(r.email)) > 0`
  const ofKind = bounce_type === undefined ? sql`` : sql`and ${BOUNCE_TYPE} = ${bounce_type}`
  return {
    columns: sql`r.id, (select c.id from contacts c where c.team_id = r.team_id and c.id = r.contact_id) as contact_id, r.email
      ${details(type)}`,
    from: sql`(${met(team, broadcast, type)}) met join broadcast_recipients r
      on r.team_id = ${team} and r.broadcast_id = ${broadcast} and r.id = met.id`,
    where: sql`r.team_id = ${team} ${named} ${ofKind}`,
    id: sql`met.id`,
  }
}

function met(team: string, broadcast: string, type: RecipientQuery['type']): Sql {
  const recipients = sql`
    select id from broadcast_recipients where team_id = ${team} and broadcast_id = ${broadcast}`
  const told = sql`select o.about as id from ${eventsOf(team, broadcast, `email.${type}`)} group by o.about`
  if (type === 'sent') return sql`${recipients} and reason is null`
  if (type === 'unsubscribed') return sql`${recipients} and unsubscribed_at is not null`
  // Before the copy was made, or between that and its turn.
  if (type === 'suppressed') return sql`${recipients} and reason = 'suppressed' union ${told}`
  return told
}

const BOUNCE_TYPE = sql`(select lower(o.data #>> '{bounce,type}') from ${eventsAbout('email.bounced')} order by o.id desc limit 1)`

const CLICKED_LINKS = sql`(
  select json_agg(json_build_object('url', url, 'clicks', clicks) order by clicks desc, url) from (
    select o.data #>> '{click,link}' as url, count(*) as clicks from ${eventsAbout('email.clicked')} group by url) links)`

const countOf = (type: string) => sql`(select count(*) from ${eventsAbout(type)})`

function details(type: RecipientQuery['type']): Sql {
  if (type === 'opened') return sql`, ${countOf('email.opened')} as count`
  if (type === 'clicked') return sql`, ${countOf('email.clicked')} as count, ${CLICKED_LINKS} as clicked_links`
  if (type === 'bounced') return sql`, ${BOUNCE_TYPE} as bounce_type`
  return sql``
}

/**
 * The links that were clicked, most clicked first. Lists are sorted by their id and page by it, so the id is made of what sorts
 * this one: the number of clicks, then something of the address.
 */
export const clickedLinkRows = (team: string, broadcast: string): Rows => ({
  columns: sql`l.id, l.url, l.clicks, l.unique_clicks`,
  from: sql`(
    select o.team_id, o.data #>> '{click,link}' as url, count(*) as clicks, count(distinct o.about) as unique_clicks,
      (lpad(to_hex(count(*)), 16, '0') || left(md5(o.data #>> '{click,link}'), 16))::uuid as id
    from ${eventsOf(team, broadcast, 'email.clicked')} and o.data #>> '{click,link}' is not null
    group by o.team_id, o.data #>> '{click,link}') l`,
  where: sql`l.team_id = ${team}`,
  id: sql`l.id`,
})
