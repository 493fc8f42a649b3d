import { MAX_HEADER_BYTES, MAX_HEADER_FIELDS } from './parse/limits.ts'

/** Most mail has one or two. A verifier may stop at a number of its own (RFC 6376, 6.1). */
const MAX_SIGNATURES = 10
/** Each signature may want the body in another form, which takes some 150 ms for a megabyte: so much of it is read for all of them. */
const MAX_BODY_BYTES = 80 * 1024 * 1024

const SIGNATURE = /^(dkim-signature|arc-message-signature)[ \t]*:/i
const SIGNED_BY = /^(?:dkim-signature|arc-[a-z-]+)[ \t]*:/i

/** Folded ones included, which the library puts together in time that grows with the square of their number. */
const MAX_HEADER_LINES = 5_000

/**
 * The message without the signatures that nobody has the time to check: the first ten count, or fewer in a large message. Of one
 * whose header is larger than any that is honest the beginning of the header is left, without any: none could be good. Lines end
 * in CRLF.
 */
export function withBoundedSignatures(raw: Buffer): Buffer {
  const end = raw.indexOf('\r\n\r\n')
  const headerLength = end === -1 ? raw.length : end
  const length = boundedLength(raw, Math.min(headerLength, MAX_HEADER_BYTES))
  const fields = raw.toString('latin1', 0, length).split(/\r\n(?![ \t])/)
  const bounded = withoutExcess(fields, Math.max(1, Math.min(MAX_SIGNATURES, Math.floor(MAX_BODY_BYTES / raw.length))))
  if (length < headerLength || bounded.length > MAX_HEADER_FIELDS) {
    const unsigned = bounded.slice(0, MAX_HEADER_FIELDS).filter((field) => !SIGNED_BY.test(field))
    return Buffer.from(`${unsigned.join('\r\n')}\r\n\r\n`, 'latin1')
  }
  if (bounded.length === fields.length) return raw
  return Buffer.concat([Buffer.from(bounded.join('\r\n'), 'latin1'), raw.subarray(headerLength)])
}

/** As much of the beginning as has no more lines than it may. */
function boundedLength(raw: Buffer, most: number): number {
  let at = 0
  for (let lines = 0; lines < MAX_HEADER_LINES; lines++) {
    const next = raw.indexOf('\r\n', at)
    if (next < 0 || next >= most) return most
    at = next + 2
  }
  return at - 2
}

function withoutExcess(fields: readonly string[], most: number): string[] {
  const counts = new Map<string, number>()
  return fields.filter((field) => {
    const name = SIGNATURE.exec(field)?.[1]?.toLowerCase()
    if (name === undefined) return true
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    return count <= most
  })
}
