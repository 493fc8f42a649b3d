import { sql } from '../../../kernel/db/sql.ts'
import { columnsOf } from '../../../kernel/http/columns.ts'
import type { Rows } from '../../../kernel/http/rows.ts'
import { USER_EMAILS } from '../../people/reads.ts'
import { policyOf } from '../../policies/reads.ts'
import { OAuthGrantItem } from './schema.ts'

const COLUMNS = columnsOf(OAuthGrantItem, 'g', {
  client: sql`json_build_object('name', g.client_name, 'logo_uri', g.client_logo_uri)`,
  user: sql`u.email`,
  policy: policyOf(sql`g.team_id`, sql`g.id`),
})

export const oauthGrantRows = (team: string): Rows => ({
  columns: COLUMNS,
  from: sql`oauth_grants g left join ${USER_EMAILS} u on u.id = g.user_id and g.team_id = ${team}`,
  where: sql`g.team_id = ${team}`,
  id: sql`g.id`,
})
