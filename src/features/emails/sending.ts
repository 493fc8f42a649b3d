import type { Senders } from '../domains/index.ts'
import type { RecipientRate } from '../limits/recipient-rate.ts'
import type { UsageCounts } from '../limits/usage-counts.ts'
import type { PolicyRefusals } from '../policies/refusals.ts'
import type { Download } from './attachments.ts'
import type { Acceptance } from './delivery/acceptance/accept.ts'

/** What it takes to send an email, made once for a process. */
export interface Sending {
  /** The domains that teams send from. */
  readonly senders: Senders
  /** Fetches attachments that are given by their address. */
  readonly download: Download
  readonly recipientRate: RecipientRate
  readonly acceptance: Acceptance
  readonly usageCounts: UsageCounts
  readonly policyRefusals: PolicyRefusals
}
