import type pg from 'pg'
import { findVerifiedDomain } from '../../../features/domains/queries.ts'
import { systemSender } from '../../../features/people/mail.ts'
import type { Queryable } from '../../../kernel/db/database.ts'
import type { Sql } from '../../../kernel/db/sql.ts'
import { domainOf } from '../../../mail/address.ts'
import { systemClock } from '../../../platform/clock.ts'
import type { Config } from '../../../platform/settings/config.ts'
import { type Finding, fine, warning } from './finding.ts'

/** Who sign-in links and invitations come from, and whether they are signed: many servers take no unsigned mail. */
export async function checkSystemMail(client: pg.Client, config: Config): Promise<Finding[]> {
  if (config.DELIVERY === 'inbox') return []
  const { address } = systemSender(config)
  const domain = domainOf(address)
  const from = `sign-in links and invitations come from ${address}`
  if (await isVerified(client, domain)) return [fine('mail_from', `Mail of the installation: ${from}, signed.`)]
  const what = config.MAIL_FROM
    ? `POSTWREN_MAIL_FROM: ${from}, and no team has verified ${domain}`
    : `POSTWREN_MAIL_FROM is unset: ${from}`
  return [
    warning(
      'mail_from',
      `${what}. Such mail is not signed, and other servers may refuse it: name an address of a domain that a team has verified.`,
    ),
  ]
}

async function isVerified(client: pg.Client, domain: string): Promise<boolean> {
  // Of a database that is empty, or older than what is asked here, nothing is verified yet.
  const { rows } = await client.query<{ isThere: boolean }>(
    `select to_regclass('domains') is not null and to_regproc('is_sandbox') is not null as "isThere"`,
  )
  if (!rows[0]!.isThere) return false
  const query = async (statement: Sql) => (await client.query(statement.toQuery())).rows
  return (await findVerifiedDomain({ clock: systemClock, query } as Queryable, domain)) !== undefined
}
