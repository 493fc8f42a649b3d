import { DMARC_KEY, type NeededRecord, type Purpose, TLS_REPORT_KEY } from './records.ts'
import type { DomainStatus, RecordStatus } from './schema.ts'

/** What is known about one needed record, and since when. */
export interface Check {
  readonly status: RecordStatus
  /** ISO time. */
  readonly since: string
  /** Of a suggestion: what the record should say, given what is in the DNS. */
  readonly value?: string
}

export type Checks = Readonly<Record<string, Check>>

/** What a look into the DNS came to. `unknown`: nobody answered, so nothing was learned. */
export type Finding = 'right' | 'wrong' | 'unknown'

export const statusOf = (checks: Checks, { key }: NeededRecord): RecordStatus => checks[key]?.status ?? 'not_started'

const isGood = (status: RecordStatus) => status === 'verified' || status === 'temporary_failure'

/** How long a record may be missing before it has failed. */
const RECORD_TIMEOUT_MS = 72 * 3_600_000

/** Verification was asked for: what is not good is waited for, from now on. */
export const begin = (checks: Checks, records: readonly NeededRecord[], now: Date): Checks =>
  entries(records, ({ key, isSuggestion }) => {
    const known = checks[key]
    return isSuggestion || (known && isGood(known.status)) ? known : { status: 'pending', since: now.toISOString() }
  })

/**
 * The checks after a look into the DNS. The life of a record: not_started → pending → verified, or failed after 72 hours;
 * verified → temporary_failure when it is gone → verified again, or failed after another 72 hours.
 */
export const learn = (
  checks: Checks,
  records: readonly NeededRecord[],
  findings: ReadonlyMap<string, Finding>,
  now: Date,
): Checks =>
  entries(records, ({ key }) => {
    const finding = findings.get(key)
    const known = checks[key]
    if (finding === undefined) return known
    const status = next(known, finding, now)
    return status === (known?.status ?? 'not_started') ? known : { status, since: now.toISOString() }
  })

function next(known: Check | undefined, finding: Finding, now: Date): RecordStatus {
  if (finding === 'right') return 'verified'
  const hasTimedOut = known !== undefined && now.getTime() - Date.parse(known.since) >= RECORD_TIMEOUT_MS
  switch (known?.status) {
    case 'verified':
      return finding === 'wrong' ? 'temporary_failure' : 'verified'
    case 'temporary_failure':
      return finding === 'wrong' && hasTimedOut ? 'failed' : 'temporary_failure'
    case 'pending':
      return hasTimedOut ? 'failed' : 'pending'
    case 'failed':
      return 'failed'
    default:
      return 'not_started'
  }
}

/** All of them are there, since now: where nobody is asked. */
export const verified = (records: readonly NeededRecord[], now: Date): Checks =>
  entries(records, () => ({ status: 'verified', since: now.toISOString() }))

/** What is known about the records that are needed now. */
export const keep = (checks: Checks, records: readonly NeededRecord[]): Checks =>
  entries(records, ({ key }) => checks[key])

/** The domain is proven by another record from now on, and goes on receiving for as long as a record may be missing. */
export const missing = (checks: Checks, key: string, now: Date): Checks => ({
  ...checks,
  [key]: { status: 'temporary_failure', since: now.toISOString() },
})

/** Whether there is to be an event: for waiting once more there is none. */
export const hasChanged = (before: Checks, after: Checks): boolean =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].some(
    (key) => (before[key]?.status ?? 'not_started') !== (after[key]?.status ?? 'not_started'),
  )

/** Only the records that are needed now; what was found out about others is forgotten. */
function entries(records: readonly NeededRecord[], check: (record: NeededRecord) => Check | undefined): Checks {
  return Object.fromEntries(
    records.flatMap((record) => {
      const value = check(record)
      return value ? [[record.key, value]] : []
    }),
  )
}

