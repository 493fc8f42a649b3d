import type { ParsedMail } from './parsed.ts'
import { isAutoReply, isVacation } from './report/auto-reply.ts'
import { isChallenge } from './report/challenge.ts'
import { readFeedback } from './report/feedback.ts'
import { readNotification } from './report/notification.ts'
import { readProse } from './report/prose.ts'

/** What a program at the other end reports about an email, when it is not a mail that somebody wrote. */
export type Report = BounceReport | ComplaintReport | { readonly kind: 'auto-reply' }

/** A delivery status notification, those of success and of delay too: `action` says which. */
export interface BounceReport {
  readonly kind: 'bounce'
  readonly recipients: readonly ReportedRecipient[]
  readonly original: OriginalMail | null
}

export interface ReportedRecipient {
  /** A bare address; null when the report does not say whom it is about. */
  readonly recipient: string | null
  readonly action: 'failed' | 'delayed' | 'delivered' | 'relayed' | 'expanded'
  /** RFC 3463: `5.1.1`. */
  readonly status: string | null
  /** As it was written: `smtp; 550 5.1.1 …`. */
  readonly diagnostic: string | null
}

export interface ComplaintReport {
  readonly kind: 'complaint'
  /** `abuse` when a recipient pressed the button; RFC 5965 has others, `not-spam` among them. */
  readonly feedbackType: string
  /** Bare addresses; many senders of reports leave them out. */
  readonly recipients: readonly string[]
  readonly original: OriginalMail | null
}

/** The mail that the report is about, as far as the report has it. All of it may be forged. */
export interface OriginalMail {
  readonly messageId: string | null
  /** Bare addresses that it was sent from, in the sense of SMTP. */
  readonly returnPaths: readonly string[]
  /** Bare addresses. */
  readonly to: readonly string[]
}

/**
 * What the mail reports, or null for ordinary mail. What has a form (RFC 5965, RFC 3464) comes first. Prose is a best effort,
 * and mail of a person's program that answers for them, or asks who writes to them, is never taken for it.
 */
export function readReport(mail: ParsedMail, raw: Buffer): Report | null {
  return (
    readFeedback(mail, raw) ??
    (isChallenge(mail) ? { kind: 'auto-reply' } : null) ??
    readNotification(mail, raw) ??
    (isVacation(mail) ? { kind: 'auto-reply' } : null) ??
    readProse(mail, raw) ??
    (isAutoReply(mail) ? { kind: 'auto-reply' } : null)
  )
}
