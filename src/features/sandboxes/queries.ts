import { sql } from '../../kernel/db/sql.ts'
import { columnsOf } from '../../kernel/http/columns.ts'
import type { Rows } from '../../kernel/http/rows.ts'
import { sandboxDomain } from '../../platform/sandbox-domain.ts'
import { SandboxItem } from './schema.ts'

/** Those that a team has made and that go on; a sandbox sees itself. What time it is in each is computed, not kept. */
export const sandboxRows = (team: string, now: Date): Rows => ({
  columns: columnsOf(SandboxItem, 's', {
    domain: sql`s.id || ${sandboxDomain('')}::text`,
    now: sql`iso_time(coalesce(c.frozen_at, ${now}::timestamptz + coalesce(c.offset_ms, 0) * interval '1 millisecond'))`,
  }),
  from: sql`sandboxes s left join sandbox_clocks c on c.team_id = s.id`,
  where: sql`(s.team_id = ${team} or s.id = ${team}) and s.expires_at > ${now}::timestamptz`,
  id: sql`s.id`,
})
