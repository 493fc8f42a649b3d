import { ExpiringCache } from '../../../../adapters/dns/expiring-cache.ts'
import { domainOf, parseMailbox, toAsciiDomain } from '../../../../mail/address.ts'
import type { DkimSigner } from '../../../../mail/dkim.ts'
import type { Clock } from '../../../../platform/clock.ts'
import type { MaybePromise } from '../../../../platform/concurrency/maybe-promise.ts'
import type { LinkSigner } from '../../../../platform/links.ts'
import type { Email } from '../email.ts'
import type { SenderIdentity } from '../transport/sender.ts'
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
  /** The one with this name that mail may leave from, whichever team it belongs to. */
  findByName(name: string): Promise<{ readonly team: string; readonly id: string } | undefined>
  /** Its keys, opened. */
  loadSigners(team: string, domainId: string): Promise<readonly DkimSigner[]>
}

interface IdentityParts {
  readonly clock: Clock
  readonly domains: SendingDomains
  readonly links: LinkSigner
  publicUrl(): string
  /** The team of what the installation itself sends. */
  systemTeam(): Promise<string>
}

/** Keys are opened once in a while and not for each mail; a changed setting of a domain counts within this time. */
const CACHE_TTL_SECONDS = 30
const CACHE_SIZE = 1_000

type Sent = Pick<Email, 'team' | 'domainId' | 'from'>

/** In whose name mail goes out, by the domain of its sender. Null: it may not. */
export function identities(parts: IdentityParts): (email: Sent) => MaybePromise<SenderIdentity | null> {
  const cache = new ExpiringCache<SenderIdentity | null>({ clock: parts.clock, maxEntries: CACHE_SIZE })
  /** Hundreds of copies of a broadcast find out at the same time that it is to be loaded again. */
  const loading = new Map<string, Promise<SenderIdentity | null>>()
  async function load(key: string, email: Sent): Promise<SenderIdentity | null> {
    try {
      const { team, domainId } = email
      const identity = await (domainId ? loadIdentity(parts, team, domainId) : ownIdentity(parts, email))
      cache.set(key, identity, CACHE_TTL_SECONDS)
      return identity
    } finally {
      loading.delete(key)
    }
  }
  return (email) => {
    const key = email.domainId ?? email.team
    const known = cache.get(key)
    if (known !== undefined) return known
    const loaded = loading.get(key) ?? load(key, email)
    loading.set(key, loaded)
    return loaded
  }
}

/**
 * Mail of the installation itself needs no domain: who may sign in must not depend on what a team has set up. It is signed if a team
 * has verified the domain that it comes from, and is never tracked: its links are for one person alone.
 */
async function ownIdentity(parts: IdentityParts, { team, from }: Sent): Promise<SenderIdentity | null> {
  if (team !== (await parts.systemTeam())) return null
  const name = domainOf(parseMailbox(from)?.address ?? from)
  const domain = await parts.domains.findByName(name)
  const identity = domain && (await loadIdentity(parts, domain.team, domain.id))
  const bare = { returnPathDomain: toAsciiDomain(name), requireTls: false, signers: [] }
  return { ...(identity ?? bare), trackerFor: () => null }
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
  const options = { opens, clicks, baseUrl: host ? `https://${host}` : ownUrl }
  return {
    returnPathDomain: domain.returnPathHost,
    requireTls: domain.tls === 'enforced',
    signers,
    trackerFor: (email, recipient) =>
      opens || clicks ? trackerFor(email, recipient, { options, links, ownUrl }) : null,
  }
}
