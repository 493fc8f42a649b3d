import type { Queryable } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'

/** How it stands with the certificate by ACME of a name. */
export interface NamedCertificate {
  readonly name: string
  /** Null: there is none. */
  readonly expiresAt: Date | null
  /** What the authority said to the last order. Null: it was filled, or none was made yet. */
  readonly problem: string | null
}

/** Those of these names that a certificate was wanted for. */
export const findCertificatesOf = (db: Queryable, names: readonly string[]): Promise<NamedCertificate[]> =>
  db.query(sql`
    select name, expires_at as "expiresAt", case when failures > 0 then coalesce(problem, '') end as problem
    from certificates where name = any (${[...names]}::text[]) order by name`)
