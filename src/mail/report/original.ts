import { CR, LF } from '../parse/bytes.ts'
import { readHeaderBlock } from '../parse/header-block.ts'
import { MAX_HEADER_BYTES } from '../parse/limits.ts'
import { readHeaderFields } from '../parse.ts'
import type { HeaderFields, ParsedAttachment, ParsedMail } from '../parsed.ts'
import type { OriginalMail } from '../report.ts'
import { addressesIn } from './addresses.ts'
import { splitAtOriginal } from './original-in-text.ts'

const ORIGINAL_PART = /^(?:message\/(?:rfc822|global|rfc822-headers|global-headers)|text\/(?:x-)?rfc822(?:-headers)?)$/

// Where servers write the envelope sender down, and where we do: in a header that is within the signature.
const RETURN_PATHS = new Set([
  'return-path',
  'x-return-path',
  'x-envelope-from',
  'x-original-return-path',
  'envelope-from',
  'cfbl-address',
])

const MAX_BODY_BYTES = 128 * 1_024

export function isOriginal({ contentType }: ParsedAttachment): boolean {
  return ORIGINAL_PART.test(contentType)
}

/** The mail in question: attached, copied into the text, or anywhere among the bytes of a report that is badly put together. */
export function readOriginal(mail: ParsedMail, raw: Buffer): OriginalMail | null {
  const attached = mail.attachments.find(isOriginal)
  const header = (attached && headerOf(attached.content)) ?? splitAtOriginal(mail.text ?? '').original ?? inBytes(raw)
  return header && originalOf(header)
}

/** The same of its bytes. */
export function originalIn(content: Buffer): OriginalMail | null {
  const header = headerOf(content)
  return header && originalOf(header)
}

/** With what a report says besides about whom the mail was sent from. */
export function withSender(original: OriginalMail | null, originalMailFrom: string): OriginalMail | null {
  const senders = addressesIn(originalMailFrom)
  if (senders.length === 0) return original
  const { messageId, returnPaths, to } = original ?? { messageId: null, returnPaths: [], to: [] }
  return { messageId, returnPaths: [...new Set([...returnPaths, ...senders])], to }
}

function headerOf(content: Buffer): HeaderFields | null {
  let start = 0
  while (content[start] === LF || content[start] === CR) start += 1
  const fields = readHeaderFields(content.subarray(start))
  return fields.headers.length === 0 ? null : fields
}

function inBytes(raw: Buffer): HeaderFields | null {
  const { end } = readHeaderBlock(raw, { start: 0, maxBytes: MAX_HEADER_BYTES, isBodyWanted: true })
  return splitAtOriginal(raw.toString('latin1', end, end + MAX_BODY_BYTES).replaceAll('\r', '')).original
}

function originalOf({ messageId, to, headers }: HeaderFields): OriginalMail {
  const returnPaths = headers.flatMap(({ name, value }) => (RETURN_PATHS.has(name) ? addressesIn(value) : []))
  return { messageId, returnPaths: [...new Set(returnPaths)], to: addressesIn(to.join(' ')) }
}
