// Not a part of an IP address or a version; a full stop may follow.
const ENHANCED = /(?<![\w.])[245]\.\d{1,3}\.\d{1,3}(?!\.?\d)/

/** The first enhanced status code (RFC 3463) in the text. */
export function statusIn(text: string): string | null {
  return ENHANCED.exec(text)?.[0] ?? null
}
