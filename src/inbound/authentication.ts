import type { authenticate } from 'mailauth'
import type { RecordType, Resolver } from '../platform/dns/resolver.ts'
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
  { resolver, hostname }: { resolver: Resolver; hostname: string },
): Promise<Authentication> {
  // Loaded with the first message that arrives: it is a quarter of what a start, or a command, would spend on loading.
  const { default: mailauth } = await import('mailauth')
  const { spf, dkim, dmarc, arc } = await mailauth.authenticate(raw, {
    ip: clientAddress,
    helo,
    sender: envelopeFrom,
    mta: hostname,
    resolver: asking(resolver),
    disableBimi: true,
    strict: true,
  } as Parameters<typeof authenticate>[1])
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

const resultOf = (checked: unknown): string =>
  textOf((checked as { status?: { result?: unknown } } | null | undefined)?.status?.result) ?? 'none'

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

const CODES = { no_such_name: 'ENOTFOUND', no_such_record: 'ENODATA' } as const

// Without a network every question takes its full time, and there are several for each message. After one that was waited for in
// vain nobody asks for a while: the verdict is `temperror`, and other messages get their turn.
const SLOW_MS = 1_500
const PAUSE_MS = 30_000
const pausedUntil = new WeakMap<Resolver, number>()

/** Our resolver in the form of Node's, which is what the library knows. */
const asking =
  (resolver: Resolver) =>
  async (name: string, type = 'A'): Promise<unknown> => {
    const begin = performance.now()
    if (begin < (pausedUntil.get(resolver) ?? 0)) throw timeout('nobody is asked at the moment')
    const answer = await resolver.lookup(name, type as RecordType)
    if (answer.kind === 'none') throw Object.assign(new Error(answer.reason), { code: CODES[answer.reason] })
    if (answer.kind === 'failed') {
      if (performance.now() - begin > SLOW_MS) pausedUntil.set(resolver, performance.now() + PAUSE_MS)
      throw timeout(answer.reason)
    }
    if (type === 'TXT') return answer.records.map((record) => [record])
    if (type === 'MX')
      return answer.records.map((record) => {
        const { exchange, preference } = record as unknown as { exchange: string; preference: number }
        return { exchange, priority: preference }
      })
    return answer.records
  }

const timeout = (reason: string) => Object.assign(new Error(reason), { code: 'ETIMEOUT' })
