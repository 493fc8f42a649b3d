import { raw, sql } from '../../kernel/db/sql.ts'
import { columnsOf } from '../../kernel/http/columns.ts'
import type { Rows } from '../../kernel/http/rows.ts'
import { approvalsWithEmails, HOLDER_NAME } from '../emails/delivery/approvals/queries.ts'
import { ApprovalItem } from './schema.ts'

const COLUMNS = columnsOf(ApprovalItem, 'a', {
  id: raw('a.email_id'),
  holder: sql`json_build_object('kind', a.holder, 'id', a.policy_id, 'name', ${HOLDER_NAME})`,
  from: raw('e."from"'),
  to: raw('e."to"'),
  cc: raw(`coalesce(e.cc, '[]')`),
  bcc: raw(`coalesce(e.bcc, '[]')`),
  subject: raw('e.subject'),
  scheduled_at: raw('wire_time(e.scheduled_at)'),
  created_at: raw('wire_time(e.created_at)'),
})

export const approvalRows = (team: string, status?: ApprovalItem['status']): Rows => ({
  columns: COLUMNS,
  from: approvalsWithEmails,
  where: sql`a.team_id = ${team} ${status === undefined ? sql`` : sql`and a.status = ${status}`}`,
  id: sql`a.email_id`,
})
