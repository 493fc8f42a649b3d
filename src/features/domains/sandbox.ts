import type { Sql } from '../../kernel/db/sql.ts'
import { newRow } from '../../kernel/http/columns.ts'
import { sandboxDomain } from '../../platform/sandbox-domain.ts'
import type { Services } from '../services.ts'
import { makeQuickKey, sealKey } from './keys.ts'
import { type DomainValues, insertKnownDomain } from './queries.ts'
import { installationOf, neededRecords } from './records.ts'
import { judge, verified } from './status.ts'

/** It sends, receives and tracks. Links go through the address of the installation: the name below a sandbox leads nowhere. */
const VALUES = {
  region: 'us-east-1',
  return_path: 'send',
  open_tracking: true,
  click_tracking: true,
  tls: 'opportunistic',
  sending: true,
  receiving: true,
  receiving_proof: 'dkim',
} satisfies Omit<DomainValues, 'name'>

/** The parts of a statement that write the domain that a sandbox has from the beginning, if `condition` holds. */
export function insertSandboxDomain(
  { db, sealer, config }: Pick<Services, 'db' | 'sealer' | 'config'>,
  sandbox: string,
  condition: Sql,
): { domain: Sql; key: Sql } {
  const row = newRow(db, sandbox)
  const values = { ...VALUES, name: sandboxDomain(sandbox) }
  const key = makeQuickKey()
  const needed = neededRecords(
    { ...values, id: row.id, tracking_subdomain: null, keys: [{ ...key, state: 'active' }] },
    installationOf(config),
  )
  const checks = verified(needed, row.created_at)
  const { selector, public_record } = key
  const stored = { selector, public_record, sealed: sealKey(sealer, row.id, key) }
  return insertKnownDomain(row, { ...values, state: judge(checks, needed), checks, key: stored }, condition)
}
