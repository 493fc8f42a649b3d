import { columnsOf } from '../../http/columns.ts'
import type { Rows } from '../../http/rows.ts'
import { raw, sql } from '../../platform/db/sql.ts'
import { InvitationItem } from './schema.ts'

const COLUMNS = columnsOf(InvitationItem, 'i', { invited_by: raw('u.email') })

export const invitationRows = (team: string): Rows => ({
  columns: COLUMNS,
  from: sql`invitations i left join users u on u.id = i.invited_by and i.team_id = ${team}`,
  where: sql`i.team_id = ${team}`,
  id: sql`i.id`,
})
