import { domainToASCII } from 'node:url'
import { isAscii } from './ascii.ts'
import type { Mailbox } from './message.ts'

// Lone surrogates (Cs) are no characters: they would reach the wire as U+FFFD, which is another mailbox.
const LOCAL_PART = /^[^\s@<>()[\]\\,;:"\p{Cc}\p{Cs}]+$/u
const LABEL = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?$/u
const DOT_ATOM = /^[^.]+(?:\.[^.]+)*$/
/** What nearly all addresses look like: the rules below let them pass, at ten times the cost. */
const USUAL =
  /^[\w!#$%&'*+/=?^`{|}~.-]{1,64}@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i
const PRINTABLE_ASCII = /^[ -~]*$/
const UNPRINTABLE = /[\p{Cc}\p{Cs}\u2028\u2029]/u
const QUOTED = /^"((?:[^"\\]|\\.)*)"$/

// As long as a line of a header may be. No real mailbox comes near, and hostile text is refused before it is looked at.
const MAX_MAILBOX_LENGTH = 998

/**
 * Whether the text is a bare address that mail can be sent to: `ada@example.com`, internationalised ones included. Stricter
 * than RFC 5322 (no comments, no quoted local parts: nobody has one) and no stricter than what real mailboxes use.
 */
export function isAddress(text: string): boolean {
  if (text.length > 254) return false
  if (USUAL.test(text)) return true
  const at = text.lastIndexOf('@')
  const local = text.slice(0, at)
  return at > 0 && local.length <= 64 && LOCAL_PART.test(local) && isDomain(text.slice(at + 1))
}

/** At least two labels: mail between machines needs a full name. The limits are those of its ASCII form: DNS is asked for that. */
export function isDomain(text: string): boolean {
  if (text.length > 253) return false
  const labels = text.split('.')
  if (labels.length < 2 || !labels.every((label) => LABEL.test(label))) return false
  const ascii = isAscii(text) ? text : domainToASCII(text)
  return ascii !== '' && ascii.length <= 253 && ascii.split('.').every((label) => label.length <= 63)
}

/** `a@b.c`, `Name <a@b.c>` or `"Quoted, Name" <a@b.c>`; null for anything else, a list of mailboxes included. */
export function parseMailbox(text: string): Mailbox | null {
  if (text.length > MAX_MAILBOX_LENGTH) return null
  const mailbox = text.trim()
  if (!PRINTABLE_ASCII.test(mailbox) && UNPRINTABLE.test(mailbox)) return null
  if (!mailbox.endsWith('>')) return isAddress(mailbox) ? { name: null, address: mailbox } : null

  const open = mailbox.lastIndexOf('<')
  const address = mailbox.slice(open + 1, -1).trim()
  const name = open < 0 ? null : nameOf(mailbox.slice(0, open).trim())
  return name !== null && isAddress(address) ? { name: name || null, address } : null
}

/**
 * The name that was meant, or null when it cannot be one. `Acme, Inc.` should have been quoted, but can mean nothing else; with
 * an `@` beside the comma it may be the beginning of a list.
 */
function nameOf(phrase: string): string | null {
  if (phrase.startsWith('"')) {
    const quoted = QUOTED.exec(phrase)
    return quoted ? quoted[1]!.replace(/\\(.)/gu, '$1').trim() : null
  }
  if (/[<>]/.test(phrase)) return null
  return /[,;]/.test(phrase) && phrase.includes('@') ? null : phrase
}

export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase()
}

/** The form for DNS, SMTP and headers. ASCII names stay out of `domainToASCII`, which looks for IP addresses in them. */
export function toAsciiDomain(domain: string): string {
  return (isAscii(domain) ? domain : domainToASCII(domain) || domain).toLowerCase()
}

/** As addresses are compared: in lower case, the domain in ASCII. Nobody has two mailboxes that differ in nothing else. */
export function comparableAddress(address: string): string {
  const at = address.lastIndexOf('@')
  return `${address.slice(0, at + 1).toLowerCase()}${toAsciiDomain(address.slice(at + 1))}`
}

const ASCII_UPPER = /[A-Z]+/g

/**
 * As addresses are compared where somebody may gain by being taken for another: letters of the local part beyond ASCII stay as they are. The sign
 * for Kelvin becomes a `k` in lower case, and is another mailbox.
 */
export function canonicalAddress(address: string): string {
  const at = address.lastIndexOf('@')
  const local = address.slice(0, at).replace(ASCII_UPPER, (letters) => letters.toLowerCase())
  return `${local}@${toAsciiDomain(address.slice(at + 1))}`
}

/** `ada+news@example.com` is a way to reach `ada@example.com`. */
export const withoutTag = (address: string): string => address.replace(/^([^+]+)\+.*@/, '$1@')

/** Only a local part can ask for SMTPUTF8 (RFC 6531): a domain has its ASCII form. */
export function needsSmtpUtf8(address: string): boolean {
  return !isAscii(wireAddress(address))
}

/**
 * The address as SMTP and headers spell it. Next to a local part that is not ASCII the domain keeps its letters too: whoever
 * can read the one can read the other. Two dots in a row are real mailboxes (Japanese operators gave them out), and only
 * allowed in quotes.
 */
export function wireAddress(address: string): string {
  const at = address.lastIndexOf('@')
  const local = address.slice(0, at)
  const domain = address.slice(at + 1)
  const spelled = DOT_ATOM.test(local) ? local : `"${local}"`
  return `${spelled}@${isAscii(local) && !isAscii(domain) ? toAsciiDomain(domain) : domain}`
}
