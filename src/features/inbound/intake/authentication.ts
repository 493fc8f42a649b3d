import type { RecordType, Resolver } from '../../../adapters/dns/resolver.ts'
import { ThreadLimitReached } from '../../../platform/worker-threads/work.ts'
import { type LookupDeadline, LookupTimer } from './lookup-deadline.ts'
import { Lookups } from './lookups.ts'
import { authenticateInWorker } from './parser-pool.ts'
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

type Message = Pick<StoredReceived, 'clientAddress' | 'helo' | 'envelopeFrom' | 'from'> & { readonly raw: Buffer }

/** Of a message that cannot be checked in the time that there is for it: it never will be, and nothing of it is proven. */
export const NOT_CHECKED: Authentication = {
  spf: { result: 'permerror', domain: null },
  dkim: [{ result: 'permerror', domain: null, selector: null }],
  dmarc: { result: 'permerror', domain: null, policy: null },
  arc: { result: 'permerror' },
}

/** Asks SPF, DKIM, DMARC and ARC about a message. Nothing is refused for what they say: that is for its reader to decide. */
export async function authenticationOf(
  { raw, clientAddress, helo, envelopeFrom, from }: Message,
  { resolver, hostname, deadline }: { resolver: Resolver; hostname: string; deadline: LookupDeadline },
): Promise<Authentication> {
  const timer = new LookupTimer(deadline)
  const checked = { clientAddress, helo, envelopeFrom, from, hostname }
  try {
    return await authenticateInWorker(raw, checked, answering(resolver, { timer, clientAddress }))
  } catch (error) {
    if (error instanceof ThreadLimitReached) return NOT_CHECKED
    throw error
  } finally {
    timer.end()
  }
}

/** How many of the results are none because a name server did not answer. */
export const countTemporary = ({ spf, dkim, dmarc, arc }: Authentication): number =>
  [spf, ...dkim, dmarc, arc].filter(({ result }) => result === 'temperror').length

/** What a thread wants to know of the DNS. */
export interface Question {
  readonly name: string
  readonly type: string
}

/** What it hears: records in the form of Node's resolver, or the code of the error that says why there are none. */
export type DnsReply = { readonly records: readonly unknown[] } | { readonly code: string }

const CODES = { no_such_name: 'ENOTFOUND', no_such_record: 'ENODATA' } as const
const NO_ANSWER: DnsReply = { code: 'ETIMEOUT' }

/** SPF may ask 10 names and what these name; ten signatures a key each. */
const MAX_QUESTIONS = 50

const lookupsOf = new WeakMap<Resolver, Lookups>()

function sharedLookups(resolver: Resolver): Lookups {
  const known = lookupsOf.get(resolver) ?? new Lookups(resolver)
  lookupsOf.set(resolver, known)
  return known
}

/** Answers a thread's questions to name servers. An answer that does not come is `temperror`. */
function answering(
  resolver: Resolver,
  { timer, clientAddress }: { timer: LookupTimer; clientAddress: string },
): (question: Question) => Promise<DnsReply> {
  const lookups = sharedLookups(resolver)
  let asked = 0
  return async ({ name, type }) => {
    if (++asked > MAX_QUESTIONS) return NO_ANSWER
    // SPF asks for the names of one address only, and ours are asked for by address.
    const lookup = lookups.lookup(type === 'PTR' ? withoutPrefix(clientAddress) : name, type as RecordType)
    const answer = await timer.for(lookup).catch(() => null)
    if (answer === null || answer.kind === 'failed') return NO_ANSWER
    if (answer.kind === 'none') return { code: CODES[answer.reason] }
    if (type === 'TXT') return { records: answer.records.map((record) => [record]) }
    if (type === 'MX') return { records: answer.records.map(asNodes) }
    return { records: answer.records }
  }
}

const asNodes = (record: unknown) => {
  const { exchange, preference } = record as { exchange: string; preference: number }
  return { exchange, priority: preference }
}

/** An IPv4 address may come as one of IPv6. */
const withoutPrefix = (address: string) => address.replace(/^::ffff:(?=[\d.]+$)/i, '')
