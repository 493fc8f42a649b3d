import type { ParsedMail } from '../parsed.ts'
import { type DmarcReport, readDmarcReport } from './dmarc-report.ts'
import { MAX_FILES, MAX_JSON_BYTES, MAX_XML_BYTES } from './limits.ts'
import { readTlsReport, type TlsReport } from './tls-report.ts'
import { UnreadableReport, unpack } from './unpack.ts'

export type DomainReport = DmarcReport | TlsReport
export type DomainReportKind = DomainReport['kind']

/** What a mail reports about a domain, or why it reports nothing that can be read. */
export type ReadDomainReport = { readonly report: DomainReport } | { readonly fault: string }

const READERS = {
  dmarc: { maxBytes: MAX_XML_BYTES, read: readDmarcReport },
  tls: { maxBytes: MAX_JSON_BYTES, read: readTlsReport },
} satisfies Record<DomainReportKind, { maxBytes: number; read(file: Buffer): DomainReport }>

/** The first of its attachments that is a report of this kind. All that is unpacked on the way to it counts together. */
export function readDomainReport(
  mail: Pick<ParsedMail, 'attachments' | 'text'>,
  kind: DomainReportKind,
): ReadDomainReport {
  const files = mail.attachments.slice(0, MAX_FILES).map(({ content }) => content)
  // Some send it as the text of the mail.
  if (files.length === 0 && mail.text) files.push(Buffer.from(mail.text.trim()))
  const { maxBytes, read } = READERS[kind]
  let room = maxBytes
  let fault = 'the mail has no attachment'
  for (const file of files) {
    try {
      const content = unpack(file, room)
      room -= content.length
      return { report: read(content) }
    } catch (error) {
      if (!(error instanceof UnreadableReport)) throw error
      fault = error.message
      if (error.isTooLarge) break
    }
  }
  return { fault }
}
