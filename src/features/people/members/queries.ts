import { raw, sql } from '../../../kernel/db/sql.ts'
import { columnsOf } from '../../../kernel/http/columns.ts'
import type { Rows } from '../../../kernel/http/rows.ts'
import { MemberItem } from './schema.ts'

const COLUMNS = columnsOf(MemberItem, 'm', { id: raw('m.user_id'), email: raw('u.email'), name: raw('u.name') })

export const memberRows = (team: string): Rows => ({
  columns: COLUMNS,
  from: sql`memberships m join users u on u.id = m.user_id and m.team_id = ${team}`,
  where: sql`m.team_id = ${team}`,
  id: sql`m.user_id`,
})
