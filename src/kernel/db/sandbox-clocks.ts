import { isSandbox } from '../../platform/ids.ts'
import type { Queryable } from './database.ts'
import { sql } from './sql.ts'

/** Announced when workers have finished something for a sandbox: who moves its clock waits for that. */
export const SANDBOXES_CHANNEL = 'sandboxes'

interface Row {
  readonly team: string
  readonly version: number
  readonly offsetMs: number
  readonly frozenAt: Date | null
}

/**
 * Asks for the time of those of the teams that are sandboxes: another process may have moved it. Whoever begins work for teams does so
 * first. When none of them is a sandbox there is nothing to wait for.
 */
export function refreshClocks(db: Queryable, teams: Iterable<string>): Promise<void> | undefined {
  let sandboxes: Set<string> | undefined
  for (const team of teams) {
    if (!isSandbox(team) || db.clock.certain.has(team)) continue
    sandboxes ??= new Set()
    sandboxes.add(team)
  }
  return sandboxes && refresh(db, [...sandboxes])
}

async function refresh(db: Queryable, sandboxes: readonly string[]) {
  const rows = await db.query<Row>(sql`
    select team_id as team, version, offset_ms::float8 as "offsetMs", frozen_at as "frozenAt"
    from sandbox_clocks where team_id = any (${sandboxes}::uuid[])`)
  for (const { team, ...state } of rows) db.clock.set(team, state)
}
