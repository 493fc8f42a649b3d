export interface Unsubscribe {
  readonly url: string | null
  readonly mailto: string | null
  /** A POST to the address is enough (RFC 8058). */
  readonly one_click: boolean
}

interface Header {
  readonly name: string
  readonly value: string
}

/** In characters, of all the headers together. What is longer is not looked at. */
const MAX_HEADERS_LENGTH = 16_384

/**
 * How to leave the list, as the headers say (RFC 2369): the first address of each kind, https before http. Null without any. `one_click`
 * is what mail programs make a button of: the second header, word for word, beside an address on the web (RFC 8058).
 */
export function extractUnsubscribe(headers: Iterable<Header>): Unsubscribe | null {
  let listed = ''
  let post = ''
  for (const { name, value } of headers) {
    const known = name.trim().toLowerCase()
    if (known === 'list-unsubscribe' && listed.length < MAX_HEADERS_LENGTH)
      listed = `${listed},${value}`.slice(0, MAX_HEADERS_LENGTH)
    if (known === 'list-unsubscribe-post') post = value.slice(0, MAX_HEADERS_LENGTH)
  }
  const addresses = addressesIn(listed)
  const first = (scheme: RegExp) => addresses.find((address) => scheme.test(address)) ?? null
  const url = first(/^https:\/\/[^/]/i) ?? first(/^http:\/\/[^/]/i)
  const mailto = first(/^mailto:[^?]/i)
  if (url === null && mailto === null) return null
  return { url, mailto, one_click: url !== null && /^list-unsubscribe\s*=\s*one-click$/i.test(post.trim()) }
}

/**
 * What is between angle brackets; what was folded in there belongs together. Whoever forgets the brackets means what stands
 * between commas.
 */
function addressesIn(listed: string): string[] {
  const bracketed = [...listed.matchAll(/<([^<>]*)>/g)].map(([, address]) => address!.replace(/\s+/g, ''))
  if (bracketed.length > 0) return bracketed
  return listed.split(',').map((address) => address.trim().split(/\s/, 1)[0]!)
}
