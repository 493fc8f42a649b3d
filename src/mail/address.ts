const LOCAL_PART = /^[^\s@<>()[\]\\,;:"\p{Cc}]+$/u
const LABEL = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?$/u

/**
 * Whether the text is a bare address that mail can be sent to: `ada@example.com`, internationalised ones included. Stricter
 * than RFC 5322 (no comments, no quoted local parts: nobody has one) and no stricter than what real mailboxes use.
 */
export function isAddress(text: string): boolean {
  const at = text.lastIndexOf('@')
  const local = text.slice(0, at)
  const domain = text.slice(at + 1)
  return at > 0 && text.length <= 254 && local.length <= 64 && LOCAL_PART.test(local) && isDomain(domain)
}

/** At least two labels: mail between machines needs a full name. */
export function isDomain(text: string): boolean {
  const labels = text.split('.')
  return labels.length >= 2 && labels.every((label) => label.length <= 63 && LABEL.test(label))
}
