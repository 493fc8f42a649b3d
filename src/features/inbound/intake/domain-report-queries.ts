import type { Database, Transaction } from '../../../kernel/db/database.ts'
import { sql } from '../../../kernel/db/sql.ts'
import type { DomainReportKind } from '../../../mail/domain-reports/read.ts'

/** A mail that brought a report about a domain. */
export interface StoredDomainReport {
  readonly domainId: string
  readonly about: DomainReportKind
  readonly envelopeFrom: string
  readonly clientAddress: string
  readonly helo: string
  readonly raw: Buffer
}

export async function findDomainReport(db: Database, id: string): Promise<StoredDomainReport | undefined> {
  const [row] = await db.queryPooled<StoredDomainReport>(sql`
    select domain_id as "domainId", kind as about, envelope_from as "envelopeFrom", client_address as "clientAddress", helo, raw
    from domain_report_mails where id = ${id}`)
  return row
}

/** True for the one that takes it: a report counts once. */
export async function takeDomainReport(trx: Transaction, id: string): Promise<boolean> {
  const rows = await trx.query(sql.write`delete from domain_report_mails where id = ${id} returning id`)
  return rows.length > 0
}
