import type { Static } from 'typebox'
import { Problem } from '../../http/problem.ts'
import type { Rows } from '../../http/rows.ts'
import { join, type Sql, sql } from '../../platform/db/sql.ts'
import { firstIdAt } from '../../platform/ids.ts'
import { emailRows } from './queries.ts'
import type { EmailFilter } from './schema.ts'

/**
 * The emails of a team that fit. Times are ids, so they cost nothing; the others are looked for along the list, newest first, on a
 * connection of their own. An index for each would be paid for by every email, and status changes with each event.
 */
export function filteredEmails(team: string, filter: Static<typeof EmailFilter>): Rows {
  const rows = emailRows(team)
  const conditions: Sql[] = []
  const { status, to, tag, created_after: after, created_before: before } = filter
  if (status !== undefined) conditions.push(sql`e.last_event = ${status}`)
  if (to !== undefined)
    conditions.push(sql`exists (select from deliveries d
      where d.team_id = e.team_id and d.email_id = e.id and lower(d.recipient) = ${to.trim().toLowerCase()})`)
  if (tag !== undefined) conditions.push(sql`e.tags @> ${JSON.stringify([readTag(tag)])}::jsonb`)
  if (after !== undefined) conditions.push(sql`e.id >= ${firstIdAt(readMoment('created_after', after))}`)
  if (before !== undefined) conditions.push(sql`e.id < ${firstIdAt(readMoment('created_before', before))}`)
  if (conditions.length === 0) return rows
  return { ...rows, where: sql`${rows.where} and ${join(conditions, ' and ')}`, isSlow: true }
}

function readTag(text: string): { name: string; value?: string } {
  const [name, value] = text.split(':', 2)
  return value === undefined ? { name: name! } : { name: name!, value }
}

function readMoment(name: string, text: string): Date {
  const moment = new Date(text)
  if (/^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(moment.getTime())) return moment
  throw new Problem('invalid_parameter', `The \`${name}\` must be a date in ISO 8601.`)
}