/** The sum of the checks. */
export interface DomainState {
  readonly status: DomainStatus
  readonly is_sending_verified: boolean
  readonly is_tracking_verified: boolean
  /** Mail for it may be taken in. */
  readonly is_receiving_proven: boolean
}

export function judge(checks: Checks, all: readonly NeededRecord[]): DomainState {
  const records = all.filter(({ isReplacement }) => !isReplacement)
  const statuses = (purpose: Purpose) =>
    records.filter((record) => record.purpose === purpose).map((record) => statusOf(checks, record))
  const [sending, tracking] = [statuses('sending'), statuses('tracking')]
  const proofs = records.filter(({ isProof }) => isProof).map((record) => statusOf(checks, record))
  const isProven = proofs.some(isGood)
  const receiving = statuses('receiving').concat(isProven ? [] : proofs)
  const capabilities = [sending, receiving].filter((some) => some.length > 0).map(capabilityStatus)
  return {
    status: domainStatus(capabilities),
    is_sending_verified: sending.length > 0 && sending.every(isGood),
    is_tracking_verified: tracking.length > 0 && tracking.every(isGood),
    is_receiving_proven: isProven,
  }
}

/** The records of the keys that are to take over are all there. */
export function mayReplaceKeys(checks: Checks, records: readonly NeededRecord[]): boolean {
  const replacements = records.filter(({ isReplacement }) => isReplacement)
  return replacements.length > 0 && replacements.every((record) => statusOf(checks, record) === 'verified')
}

type CapabilityStatus = 'verified' | 'failed' | 'pending' | 'not_started'

/** A record that was good and is missing for the moment does not stop mail: name servers have bad days. */
function capabilityStatus(records: readonly RecordStatus[]): CapabilityStatus {
  if (records.every(isGood)) return 'verified'
  if (records.includes('failed')) return 'failed'
  return records.includes('pending') ? 'pending' : 'not_started'
}

/** "Partially" is said of a domain that can do something; one that can do nothing yet is as far as its most hopeful part. */
function domainStatus(capabilities: readonly CapabilityStatus[]): DomainStatus {
  if (capabilities.every((status) => status === 'verified')) return 'verified'
  if (capabilities.includes('verified'))
    return capabilities.includes('failed') ? 'partially_failed' : 'partially_verified'
  if (capabilities.includes('pending')) return 'pending'
  return capabilities.includes('failed') ? 'failed' : 'not_started'
}

const SUGGESTION_KEYS = [DMARC_KEY, TLS_REPORT_KEY]

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** Often at first, when somebody sits in front of it, then less and less: [waited so long, look again after]. */
const RETRY_SCHEDULE: readonly (readonly [waitedMs: number, nextMs: number])[] = [
  [5 * MINUTE_MS, MINUTE_MS],
  [HOUR_MS, 5 * MINUTE_MS],
  [24 * HOUR_MS, 30 * MINUTE_MS],
]
const LAST_RETRY_MS = 2 * HOUR_MS

/** How long to wait before looking again for something that has been waited for since then. */
export const recheckDelayMs = (since: Date, now: Date): number =>
  RETRY_SCHEDULE.find(([waitedMs]) => now.getTime() - since.getTime() < waitedMs)?.[1] ?? LAST_RETRY_MS

/** When to look again: by the schedule while something is waited for, once a day when all is well, never when all is lost. */
export function nextCheckAt(checks: Checks, now: Date): Date | null {
  const all = Object.entries(checks).flatMap(([key, check]) => (SUGGESTION_KEYS.includes(key) ? [] : [check]))
  const waiting = all.filter(({ status }) => status === 'pending' || status === 'temporary_failure')
  if (waiting.length > 0) {
    const latest = Math.max(...waiting.map(({ since }) => Date.parse(since)))
    return new Date(now.getTime() + recheckDelayMs(new Date(latest), now))
  }
  return all.some(({ status }) => status === 'verified') ? new Date(now.getTime() + 24 * HOUR_MS) : null
}
