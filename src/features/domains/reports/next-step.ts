import { changedDmarcRecord, type DmarcPolicy, type DmarcRecord } from '../../../mail/dmarc-record.ts'
import type { Origin } from '../../../mail/domain-reports/fold.ts'

/** What is known about a domain when it is decided what to do next. */
export interface Evidence {
  /** What should be published so that reports come here, while it is not. */
  readonly missingRecord: string | null
  /** The record that is in the DNS. Null: none, or nobody has looked yet. */
  readonly record: DmarcRecord | null
  /** Days with reports since the policy is what it is. */
  readonly days: number
  readonly messages: number
  readonly aligned: number
  /** Those that do not pass, the largest first. */
  readonly unauthorized: readonly {
    readonly address: string | null
    readonly messages: number
    readonly origin: Origin
  }[]
}

export const NEXT_STEPS = [
  'publish_record',
  'wait_for_reports',
  'collect_more',
  'review_sources',
  'quarantine',
  'reject',
  'done',
] as const

export interface NextStep {
  readonly kind: (typeof NEXT_STEPS)[number]
  readonly text: string
  /** What to publish at `_dmarc`. */
  readonly value: string | null
}

/** A stricter policy has to be borne out by so many days of reports, and by so much of the mail. */
export const MIN_DAYS = 14
export const MIN_ALIGNED = 0.98

const STRICTER: Partial<Record<DmarcPolicy, 'quarantine' | 'reject'>> = { none: 'quarantine', quarantine: 'reject' }
const MAX_NAMED = 3

/** The one thing to do next: reports first, then a stricter policy when the reports allow it. */
export function nextStep({ missingRecord, record, days, messages, aligned, unauthorized }: Evidence): NextStep {
  if (missingRecord !== null)
    return {
      kind: 'publish_record',
      text: 'Publish this record at _dmarc, so that reports come here.',
      value: missingRecord,
    }
  if (record === null || messages === 0)
    return { kind: 'wait_for_reports', text: 'Wait for reports: receivers send them once a day.', value: null }
  const stricter = STRICTER[record.policy]
  if (!stricter) return { kind: 'done', text: 'Mail that fails is rejected. Nothing to do.', value: null }
  if (days < MIN_DAYS)
    return {
      kind: 'collect_more',
      text: `Keep p=${record.policy}: reports of ${days} of ${MIN_DAYS} days have come.`,
      value: null,
    }
  const names = unauthorized
    .slice(0, MAX_NAMED)
    .map(({ address, messages: count }) => `${address ?? 'others'} (${count})`)
  const share = `${Math.floor((aligned / messages) * 1_000) / 10} %`
  if (aligned / messages < MIN_ALIGNED)
    return {
      kind: 'review_sources',
      text: `Keep p=${record.policy}: only ${share} of the mail passes. Set up SPF or DKIM for the senders that are yours: ${names.join(', ')}.`,
      value: null,
    }
  const stopped = names.length > 0 ? ` What fails comes from ${names.join(', ')}.` : ''
  return {
    kind: stricter,
    text: `Change p=${record.policy} to p=${stricter}: ${share} of the mail of ${days} days passes.${stopped}`,
    value: changedDmarcRecord(record, { policy: stricter }),
  }
}
