import { dmarc } from 'mailauth/lib/dmarc/index.js'
import { parseMailbox } from '../../../mail/address.ts'
import type { Authentication } from './authentication.ts'
import type { Resolve } from './checks.ts'

type Dmarc = Authentication['dmarc']

/** Whom a message says it is from. */
export interface Authors {
  /** Of all From fields. */
  readonly addresses: readonly string[]
  /** How many From fields there are. */
  readonly fields: number
  /** The sender as it is shown. */
  readonly shown: string
}

/** Domains that were proven to have sent or signed the message. */
export interface Identities {
  readonly spf: string | null
  readonly dkim: readonly string[]
}

/** Domains of authors that are asked for their policies, up to eight questions for each. Real mail has one. */
const MOST_DOMAINS = 4

/**
 * DMARC is about one author domain (RFC 9989, 5.3.1). A message with several, or with several From fields, could show one and prove
 * another, so it is judged by the worst of them: it passes only when all do, and is without a policy only when none has one.
 * With several From fields it never passes, whatever they say: a signature covers one of them, and a reader may be shown another.
 */
export async function checkDmarc(authors: Authors, { spf, dkim }: Identities, resolver: Resolve): Promise<Dmarc> {
  const addresses = authorAddresses(authors)
  const results: Dmarc[] = []
  for (const address of addresses.slice(0, MOST_DOMAINS)) {
    const result = await dmarc({
      headerFrom: [address],
      fromFields: 1,
      spfDomains: spf === null ? [] : [spf],
      dkimDomains: dkim.map((domain) => ({ id: domain, domain })),
      resolver,
      strict: true,
    })
    results.push(
      result
        ? { result: result.status.result, domain: result.domain || null, policy: result.policy || null }
        : UNKNOWN_AUTHOR,
    )
  }
  if (addresses.length > MOST_DOMAINS) results.push(UNKNOWN_AUTHOR)
  return worst(results, authors.fields > 1)
}

const UNKNOWN_AUTHOR: Dmarc = { result: 'none', domain: null, policy: null }

/** One for each domain; first the one that is shown, which may be another than the library finds in a From that is none. */
function authorAddresses({ addresses, shown }: Authors): string[] {
  const shownAddress = parseMailbox(shown)?.address
  const all = shownAddress === undefined ? addresses : [shownAddress, ...addresses]
  return [...new Map(all.map((address) => [domainIn(address), address])).values()]
}

const domainIn = (address: string) =>
  address
    .slice(address.lastIndexOf('@') + 1)
    .toLowerCase()
    .replace(/\.$/, '')

const STRENGTH: Record<string, number> = { none: 1, quarantine: 2, reject: 3 }
const strengthOf = ({ policy }: Dmarc) => (policy === null ? 0 : (STRENGTH[policy] ?? 0))

export function worst(results: readonly Dmarc[], hasManyFields: boolean): Dmarc {
  const [first = UNKNOWN_AUTHOR] = results
  if (results.length <= 1 && !hasManyFields) return first
  const strictest = (some: readonly Dmarc[]) => some.toSorted((a, b) => strengthOf(b) - strengthOf(a))[0]
  const failed = strictest(results.filter(({ result }) => result === 'fail'))
  if (failed) return failed
  const unknown = results.find(({ result }) => result === 'temperror')
  if (unknown) return unknown
  if (!hasManyFields && results.every(({ result }) => result === 'pass')) return first
  const passed = strictest(results.filter(({ result }) => result === 'pass'))
  if (passed) return { ...passed, result: 'fail' }
  return hasManyFields ? { ...first, result: 'permerror' } : first
}
