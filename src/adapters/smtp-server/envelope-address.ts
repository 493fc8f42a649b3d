import { domainToUnicode } from 'node:url'
import { toAsciiDomain } from '../../mail/address.ts'
import { isAscii } from '../../mail/ascii.ts'

/** RFC 5321 gives a path 256 octets with its brackets. */
const LONGEST_ADDRESS = 254
// Controls, halves of characters, line separators, what could not be read as UTF-8, and marks that turn the direction of text
// around: an address with them looks like another one.
const UNSAFE = /[\p{Cc}\p{Cs}\u2028\u2029\ufffd\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/u
const LABEL = /^[\p{L}\p{M}\p{N}_](?:[\p{L}\p{M}\p{N}_-]*[\p{L}\p{M}\p{N}_])?$/u
const ADDRESS_LITERAL = /^\[[\da-z:.-]+\]$/i
const NEEDLESSLY_QUOTED = /^"([^"\\\s@<>]+)"$/
const LOCAL_PART = /^(?:[^\s"<>]+|"(?:[^"\\]|\\.)*")$/u

/**
 * An address of an envelope as the rest of the program writes addresses, or null when it cannot be one. More is allowed than in
 * mail that we send: `a..b@docomo.example` is a mailbox of somebody, with or without quotes. Empty is the sender of bounces, and
 * `postmaster` needs no domain.
 */
export function readEnvelopeAddress(text: string): string | null {
  if (text === '' || text.toLowerCase() === 'postmaster') return text
  if (Buffer.byteLength(text) > LONGEST_ADDRESS || UNSAFE.test(text)) return null
  const at = text.lastIndexOf('@')
  const local = text.slice(0, at).replace(NEEDLESSLY_QUOTED, '$1')
  const domain = text.slice(at + 1)
  if (!LOCAL_PART.test(local)) return null
  if (at < 1 || !(ADDRESS_LITERAL.test(domain) || domain.split('.').every((label) => LABEL.test(label)))) return null
  if (!isAscii(local)) return `${local}@${domainToUnicode(domain) || domain}`
  // Beside a local part of ASCII the form for DNS is the one that others know.
  return `${local}@${isAscii(domain) ? domain : toAsciiDomain(domain)}`
}
