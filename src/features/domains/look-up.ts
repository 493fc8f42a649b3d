import type { Resolver } from '../../adapters/dns/resolver.ts'
import { readStsRecord } from '../../mail/mta-sts.ts'
import type { NeededRecord } from './records.ts'
import type { Finding } from './status.ts'

/** Looks whether the DNS says what it should. Every record that serves the purpose is right, also one that says more. */
export async function lookUp(resolver: Resolver, needed: NeededRecord): Promise<Finding> {
  const { host, type, value, record } = needed
  switch (type) {
    case 'MX':
      return find(resolver, host, 'MX', (records) => records.some(({ exchange }) => isSameHost(exchange, value)))
    case 'CNAME':
      return find(resolver, host, 'CNAME', (records) => records.some((target) => isSameHost(target, value)))
    case 'TXT':
      // What suggestions have to say depends on what there is: `suggestions.ts`.
      if (needed.isSuggestion) return 'unknown'
      if (record === 'Receiving') return lookUpText(resolver, host, value)
      if (record === 'MTA-STS')
        return find(resolver, host, 'TXT', (texts) => readStsRecord(texts) === readStsRecord([value]))
      return find(resolver, host, 'TXT', (texts) =>
        record === 'SPF' ? permits(texts, value) : texts.some((text) => keyIn(text) === keyIn(value)),
      )
    default:
      return type satisfies never
  }
}

/** Whether one of the TXT records is exactly this text. */
export const lookUpText = (resolver: Resolver, host: string, text: string): Promise<Finding> =>
  find(resolver, host, 'TXT', (texts) => texts.some((found) => found.trim() === text))

async function find<Type extends 'MX' | 'CNAME' | 'TXT'>(
  resolver: Resolver,
  host: string,
  type: Type,
  isRight: (
    records: Extract<Awaited<ReturnType<typeof resolver.lookup<Type>>>, { kind: 'found' }>['records'],
  ) => boolean,
): Promise<Finding> {
  const answer = await resolver.lookup(host, type)
  switch (answer.kind) {
    case 'found':
      return isRight(answer.records) ? 'right' : 'wrong'
    case 'none':
      return 'wrong'
    case 'failed':
      return 'unknown'
    default:
      return answer satisfies never
  }
}

const isSameHost = (one: string, other: string) => withoutDot(one) === withoutDot(other)
const withoutDot = (host: string) => host.toLowerCase().replace(/\.$/, '')

/**
 * Whether the SPF record lets our machines send: it has all of our mechanisms before its `all`. People add others, and may. Two
 * SPF records at one name are an error to every receiver (RFC 7208, 3.2), so they are one here.
 */
function permits(texts: readonly string[], wanted: string): boolean {
  const policies = texts.map(termsOf).filter(([version]) => version === 'v=spf1')
  if (policies.length !== 1) return false
  const terms = policies[0]!
  const all = terms.findIndex((term) => /^[+~?-]?all$/.test(term))
  const granted = new Set(terms.slice(1, all === -1 ? undefined : all).map((term) => term.replace(/^\+/, '')))
  return termsOf(wanted)
    .slice(1, -1)
    .every((term) => granted.has(term))
}

const termsOf = (policy: string) => policy.replaceAll('"', '').trim().toLowerCase().split(/\s+/)

/** The public key in a DKIM record. Everything else in it may be written in more than one way. */
const keyIn = (text: string) => /(?:^|;)\s*p\s*=\s*([^;]*)/i.exec(text)?.[1]?.replace(/\s/g, '')
