import { fieldsOf } from '../../kernel/http/columns.ts'
import type { StoredDomain } from './queries.ts'
import { type Installation, neededRecords } from './records.ts'
import { DomainItem, isRecordKind, type RecordKind, type Suggestion } from './schema.ts'
import { statusOf } from './status.ts'

const recordsOf = (domain: StoredDomain, installation: Installation) =>
  neededRecords(domain, installation).map((needed) => ({
    ...kindOf(needed.record),
    name: needed.name,
    type: needed.type,
    ttl: 'Auto' as const,
    status: statusOf(domain.checks, needed),
    value: domain.checks[needed.key]?.value ?? needed.value,
    ...(needed.priority !== undefined && { priority: needed.priority }),
  }))

/** A suggestion is about what mail of the domain must pass, as SPF is, and may have each of that kind's types. */
const kindOf = (kind: RecordKind | Suggestion) =>
  isRecordKind(kind) ? { record: kind } : { record: 'SPF' as const, suggestion: kind }

/** As creating and retrieving show it. */
export function presentDomain(domain: StoredDomain, installation: Installation) {
  return {
    ...fieldsOf(DomainItem, domain),
    ...(domain.tracking_subdomain !== null && { tracking_subdomain: domain.tracking_subdomain }),
    ...(domain.receiving && domain.mta_sts !== 'off' && { mta_sts: domain.mta_sts }),
    records: recordsOf(domain, installation),
  }
}

/** What an event says about it. There, and only there, the records for receiving have their types in their names. */
export function domainEventData(domain: StoredDomain, installation: Installation): object {
  const { id, name, status, created_at_iso, region, capabilities } = domain
  const records = recordsOf(domain, installation).map(({ record, ...rest }) => ({
    record: record === 'Receiving' ? `Receiving ${rest.type}` : record,
    ...rest,
  }))
  return { id, name, status, created_at: created_at_iso, region, capabilities, records }
}
