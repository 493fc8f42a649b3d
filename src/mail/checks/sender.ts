import { domainOf, parseMailbox, toAsciiDomain } from '../address.ts'
import { registrableDomain } from '../registrable-domain.ts'
import type { Steps } from '../steps.ts'
import { atMost, type Found } from './finding.ts'
import { isLocalHost, type ReadLink } from './links.ts'

/** Who sends a message, and what is done to it on its way. */
export interface CheckedSender {
  /** As the header has it: `Ada <ada@acme.dev>`. */
  readonly from: string
  readonly replyTo: readonly string[]
  /** Through which host clicks and opens are counted. Null: they are not. */
  readonly tracking: { readonly clicks: string | null; readonly opens: string | null }
}

/** `noreply`, `do-not-reply`, `orders_no.reply+7`. */
const NO_REPLY = /(?:^|[-_.+])(?:no|do[-_.]?not|dont)[-_.]?reply(?:$|[-_.+\d])/i

/** Of the address, in ASCII. Null: there is none that can be read. */
export function sendingDomain({ from }: Pick<CheckedSender, 'from'>): string | null {
  const mailbox = parseMailbox(from)
  return mailbox && toAsciiDomain(domainOf(mailbox.address))
}

/** What is wrong with the address that a message comes from. */
export function findSenderFaults(sender: CheckedSender): Found[] {
  const domain = sendingDomain(sender)
  if (domain === null) return []
  const found: Found[] = []
  // Answers go to Reply-To where there is one.
  const answered = sender.replyTo.length > 0 ? sender.replyTo : [sender.from]
  if (answered.every(isNoReply))
    found.push({
      check: 'sender',
      severity: 'notice',
      title: 'Replies are not wanted (no-reply)',
      detail:
        'Mail providers take replies for a sign of wanted mail. Use an address, or a reply_to, that somebody reads.',
    })
  if (registrableDomain(domain) === domain)
    found.push({
      check: 'sender',
      severity: 'notice',
      impact: 'minor',
      title: 'Sent from the root domain',
      detail: `A subdomain, like mail.${domain}, keeps the reputation of this mail apart from all other mail of ${domain}.`,
    })
  return found
}

const isNoReply = (text: string) => {
  const address = parseMailbox(text)?.address ?? ''
  return NO_REPLY.test(address.slice(0, address.lastIndexOf('@')))
}

/** Filters compare the domain of links with that of the sender. Each host once; local ones are another finding. */
export function* findForeignLinks(links: readonly ReadLink[], sender: CheckedSender): Steps<Found[]> {
  const domain = sendingDomain(sender)
  if (domain === null) return []
  const own = registrableDomain(domain)
  const foreign = new Map<string, number>()
  let isOwnLinked = false
  for (const { url, at } of links) {
    yield
    if (url === null || !/^https?:$/.test(url.protocol) || isLocalHost(url.hostname)) continue
    if (registrableDomain(url.hostname) === own) isOwnLinked = true
    else if (!foreign.has(url.hostname)) foreign.set(url.hostname, at)
  }
  return atMost(
    [...foreign].map(([host, at]) => ({
      check: 'links' as const,
      severity: 'notice' as const,
      // Most mail links to others besides. One that links to nobody else looks like phishing.
      impact: isOwnLinked ? ('minor' as const) : ('major' as const),
      title: `A link leads to another domain than ${own}`,
      detail: host,
      at,
    })),
  )
}

/** Links and pictures of a host that many senders share have the reputation of all of them. */
export function findTrackingFaults(sender: CheckedSender): Found[] {
  const domain = sendingDomain(sender)
  if (domain === null) return []
  const own = registrableDomain(domain)
  const { clicks, opens } = sender.tracking
  return [...[{ host: clicks, what: 'Click tracking' }], ...[{ host: opens, what: 'Open tracking' }]].flatMap(
    ({ host, what }): Found[] =>
      host === null || registrableDomain(host) === own
        ? []
        : [
            {
              check: 'tracking',
              severity: 'notice',
              title: `${what} goes through another domain than ${own}`,
              detail: `${host}. Set a tracking subdomain for ${domain}, or switch tracking off.`,
            },
          ],
  )
}
