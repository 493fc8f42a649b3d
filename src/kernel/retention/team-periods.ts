import { mapKinds, type RetentionKind, type RetentionPeriods } from '../../mail/retention-kinds.ts'
import type { Config } from '../../platform/settings/config.ts'
import { installationRetention } from '../../platform/settings/retention.ts'
import type { Queryable } from '../db/database.ts'
import { type Sql, sql } from '../db/sql.ts'

// How long teams keep what they have. The settings of the installation count, or what an operator says of a team in their place; owners may
// say less than that.

/** In a column of whole numbers: for ever. */
const FOREVER = '9223372036854775807'

/** What was said about one kind of a team. Undefined: nothing. */
export interface OwnPeriod {
  readonly operator?: number | undefined
  readonly owner?: number | undefined
}

export interface TeamPeriod {
  readonly team: string
  readonly seconds: number
}

const effective = (installation: number, { operator, owner }: OwnPeriod): number =>
  Math.min(operator ?? installation, owner ?? Number.POSITIVE_INFINITY)

interface Row {
  readonly team: string
  readonly kind: RetentionKind
  readonly operator: string | null
  readonly owner: string | null
}

const COLUMNS = sql`team_id as team, kind, operator_seconds::text as operator, owner_seconds::text as owner`

const numberOf = (text: string | null): number | undefined =>
  text === null ? undefined : text === FOREVER ? Number.POSITIVE_INFINITY : Number(text)

const ownOf = ({ operator, owner }: Row): OwnPeriod => ({ operator: numberOf(operator), owner: numberOf(owner) })

/** What was said for one team, by kind. */
export async function readOwnPeriods(db: Queryable, team: string): Promise<ReadonlyMap<RetentionKind, OwnPeriod>> {
  const rows = await db.query<Row>(sql`select ${COLUMNS} from team_retention where team_id = ${team}`)
  return new Map(rows.map((row) => [row.kind, ownOf(row)]))
}

/** How long a team keeps each kind. */
export async function readPeriods(db: Queryable, team: string, config: Config): Promise<RetentionPeriods> {
  const [installation, own] = [installationRetention(config), await readOwnPeriods(db, team)]
  return mapKinds((kind) => effective(installation[kind], own.get(kind) ?? {}))
}

/** Teams that have a period of their own for this kind, from one id on, so many at a time. */
export async function listOwnPeriods(
  db: Queryable,
  { kind, config, after, limit }: { kind: RetentionKind; config: Config; after: string; limit: number },
): Promise<TeamPeriod[]> {
  const installation = installationRetention(config)[kind]
  const rows = await db.query<Row>(sql`
    select ${COLUMNS} from team_retention where kind = ${kind} and team_id > ${after} order by team_id limit ${limit}`)
  return rows.map((row) => ({ team: row.team, seconds: effective(installation, ownOf(row)) }))
}

/** A condition: the team has no period of its own for this kind. */
export const hasNoOwnPeriod = (kind: RetentionKind, team: Sql): Sql => sql`
  not exists (select from team_retention own where own.kind = ${kind} and own.team_id = ${team})`

/** The longest that any team keeps this kind, the installation's period included. */
export async function longestPeriod(db: Queryable, kind: RetentionKind, config: Config): Promise<number> {
  const installation = installationRetention(config)[kind]
  const [row] = await db.query<{ longest: string | null }>(sql`
    select max(least(operator_seconds, coalesce(owner_seconds, operator_seconds)))::text as longest
    from team_retention where kind = ${kind} and operator_seconds is not null`)
  return Math.max(installation, numberOf(row!.longest) ?? 0)
}

/** Another value for each kind that is named, said by an operator or by owners; null takes back what was said. */
export async function writeOwnPeriods(
  db: Queryable,
  team: string,
  { by, changes }: { by: 'operator' | 'owner'; changes: Partial<Record<RetentionKind, number | null>> },
) {
  for (const [kind, seconds] of Object.entries(changes)) {
    const value = seconds === Number.POSITIVE_INFINITY ? FOREVER : seconds === null ? null : String(seconds)
    const column = by === 'operator' ? sql`operator_seconds` : sql`owner_seconds`
    const other = by === 'operator' ? sql`owner_seconds` : sql`operator_seconds`
    if (value === null) {
      await db.query(sql.write`
        delete from team_retention where team_id = ${team} and kind = ${kind} and ${other} is null`)
      await db.query(sql.write`
        update team_retention set ${column} = null, updated_at = ${db.clock.now()} where team_id = ${team} and kind = ${kind}`)
    } else
      await db.query(sql.write`
        insert into team_retention (team_id, kind, ${column}, updated_at)
        values (${team}, ${kind}, ${value}::bigint, ${db.clock.now()})
        on conflict (kind, team_id) do update set ${column} = excluded.${column}, updated_at = excluded.updated_at`)
  }
}
