import { raw, sql } from '../../../kernel/db/sql.ts'
import { columnsOf } from '../../../kernel/http/columns.ts'
import type { Rows } from '../../../kernel/http/rows.ts'
import { openInvitationsTo } from '../invitations.ts'
import { InvitationItem, OwnInvitation } from './schema.ts'

const COLUMNS = columnsOf(InvitationItem, 'i', { invited_by: raw('u.email') })

export const invitationRows = (team: string): Rows => ({
  columns: COLUMNS,
  from: sql`invitations i left join users u on u.id = i.invited_by and i.team_id = ${team}`,
  where: sql`i.team_id = ${team}`,
  id: sql`i.id`,
})

const OWN_COLUMNS = columnsOf(OwnInvitation, 'i', { team: raw('t.name'), invited_by: raw('u.email') })

/** Those to one person, of all teams. */
export const ownInvitationRows = (userId: string, now: Date): Rows => ({
  columns: OWN_COLUMNS,
  ...openInvitationsTo(userId, now),
})
