/** Most mail has one or two. A verifier may stop at a number of its own (RFC 6376, 6.1). */
const MAX_SIGNATURES = 10
/** Each signature may want the body in another form, which takes some 150 ms for a megabyte: so much of it is read for all of them. */
const MAX_BODY_BYTES = 80 * 1024 * 1024
const MAX_HEADER_BYTES = 256 * 1024

const SIGNATURE = /^(dkim-signature|arc-message-signature)[ \t]*:/i

/**
 * The message without the signatures that nobody has the time to check: the first ten count, or fewer in a large message. One whose
 * header alone is larger than any that is honest is cut short, and no signature on it will be good. Lines end in CRLF.
 */
export function withBoundedSignatures(raw: Buffer): Buffer {
  const end = raw.indexOf('\r\n\r\n')
  const headerLength = end === -1 ? raw.length : end
  if (headerLength > MAX_HEADER_BYTES) return raw.subarray(0, raw.lastIndexOf('\n', MAX_HEADER_BYTES) + 1)
  const most = Math.max(1, Math.min(MAX_SIGNATURES, Math.floor(MAX_BODY_BYTES / raw.length)))
  const counts = new Map<string, number>()
  const fields = raw.toString('latin1', 0, headerLength).split(/\r\n(?![ \t])/)
  const kept = fields.filter((field) => {
    const name = SIGNATURE.exec(field)?.[1]?.toLowerCase()
    if (name === undefined) return true
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    return count <= most
  })
  if (kept.length === fields.length) return raw
  return Buffer.concat([Buffer.from(kept.join('\r\n'), 'latin1'), raw.subarray(headerLength)])
}
