import { decodeBytes } from '../parse/charset.ts'
import { cleanText } from '../parse/clean-text.ts'

export interface ReportField {
  /** In lower case. */
  readonly name: string
  readonly value: string
}

// Reports are short; what makes them long is the copy of the mail that they are about.
export const MAX_REPORT_LENGTH = 64 * 1_024

// Some indent all of it, so white space in front of one of these continues nothing.
const OF_A_REPORT =
  /^\s*(?:(?:final|original|removal)-recipient|action|status|diagnostic-code|(?:remote|reporting)-mta|feedback-type|original-rcpt-to|original-mail-from)\s*:/i

const FIELD = /^[ \t]{0,8}([A-Za-z][\w-]{1,60})[ \t]{0,8}:(.*)$/

export function reportText(content: Buffer): string {
  return cleanText(decodeBytes(content.subarray(0, MAX_REPORT_LENGTH), null).text)
}

/** The fields of a report (RFC 3464, RFC 5965); null where a line is empty. What is neither is passed over. */
export function readFields(text: string): (ReportField | null)[] {
  const fields: (ReportField | null)[] = []
  let pieces: string[] = []
  let name = ''

  function endField() {
    if (pieces.length > 0)
      fields.push({
        name,
        value: pieces
          .join(' ')
          .replace(/[ \t]{2,}/g, ' ')
          .trim(),
      })
    pieces = []
  }

  for (const line of text.split('\n')) {
    if (pieces.length > 0 && /^[ \t]+\S/.test(line) && !OF_A_REPORT.test(line)) {
      pieces.push(line.trim())
      continue
    }
    endField()
    const [, label, value = ''] = FIELD.exec(line) ?? []
    if (label !== undefined) {
      name = label.toLowerCase()
      pieces = [value.trim()]
    } else if (line.trim() === '') fields.push(null)
  }
  endField()
  return fields
}
