import type { Resolver } from '../../../adapters/dns/resolver.ts'

/** More look-ups than this are an error to every receiver (RFC 7208, 4.6.4). */
export const MAX_LOOKUPS = 10

/** What is longer is no name, and is shown as far as one could be. */
const MAX_NAME_LENGTH = 253

/** Mechanisms that each cost one. */
const COSTLY = /^[+~?-]?(include|a|mx|ptr|exists)(?:[:/].*)?$|^(redirect)=.*$/

export interface SpfCount {
  /** As many as are counted; one more than the limit means too many. */
  readonly lookups: number
  /** Names that have no SPF record though another one includes them: an error, too. */
  readonly missing: readonly string[]
  /** Somebody did not answer. */
  readonly isPartial: boolean
}

/** Counts what a receiver has to look up for the record, through all that it includes; no further than the limit. */
export async function countLookups(resolver: Resolver, record: string): Promise<SpfCount> {
  const missing: string[] = []
  let [lookups, isPartial] = [0, false]
  const waiting = [record]
  for (let policy = waiting.shift(); policy !== undefined && lookups <= MAX_LOOKUPS; policy = waiting.shift()) {
    for (const term of policy.replaceAll('"', '').trim().toLowerCase().split(/\s+/).slice(1)) {
      if (!COSTLY.test(term) || ++lookups > MAX_LOOKUPS) continue
      const name = /^(?:[+~?-]?include:|redirect=)(.+)$/.exec(term)?.[1]
      // What a macro names depends on the mail.
      if (!name || name.includes('%')) continue
      const found = await findSpf(resolver, name)
      if (found === 'unknown') isPartial = true
      else if (found === null) missing.push(name.slice(0, MAX_NAME_LENGTH))
      else waiting.push(found)
    }
  }
  return { lookups, missing, isPartial }
}

/** The one SPF record of a name. Null: there is none, or several, which is the same to receivers. */
export async function findSpf(resolver: Resolver, name: string): Promise<string | 'unknown' | null> {
  const answer = await resolver.lookup(name, 'TXT')
  if (answer.kind === 'failed') return 'unknown'
  const policies = answer.kind === 'found' ? answer.records.filter((text) => /^v=spf1(?:\s|$)/i.test(text.trim())) : []
  return policies.length === 1 ? policies[0]! : null
}
