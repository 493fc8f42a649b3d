import type { Queryable } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'

/** What is said of a property about contacts that have no value for it. */
export interface PropertyFallback {
  readonly id: string
  readonly key: string
  readonly fallback_value: string | number | null
}

export const findFallbacks = (db: Queryable, team: string, keys: readonly string[]) =>
  db.query<PropertyFallback>(sql`
    select id, key, fallback_value from contact_properties where team_id = ${team} and key = any (${keys}::text[])`)
