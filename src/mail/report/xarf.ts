import type { ParsedAttachment, ParsedMail } from '../parsed.ts'
import type { ComplaintReport } from '../report.ts'
import { addressesIn } from './addresses.ts'
import { originalIn, withSender } from './original.ts'

const JSON_PART = /^application\/(?:[a-z.]+\+)?json$/
const MAX_JSON_BYTES = 256 * 1_024
const MAX_SAMPLES = 3

type Fields = Readonly<Record<string, unknown>>

/** A report in XARF, version 3 or 4, of mail that somebody did not want. */
export function readXarf(mail: ParsedMail): ComplaintReport | null {
  for (const part of mail.attachments) {
    const fields = JSON_PART.test(part.contentType) ? fieldsOf(part) : null
    const report = fields && (ofVersion4(fields) ?? ofVersion3(fields))
    if (report) return report
  }
  return null
}

function ofVersion4(fields: Fields): ComplaintReport | null {
  const category = fields.category ?? fields.class
  if (typeof fields.xarf_version !== 'string' || category !== 'messaging') return null
  const samples = listOf(fields.evidence).map(({ content_type: type, payload }) => sampleOf(type, payload, true))
  return complaint({ samples, sender: fields.smtp_from, recipient: fields.smtp_to })
}

function ofVersion3({ Report: report }: Fields): ComplaintReport | null {
  if (!isFields(report) || !/^spam$/i.test(textOf(report.ReportType))) return null
  const samples = listOf(report.Samples).map(({ ContentType: type, Payload: payload, Base64Encoded: isEncoded }) =>
    sampleOf(type, payload, isEncoded === true),
  )
  return complaint({ samples, sender: report.SmtpMailFromAddress, recipient: report.SmtpRcptToAddress })
}

function complaint({
  samples,
  sender,
  recipient,
}: {
  samples: readonly (Buffer | null)[]
  sender: unknown
  recipient: unknown
}): ComplaintReport {
  const sample = samples.find((one) => one !== null)
  return {
    kind: 'complaint',
    feedbackType: 'abuse',
    recipients: addressesIn(textOf(recipient)),
    original: withSender(sample ? originalIn(sample) : null, textOf(sender)),
  }
}

const sampleOf = (type: unknown, payload: unknown, isEncoded: boolean): Buffer | null =>
  typeof payload === 'string' && /^message\/rfc822/i.test(textOf(type))
    ? Buffer.from(payload, isEncoded ? 'base64' : 'utf8')
    : null

function fieldsOf({ content }: ParsedAttachment): Fields | null {
  if (content.length > MAX_JSON_BYTES) return null
  try {
    const value: unknown = JSON.parse(content.toString('utf8'))
    return isFields(value) ? value : null
  } catch {
    return null
  }
}

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null
const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.slice(0, MAX_SAMPLES).filter(isFields) : [])
const textOf = (value: unknown): string => (typeof value === 'string' ? value.slice(0, 1_000) : '')
