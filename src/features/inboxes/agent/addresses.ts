import { domainOf, parseMailbox, toAsciiDomain } from '../../../mail/address.ts'

/** As addresses are compared: bare, in lower case, the domain in ASCII. What is none stays as it is. */
export function bareAddress(text: string): string {
  // Some senders write what is no mailbox, and mean the address at its end.
  const found = parseMailbox(text)?.address ?? /<([^<>]*)>\s*$/.exec(text.slice(-1_000))?.[1] ?? text
  const address = found.trim().toLowerCase()
  const at = address.lastIndexOf('@')
  return at < 0 ? address : `${address.slice(0, at)}@${toAsciiDomain(domainOf(address))}`
}

/** Without what stands behind a `+`: mail for both comes to one inbox. */
export const withoutTag = (address: string): string => address.replace(/\+[^@]*@/, '@')
