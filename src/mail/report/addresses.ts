import { isAddress } from '../address.ts'

const BEFORE_AT = /[^\s<>()[\]\\,;:"'`|@]/
const AFTER_AT = /[^\s<>()[\]\\,;:"'`|@!?/]/
const MAX_LOCAL_PART_LENGTH = 64
const MAX_DOMAIN_LENGTH = 253

export interface FoundAddress {
  readonly address: string
  readonly start: number
  readonly end: number
}

/** What looks like an address, in the order of the text. Each `@` is looked at once, and not far. */
export function* findAddresses(text: string): Generator<FoundAddress> {
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    let start = at
    while (start > 0 && at - start < MAX_LOCAL_PART_LENGTH && BEFORE_AT.test(text[start - 1]!)) start -= 1
    let end = at + 1
    while (end < text.length && end - at <= MAX_DOMAIN_LENGTH && AFTER_AT.test(text[end]!)) end += 1
    // The end of a sentence, or the three dots of sendmail.
    while (text[end - 1] === '.') end -= 1
    // `dda:SMTP=someone@example.com` of X.400.
    if (/^smtp=/i.test(text.slice(start, start + 5))) start += 5
    const address = text.slice(start, end)
    if (isAddress(address)) yield { address, start, end }
  }
}

/** What a report says about whom is looked up among the recipients of a mail: nobody reports about so many at once. */
export const MAX_ADDRESSES = 100

/** The first of them, each once. */
export function addressesIn(text: string): string[] {
  const found = new Set<string>()
  for (const { address } of findAddresses(text)) {
    found.add(address)
    if (found.size === MAX_ADDRESSES) break
  }
  return [...found]
}
