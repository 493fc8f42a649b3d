import { wireAddress } from '../../../../mail/address.ts'
import { headerLine } from '../../../../mail/mime/header-line.ts'

// Mail as servers at the other end write it about a mail of ours. No I/O and no clock: what it is made of is given.

/** What a report is about, and when it is written. */
export interface Reported {
  /** The header of the mail as it was delivered, see `headerOf`. */
  readonly header: Buffer
  readonly recipient: string
  /** The return path of the mail. */
  readonly returnPath: string
  readonly date: Date
  /** What boundaries and Message-IDs are made of. */
  readonly seed: string
}

export interface ReportPart {
  readonly type: string
  readonly content: string | Buffer
}

const MOST_HEADER_BYTES = 64 * 1_024

/** The mail server of a recipient. */
export const serverOf = (recipient: string) => `mx.${domainOf(recipient)}`

export const domainOf = (recipient: string) => {
  const address = wireAddress(recipient)
  return address.slice(address.lastIndexOf('@') + 1)
}

/** The header of a message: of the mail that a report is about it tells all that anybody reads. A copy, so that the rest can go. */
export function headerOf(message: Buffer): Buffer {
  const end = message.indexOf('\r\n\r\n')
  return Buffer.from(message.subarray(0, Math.min(end < 0 ? message.length : end + 2, MOST_HEADER_BYTES)))
}

/** A `multipart/report` (RFC 6522), from the system that writes it to where the mail came from. */
export function reportMail(
  { recipient, returnPath, date, seed }: Reported,
  { from, subject, type, parts }: { from: string; subject: string; type: string; parts: readonly ReportPart[] },
): Buffer {
  const boundary = `report-${seed}`
  const head = [
    headerLine('Date', date.toUTCString().replace('GMT', '+0000')),
    headerLine('Message-ID', `<${seed}@${serverOf(recipient)}>`),
    headerLine('From', from),
    headerLine('To', returnPath),
    headerLine('Subject', subject),
    headerLine('Auto-Submitted', 'auto-replied'),
    headerLine('MIME-Version', '1.0'),
    `Content-Type: multipart/report; report-type=${type};\r\n boundary="${boundary}"\r\n`,
  ].join('')
  const body = parts.flatMap(({ type: partType, content }) => [
    `\r\n--${boundary}\r\nContent-Type: ${partType}\r\n\r\n`,
    content,
  ])
  return Buffer.concat([head, ...body, `\r\n--${boundary}--\r\n`].map((piece) => Buffer.from(piece)))
}

/** Fields as reports have them, a line each. */
export const fieldsOf = (fields: Readonly<Record<string, string>>) =>
  Object.entries(fields)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
