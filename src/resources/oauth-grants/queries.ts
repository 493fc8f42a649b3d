import { columnsOf } from '../../http/columns.ts'
import type { Rows } from '../../http/rows.ts'
import { sql } from '../../platform/db/sql.ts'
import { OAuthGrantItem } from './schema.ts'

const COLUMNS = columnsOf(OAuthGrantItem, 'g', {
  client: sql`json_build_object('name', g.client_name, 'logo_uri', g.client_logo_uri)`,
  user: sql`u.email`,
})

export const oauthGrantRows = (team: string): Rows => ({
  columns: COLUMNS,
  from: sql`oauth_grants g left join users u on u.id = g.user_id and g.team_id = ${team}`,
  where: sql`g.team_id = ${team}`,
  id: sql`g.id`,
})
