import type { Actor } from '../../http/actor.ts'
import { found, Problem } from '../../http/problem.ts'
import type { Database } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import { isSandbox } from '../../platform/ids.ts'

/** Whoever made a sandbox may do in it what they may do at home. */
export async function enterSandbox(db: Database, actor: Actor, sandbox: string): Promise<Actor> {
  if (actor.team === sandbox && isSandbox(sandbox)) return actor
  const [row] = await db.query(sql`select id from sandboxes where team_id = ${actor.team} and id = ${sandbox}`)
  found(row, 'Sandbox')
  // A key that is bound to a domain is bound to one of its own team.
  return { ...actor, team: sandbox, domainId: null }
}

/** For what only a sandbox has. */
export function requireSandbox({ team }: Actor): string {
  if (!isSandbox(team))
    throw new Problem(
      'not_found',
      'Only a sandbox has this. Create one with POST /sandboxes, and use its key or its path.',
    )
  return team
}
