import type { Queryable } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'

/** Where a team is that moves between cells, or has moved. */
export interface TeamMove {
  readonly team: string
  readonly direction: 'out' | 'in'
  /** `copying`: it works in the old cell. `held`: nobody writes for it. `moved`: it lives in the new one. */
  readonly phase: 'copying' | 'held' | 'moved'
  /** The other cell. */
  readonly cell: string
  readonly url: string
  /** Of a team that has left: nothing else of it is here. */
  readonly isClean: boolean
}

/** Another one whenever a team has begun to move, is held, has moved, or keys of another installation have come. */
export const MOVES_VERSION = sql`(
  select coalesce(md5(string_agg(team::text || direction || phase || (cleaned_at is null)::text, ' ' order by team, direction)), '')
    || coalesce(nullif((select count(*) from cell_keys), 0)::text, '') from team_moves)`

export const readMoves = (db: Queryable) =>
  db.query<TeamMove>(sql`
    select team, direction, phase, cell, url, cleaned_at is not null as "isClean" from team_moves`)

/** Keys of teams that have moved away. */
export const findMovedKeys = (db: Queryable, prefix: string) =>
  db.query<{ team: string; tokenSha256: Buffer; cell: string; url: string }>(sql`
    select k.team, k.token_sha256 as "tokenSha256", m.cell, m.url
    from moved_keys k join team_moves m on m.team = k.team and m.direction = 'out' and m.phase = 'moved'
    where k.token_prefix = ${prefix}`)

/** The cell that takes mail for a domain which was here, or for the address of an inbox. */
export async function findMovedMail(
  db: Queryable,
  names: readonly string[],
): Promise<{ cell: string; url: string } | undefined> {
  const [found] = await db.query<{ cell: string; url: string }>(sql`
    select m.cell, m.url from moved_domains d join team_moves m on m.team = d.team and m.direction = 'out' and m.phase = 'moved'
    where d.name = any (${names.map((name) => name.toLowerCase())}::text[]) limit 1`)
  return found
}
