import type { Content } from '../message/contents.ts'

const URL_HOST = /https?:\/\/(?:[^\s/?#"'<>@]{0,200}@)?([a-z0-9.-]{1,253})/gi
const MAX_CHARACTERS = 1_000_000
const MAX_DOMAINS = 50

/** The domains that an email links to, as far as it can be told without making the message. */
export function urlDomainsOf({ html, text, broadcastContent, submitted }: Content): string[] {
  const domains = new Set<string>()
  const raw = submitted?.raw?.subarray(0, MAX_CHARACTERS).toString('latin1')
  const parts = [html, text, broadcastContent?.html, broadcastContent?.text, raw]
  for (const part of parts)
    for (const [, host] of (part ?? '').slice(0, MAX_CHARACTERS).matchAll(URL_HOST)) {
      domains.add(host!.toLowerCase().replace(/\.$/, ''))
      if (domains.size >= MAX_DOMAINS) return [...domains]
    }
  return [...domains]
}

/**
 * Whom a reply means that speaks of "your URL domain" and names none: those of the sender's own domain if it links there, else all that
 * it links to.
 */
export function blamedDomains(domains: readonly string[], senderDomain: string | null): string[] {
  const isOwn = (domain: string) =>
    senderDomain !== null && (domain === senderDomain || domain.endsWith(`.${senderDomain}`))
  const own = domains.filter(isOwn)
  return own.length > 0 ? own : [...domains]
}
