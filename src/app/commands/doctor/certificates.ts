import type pg from 'pg'
import { listFailing, readCertificateState } from '../../../features/tls/certificates/queries.ts'
import type { Queryable } from '../../../kernel/db/database.ts'
import type { Sql } from '../../../kernel/db/sql.ts'
import { systemClock } from '../../../platform/clock.ts'
import type { Config } from '../../../platform/settings/config.ts'
import { type Finding, fine, warning } from './finding.ts'

const SHOWN = 5

/** What came of the certificates that are asked for. */
export async function checkCertificates(client: pg.Client, config: Config): Promise<Finding[]> {
  if (config.ACME === undefined) return []
  // A database that is older than certificates has none.
  const there = await client.query<{ isThere: boolean }>(`select to_regclass('certificates') is not null as "isThere"`)
  if (!there.rows[0]!.isThere) return []
  const query = async (statement: Sql) => (await client.query(statement.toQuery())).rows
  const db = { clock: systemClock, query } as Queryable
  const { valid } = await readCertificateState(db)
  const failing = await listFailing(db, SHOWN)
  return [
    fine('certificates', `Certificates by ACME: ${valid} valid.`),
    ...failing.map(({ name, problem }) =>
      warning(
        'certificates',
        `No new certificate for ${name}: ${problem} It is tried again; see docs/operations/tls.md.`,
      ),
    ),
  ]
}
