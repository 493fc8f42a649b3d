/**
 * The large providers by the domains of their own mailboxes, as patterns that JavaScript and PostgreSQL read alike. Domains of companies that have their mail there
 * are known by their MX records alone.
 */
export const MAILBOX_DOMAINS: Readonly<Record<string, string>> = {
  gmail: '^(gmail|googlemail)[.]com$',
  outlook: '^(outlook|hotmail|live|msn|windowslive|passport)[.][a-z]{2,3}([.][a-z]{2})?$',
  // Yahoo Japan is another company.
  yahoo:
    '^(yahoo[.](com|[a-z]{2}|com[.][a-z]{2}|co[.](uk|in|id|th|za|nz))|(ymail|rocketmail|aol|aim|netscape)[.]com|verizon[.]net)$',
  icloud: '^(icloud|me|mac)[.]com$',
  comcast: '^comcast[.]net$',
  'mail.ru': '^(mail|bk|inbox|list|internet)[.]ru$',
}

const PATTERNS = Object.entries(MAILBOX_DOMAINS).map(([name, pattern]) => ({ name, pattern: new RegExp(pattern) }))

/** The large provider that a domain's mailboxes are at, by the domain alone. Null: none of these. */
export const mailboxProviderOf = (domain: string): string | null =>
  PATTERNS.find(({ pattern }) => pattern.test(domain.toLowerCase()))?.name ?? null
