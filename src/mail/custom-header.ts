import { isAscii } from './ascii.ts'
import { hasUnfoldable, isStructured } from './mime/header-line.ts'

// Postfix cuts off what is longer than 102,400 bytes (header_size_limit), and with it the signature. Encoded, a character takes
// up to twelve of them.
const MAX_VALUE_LENGTH = 8_000

/** Headers that are ours to write: who, when, what kind, which way, and what vouches for it. In lower case. */
export const RESERVED_HEADERS: ReadonlySet<string> = new Set([
  ...['from', 'sender', 'reply-to', 'to', 'cc', 'bcc', 'subject', 'date', 'message-id'],
  ...['mime-version', 'content-type', 'content-transfer-encoding', 'content-disposition', 'content-id'],
  ...['return-path', 'received', 'received-spf', 'delivered-to', 'authentication-results'],
  ...['dkim-signature', 'domainkey-signature', 'arc-seal', 'arc-message-signature', 'arc-authentication-results'],
  ...['resent-from', 'resent-sender', 'resent-to', 'resent-cc', 'resent-bcc', 'resent-date', 'resent-message-id'],
])

/** Printable ASCII without the colon (RFC 5322), and short enough for its value to begin on the same line. */
export function isHeaderName(text: string): boolean {
  return text.length <= 76 && /^[!-9;-~]+$/.test(text)
}

export const isReserved = (name: string) => RESERVED_HEADERS.has(name.toLowerCase())

/** Why a caller may not give this header, as a sentence for them, or null when they may. A reserved one is left out afterwards. */
export function refuseHeader(name: string, value: string): string | null {
  if (!isHeaderName(name)) return 'A header name is made of printable ASCII characters other than the colon.'
  if (/[\p{Cc}\p{Cs}]/u.test(value)) return `The header \`${name}\` contains a line break or another control character.`
  if (isReserved(name)) return null
  if (value.length > MAX_VALUE_LENGTH) return `The header \`${name}\` is longer than ${MAX_VALUE_LENGTH} characters.`
  if (isStructured(name) && !isAscii(value)) return `The header \`${name}\` can only contain ASCII characters.`
  if (isAscii(value) && hasUnfoldable(name, value.trim())) {
    return `The header \`${name}\` has more than 998 characters without white space to fold at.`
  }
  return null
}
