import { domainOf } from '../../../../mail/address.ts'
import { isRelayedMessageId } from '../../../../mail/relayed-message-id.ts'
import type { ComplaintReport } from '../../../../mail/report.ts'
import { type ReportedTo, readReportAddress } from '../../../../mail/return-path.ts'

/**
 * Which email a report is about, and how that is known. Two things in a mail lead back to us, and they prove different things:
 *
 * - A signed address: the return path as the sender of the envelope, or the complaint address in `CFBL-Address`. We made it, it stands in the mail that was
 *   delivered and nowhere else, and whoever has it could write to it just as well. What comes with it counts in full, for whichever team the email is of, and for the
 *   recipient that it names alone, whomever the report names: what it says of others is no word of theirs.
 * - The Message-ID. Nobody can guess it (74 random bits), but everybody sees it who gets an answer to the mail, or reads an archive of
 *   a list. So it counts for emails of the team that the report came to alone, its recipients are reported as complaining, and
 *   they are suppressed only when their own mail provider says so: an address that it keeps for such things, proven by DMARC.
 *   Otherwise anybody with an old mail could cut somebody off. One that a relay has put in the place of ours counts as ours.
 */
export type ReportedEmail =
  | ReportedTo
  | {
      readonly by: 'message-id'
      /** Null: a relay has given it the Message-ID, which says nothing about the email. */
      readonly emailId: string | null
      readonly messageId: string
      readonly team: string
      /** Who reports, if that is proven: a bare address. */
      readonly reporter: string | null
    }

const MAX_RETURN_PATHS = 10
const OUR_MESSAGE_ID = /^<([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})@/i

/** The emails that a complaint is about which did not come to a signed address. */
export function complainedEmails(
  { original }: ComplaintReport,
  {
    team,
    reporter,
    returnPathSecrets,
  }: { team: string; reporter: string | null; returnPathSecrets: readonly Buffer[] },
): ReportedEmail[] {
  const signed = (original?.returnPaths ?? []).slice(0, MAX_RETURN_PATHS).flatMap((address) => {
    const found = readReportAddress(address.slice(0, address.lastIndexOf('@')), returnPathSecrets)
    return found ? [found] : []
  })
  if (signed.length > 0) return distinct(signed)
  const messageId = original?.messageId ?? ''
  const emailId = OUR_MESSAGE_ID.exec(messageId)?.[1]?.toLowerCase()
  const isOurs = emailId !== undefined || isRelayedMessageId(messageId)
  return isOurs ? [{ by: 'message-id', emailId: emailId ?? null, messageId, team, reporter }] : []
}

/** In one order, so that two reports of the same emails lock their rows in turn. */
function distinct(returned: readonly ReportedTo[]): ReportedTo[] {
  const byKey = new Map(returned.map((one) => [`${one.emailId} ${one.position}`, one]))
  return [...byKey.keys()].sort().map((key) => byKey.get(key)!)
}

/** Whether a recipient may be suppressed on this evidence. */
export function maySuppress(about: ReportedEmail, recipient: string): boolean {
  return about.by !== 'message-id' || isOwnProvider(about.reporter, recipient)
}

// RFC 2142, and what feedback loops are called. At a large provider everybody may have an address, but nobody has one of these.
const ROLE = /^(?:abuse|postmaster|fbl|arf|feedback|feedback-?loop|complaints?|staff)@/i

// Providers under several names: who reports, and for whom.
const FAMILIES: readonly { readonly reporter: RegExp; readonly recipient: RegExp }[] = [
  {
    reporter: /^(?:hotmail|outlook|microsoft)\.com$/,
    recipient: /^(?:hotmail|outlook|live|msn|windowslive|passport)\.[a-z]{2,3}(?:\.[a-z]{2})?$/,
  },
  {
    reporter: /(?:^|\.)yahoo(?:inc)?\.com$/,
    recipient:
      /^(?:yahoo\.(?!co\.jp)[a-z]{2,3}(?:\.[a-z]{2})?|(?:ymail|rocketmail|aol|aim|netscape)\.com|verizon\.net)$/,
  },
]

function isOwnProvider(reporter: string | null, recipient: string): boolean {
  if (reporter === null || !ROLE.test(reporter)) return false
  const theirs = domainOf(reporter).toLowerCase()
  const own = domainOf(recipient).toLowerCase()
  if (theirs === own || theirs.endsWith(`.${own}`) || own.endsWith(`.${theirs}`)) return true
  return FAMILIES.some((family) => family.reporter.test(theirs) && family.recipient.test(own))
}
