import type { DkimSigner } from '../mail/dkim.ts'
import type { Clock } from '../platform/clock.ts'
import { ExpiringCache } from '../platform/dns/expiring-cache.ts'
import type { LinkSigner } from '../platform/links.ts'
import type { SenderIdentity } from './smtp-transport.ts'
import { trackerFor } from './tracking.ts'

/** What mail that leaves has to know of its sender's domain. */
export interface SendingDomain {
  readonly canSend: boolean
  readonly tls: 'opportunistic' | 'enforced'
  readonly returnPathHost: string
  readonly tracking: {
    readonly opens: boolean
    readonly clicks: boolean
    /** Null: tracked links go through the public address of the installation. */
    readonly host: string | null
  }
}

/** Whoever keeps the domains. */
export interface SendingDomains {
  find(team: string, domainId: string): Promise<SendingDomain | undefined>
  /** Its keys, opened. */
  loadSigners(team: string, domainId: string): Promise<readonly DkimSigner[]>
}

interface IdentityParts {
  readonly clock: Clock
  readonly domains: SendingDomains
  readonly links: LinkSigner
  publicUrl(): string
}

/** Keys are opened once in a while and not for each mail; a changed setting of a domain counts within this time. */
const IDENTITY_SECONDS = 30
const MOST_IDENTITIES = 1_000

/** In whose name mail goes out, by the domain of its sender. Null: it may not. */
export function identities(parts: IdentityParts): (team: string, domainId: string) => Promise<SenderIdentity | null> {
  const cache = new ExpiringCache<SenderIdentity | null>({ clock: parts.clock, maxEntries: MOST_IDENTITIES })
  return async (team, domainId) => {
    const known = cache.get(domainId)
    if (known !== undefined) return known
    const identity = await loadIdentity(parts, team, domainId)
    cache.set(domainId, identity, IDENTITY_SECONDS)
    return identity
  }
}

async function loadIdentity(
  { domains, links, publicUrl }: IdentityParts,
  team: string,
  domainId: string,
): Promise<SenderIdentity | null> {
  const domain = await domains.find(team, domainId)
  if (!domain?.canSend) return null
  const signers = await domains.loadSigners(team, domainId)
  const { opens, clicks, host } = domain.tracking
  const ownUrl = publicUrl()
  const wishes = { opens, clicks, baseUrl: host ? `https://${host}` : ownUrl }
  return {
    returnPathDomain: domain.returnPathHost,
    requireTls: domain.tls === 'enforced',
    signers,
    trackerFor: (email, recipient) =>
      opens || clicks ? trackerFor(email, recipient, { wishes, links, ownUrl }) : null,
  }
}
