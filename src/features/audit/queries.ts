import type { Static } from 'typebox'
import { join, sql } from '../../kernel/db/sql.ts'
import { columnsOf } from '../../kernel/http/columns.ts'
import { readMoment } from '../../kernel/http/moment.ts'
import type { Rows } from '../../kernel/http/rows.ts'
import type { Clock } from '../../platform/clock.ts'
import { firstIdAt } from '../../platform/ids.ts'
import { AuditEventItem, type AuditFilter } from './schema.ts'

const COLUMNS = columnsOf(AuditEventItem, 'a', {
  actor: sql`json_build_object('type', a.actor_kind, 'id', a.actor_id, 'name', a.actor_name)`,
})

/** The events of a team that fit. Ids are of real time, as those of requests are. */
export function auditRows(clock: Clock, team: string, filter: Static<typeof AuditFilter>): Rows {
  const { actor_id: actor, action, object_id: object, created_after: after, created_before: before } = filter
  const idAt = (name: string, text: string) => firstIdAt(clock.of(team).toReal(readMoment(name, text)))
  const conditions = [
    sql`a.team_id = ${team}`,
    ...(actor === undefined ? [] : [sql`a.actor_id = ${actor}`]),
    ...(action === undefined ? [] : [sql`a.action = ${action}`]),
    ...(object === undefined ? [] : [sql`a.object_id = ${object}`]),
    ...(after === undefined ? [] : [sql`a.id >= ${idAt('created_after', after)}`]),
    ...(before === undefined ? [] : [sql`a.id < ${idAt('created_before', before)}`]),
  ]
  return {
    columns: COLUMNS,
    from: sql`audit_events a`,
    where: join(conditions, ' and '),
    id: sql`a.id`,
    isFiltered: conditions.length > 1,
  }
}
