import type { Queryable } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'

/** Makes somebody an owner who is not in the team yet, or any member when the team has no owner. Who is in it keeps the role otherwise. */
export const ensureOwner = (db: Queryable, team: string, userId: string) =>
  db.query(sql.write`
    insert into memberships (team_id, user_id, role, created_at) values (${team}, ${userId}, 'owner', ${db.clock.now()})
    on conflict (team_id, user_id) do update set role = 'owner'
    where not exists (select from memberships m where m.team_id = ${team} and m.role = 'owner')`)
