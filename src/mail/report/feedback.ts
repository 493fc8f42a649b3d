import { readHeaderFields } from '../parse.ts'
import type { ParsedMail } from '../parsed.ts'
import type { ComplaintReport } from '../report.ts'
import { addressesIn } from './addresses.ts'
import { MAX_REPORT_LENGTH, type ReportField, readFields, reportText } from './fields.ts'
import { isOriginal, readOriginal, withSender } from './original.ts'
import { readXarf } from './xarf.ts'

const FEEDBACK_PART = /^[a-z]+\/(?:x-)?feedback-report$/
const JUNK_REPORTER = /\bstaff@(?:hotmail|outlook)\.com\b/i
const RECIPIENTS = new Set(['original-rcpt-to', 'removal-recipient'])

const MAX_SCAN_LENGTH = 64 * 1_024
const SIGNS = /feedback-(?:report|type)|^x-xarf:/im

/** Whether it is worth the while to read a message as a complaint: a look at its first bytes. */
export function mayBeComplaint({ from, raw }: { from: string; raw: Buffer }): boolean {
  return JUNK_REPORTER.test(from) || SIGNS.test(raw.toString('latin1', 0, MAX_SCAN_LENGTH))
}

/** A feedback report by RFC 5965, in XARF, or as some providers write it. */
export function readFeedback(mail: ParsedMail, raw: Buffer): ComplaintReport | null {
  const text = feedbackText(mail)
  const fields = text === null ? [] : readFields(text).filter((field) => field !== null)
  const [feedbackType] = /^[\w-]{1,40}/.exec(fieldOf(fields, 'feedback-type')) ?? []
  if (feedbackType === undefined) return isJunkReport(mail) ? junkReport(mail, raw) : readXarf(mail)

  const named = fields.filter(({ name }) => RECIPIENTS.has(name)).map(({ value }) => value)
  return {
    kind: 'complaint',
    feedbackType: feedbackType.toLowerCase(),
    recipients: addressesIn(named.join(' ')),
    original: withSender(readOriginal(mail, raw), fieldOf(fields, 'original-mail-from')),
  }
}

function fieldOf(fields: readonly ReportField[], wanted: string): string {
  return fields.find(({ name }) => name === wanted)?.value ?? ''
}

/** Under its name, or in any part of a mail that says of itself that it is such a report. */
function feedbackText(mail: ParsedMail): string | null {
  const named = mail.attachments.find(({ contentType }) => FEEDBACK_PART.test(contentType))
  if (named) return reportText(named.content)
  const isReport = mail.headers.some(({ name, value }) => name === 'content-type' && /feedback-report/i.test(value))
  if (!isReport) return null
  const others = mail.attachments.filter((attachment) => !isOriginal(attachment)).map(({ content }) => content)
  return (
    [...others.map(reportText), mail.text?.slice(0, MAX_REPORT_LENGTH) ?? ''].find((text) =>
      /^feedback-type\s*:/im.test(text),
    ) ?? null
  )
}

/** Outlook.com's programme: no report at all, only the mail, from an address and with a subject that are always the same. */
function isJunkReport({ from, subject, attachments }: ParsedMail): boolean {
  return (
    JUNK_REPORTER.test(from) && /^complaint about message from /i.test(subject ?? '') && attachments.some(isOriginal)
  )
}

function junkReport(mail: ParsedMail, raw: Buffer): ComplaintReport {
  const { headers } = readHeaderFields(mail.attachments.find(isOriginal)!.content)
  const named = headers.filter(({ name }) => name === 'x-hmxmroriginalrecipient').map(({ value }) => value)
  return {
    kind: 'complaint',
    feedbackType: 'abuse',
    recipients: addressesIn(named.join(' ')),
    original: readOriginal(mail, raw),
  }
}
