import { hash } from 'node:crypto'
import { toAsciiDomain } from './address.ts'

/** What those who count complaints are told about a mail. */
export interface FeedbackSource {
  /** The broadcast, or the template, that the mail is one of many of. */
  readonly campaign: string | null
  readonly team: string
  readonly kind: 'broadcast' | 'topic' | 'email'
  /** The domain that it is from. */
  readonly domain: string
  /** Where complaints of this recipient go to. */
  readonly complaintAddress: string
}

/**
 * How a mail says whom complaints about it are for. Both count only inside a signature of the domain (RFC 9477, and Gmail for its feedback loop).
 *
 * - `Feedback-ID`: campaign, team, kind and sender, by which Gmail adds up complaints. Ids of ours, which say nothing to others.
 * - `CFBL-Address`: the signed complaint address of this recipient. Reports to it name exactly one recipient, and so do those that come by other ways and
 *   have the header of the mail with them, whatever has been taken out of it: Microsoft leaves out who complained.
 */
export function feedbackHeaders(source: FeedbackSource): { readonly name: string; readonly value: string }[] {
  const { campaign, team, kind, domain, complaintAddress } = source
  return [
    { name: 'Feedback-ID', value: `${campaign ?? ''}:${team}:${kind}:${senderId(domain)}` },
    { name: 'CFBL-Address', value: `${complaintAddress}; report=arf` },
  ]
}

const MAX_SENDERS = 1_000
const senders = new Map<string, string>()

/** Gmail wants 5 to 15 characters that stay the same for ever. */
function senderId(domain: string): string {
  const known = senders.get(domain)
  if (known !== undefined) return known
  const id = hash('sha256', `feedback-id:${toAsciiDomain(domain).toLowerCase()}`).slice(0, 12)
  if (senders.size >= MAX_SENDERS) senders.clear()
  senders.set(domain, id)
  return id
}
