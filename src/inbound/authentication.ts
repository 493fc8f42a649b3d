import type { authenticate } from 'mailauth'
import { withBoundedSignatures } from '../mail/signatures.ts'
import type { RecordType, Resolver } from '../platform/dns/resolver.ts'
import { Lookups } from './lookups.ts'
import { type Patience, timeout, Waiting } from './patience.ts'
import type { StoredReceived } from './queries.ts'

/** What the checks of a message said, in the words of RFC 8601: pass, fail, none, temperror and so on. */
export interface Authentication {
  readonly spf: { readonly result: string; readonly domain: string | null }
  readonly dkim: readonly {
    readonly result: string
    readonly domain: string | null
    readonly selector: string | null
  }[]
  readonly dmarc: { readonly result: string; readonly domain: string | null; readonly policy: string | null }
  readonly arc: { readonly result: string }
}

/** Asks SPF, DKIM, DMARC and ARC about a message. Nothing is refused for what they say: that is for its reader to decide. */
// biome-ignore-start lint/complexity/useOptionalChain: the library says `false` where others say null
export async function authenticationOf(
  {
    raw,
    clientAddress,
    helo,
    envelopeFrom,
  }: Pick<StoredReceived, 'clientAddress' | 'helo' | 'envelopeFrom'> & { raw: Buffer },
  { resolver, hostname, patience }: { resolver: Resolver; hostname: string; patience: Patience },
): Promise<Authentication> {
  // Loaded with the first message that arrives: it is a quarter of what a start, or a command, would spend on loading.
  const { default: mailauth } = await import('mailauth')
  const waiting = new Waiting(patience)
  const options = {
    ip: clientAddress,
    helo,
    sender: envelopeFrom,
    mta: hostname,
    resolver: asking(resolver, waiting),
    disableBimi: true,
    strict: true,
  } as Parameters<typeof authenticate>[1]
  const checked = mailauth.authenticate(withBoundedSignatures(raw), options)
  const { spf, dkim, dmarc, arc } = await checked.finally(() => waiting.end())
  return {
    spf: { result: resultOf(spf), domain: textOf(spf && spf.domain) },
    // A message without signatures has one result that is about none.
    dkim: (dkim?.results ?? [])
      .filter(({ signingDomain }) => signingDomain)
      .map((one) => ({ result: resultOf(one), domain: textOf(one.signingDomain), selector: textOf(one.selector) })),
    dmarc: {
      result: resultOf(dmarc),
      domain: textOf(dmarc && dmarc.domain),
      policy: textOf(dmarc && dmarc.policy),
    },
    arc: { result: resultOf(arc) },
  }
}

// biome-ignore-end lint/complexity/useOptionalChain: the library says `false` where others say null

/** How many of the results are none because a name server did not answer. */
export const countTemporary = ({ spf, dkim, dmarc, arc }: Authentication): number =>
  [spf, ...dkim, dmarc, arc].filter(({ result }) => result === 'temperror').length

const resultOf = (checked: unknown): string =>
  textOf((checked as { status?: { result?: unknown } } | null | undefined)?.status?.result) ?? 'none'

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

const CODES = { no_such_name: 'ENOTFOUND', no_such_record: 'ENODATA' } as const

/** SPF may ask 10 names and what these name; ten signatures a key each. */
const MAX_QUESTIONS = 50

const lookupsOf = new WeakMap<Resolver, Lookups>()

function sharedLookups(resolver: Resolver): Lookups {
  const known = lookupsOf.get(resolver) ?? new Lookups(resolver)
  lookupsOf.set(resolver, known)
  return known
}

/** Our resolver in the form of Node's, which is what the library knows. An answer that does not come is `temperror`. */
function asking(resolver: Resolver, waiting: Waiting) {
  const lookups = sharedLookups(resolver)
  let asked = 0
  return async (name: string, type = 'A'): Promise<unknown> => {
    if (++asked > MAX_QUESTIONS) throw timeout('too many questions')
    const answer = await waiting.for(lookups.lookup(name, type as RecordType))
    if (answer.kind === 'none') throw Object.assign(new Error(answer.reason), { code: CODES[answer.reason] })
    if (answer.kind === 'failed') throw timeout(answer.reason)
    if (type === 'TXT') return answer.records.map((record) => [record])
    if (type === 'MX')
      return answer.records.map((record) => {
        const { exchange, preference } = record as unknown as { exchange: string; preference: number }
        return { exchange, priority: preference }
      })
    return answer.records
  }
}
