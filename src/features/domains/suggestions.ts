import type { Resolver } from '../../adapters/dns/resolver.ts'
import { changedDmarcRecord, type DmarcRecord, readDmarcRecord } from '../../mail/dmarc-record.ts'
import { readTlsReportRecord } from '../../mail/tls-report-record.ts'
import { DMARC_KEY, type DomainSettings, reportAddress, TLS_REPORT_KEY } from './records.ts'
import type { Check, Checks } from './status.ts'

// Records that a domain is better off with and does not need. What is to be published depends on what is in the DNS already: a domain has one DMARC record.

/** What the DNS has to do with a suggestion. */
export interface Suggestion {
  readonly key: string
  readonly isThere: boolean
  /** What the record should say. */
  readonly value: string
}

/** A domain above a domain is asked for its policy as far as this; names have few labels (RFC 9989, 4.10). */
const MAX_PARENTS = 4

export interface FoundDmarc {
  /** At which domain. */
  readonly at: string
  readonly text: string
  readonly record: DmarcRecord
  /** Several at one name count as none. */
  readonly isAmbiguous: boolean
}

/** The record that counts for a domain, its own or that of a domain above it. `unknown`: nobody answered. */
export async function findDmarc(resolver: Resolver, name: string): Promise<FoundDmarc | 'unknown' | null> {
  const labels = name.split('.')
  const last = Math.min(labels.length - 2, MAX_PARENTS)
  for (let index = 0; index <= last; index++) {
    const at = labels.slice(index).join('.')
    const answer = await resolver.lookup(`_dmarc.${at}`, 'TXT')
    if (answer.kind === 'failed') return 'unknown'
    const texts = answer.kind === 'found' ? answer.records : []
    const found = texts.flatMap((text) => {
      const record = readDmarcRecord(text)
      return record ? [{ at, text, record }] : []
    })
    if (found[0]) return { ...found[0], isAmbiguous: found.length > 1 }
  }
  return null
}

/** What a domain should say, given what there is. With a policy from above it keeps that policy. */
export function suggestedDmarc(domain: Pick<DomainSettings, 'name' | 'return_path'>, found: FoundDmarc | null): string {
  const reportToo = reportAddress(domain, 'dmarc')
  if (!found) return `v=DMARC1; p=none; rua=mailto:${reportToo}`
  const { record } = found
  if (found.at === domain.name) return changedDmarcRecord(record, { reportToo })
  const tags = record.tags.filter(([name]) => name !== 'sp' && name !== 'np')
  return changedDmarcRecord({ ...record, tags }, { policy: record.subdomainPolicy, reportToo })
}

async function lookUpDmarc(resolver: Resolver, domain: DomainSettings): Promise<Suggestion[]> {
  const found = await findDmarc(resolver, domain.name)
  if (found === 'unknown') return []
  const isThere = found?.record.reportTo.includes(reportAddress(domain, 'dmarc')) === true && !found.isAmbiguous
  return [{ key: DMARC_KEY, isThere, value: isThere ? found!.text : suggestedDmarc(domain, found) }]
}

async function lookUpTlsReports(resolver: Resolver, domain: DomainSettings): Promise<Suggestion[]> {
  const answer = await resolver.lookup(`_smtp._tls.${domain.name}`, 'TXT')
  if (answer.kind === 'failed') return []
  const address = reportAddress(domain, 'tls')
  const found = answer.kind === 'found' ? readTlsReportRecord(answer.records) : null
  const others = (found?.uris ?? []).filter((uri) => uri.toLowerCase() !== `mailto:${address}`)
  const isThere = found !== null && others.length < found.uris.length
  return [{ key: TLS_REPORT_KEY, isThere, value: `v=TLSRPTv1; rua=${[...others, `mailto:${address}`].join(',')}` }]
}

export async function lookUpSuggestions(resolver: Resolver, domain: DomainSettings): Promise<Suggestion[]> {
  if (!domain.sending) return []
  const found = await Promise.all([
    lookUpDmarc(resolver, domain),
    domain.receiving ? lookUpTlsReports(resolver, domain) : [],
  ])
  return found.flat()
}

/** What a row keeps of a record: longer ones are nobody's. */
const MAX_VALUE_LENGTH = 1_000

/** The checks with what was found out about suggestions. They are there or not, and nothing waits for them. */
export function learnSuggestions(checks: Checks, suggestions: readonly Suggestion[], now: Date): Checks {
  const learned = suggestions.map(({ key, isThere, value }): [string, Check] => {
    const status = isThere ? 'verified' : 'not_started'
    const known = checks[key]
    const since = known?.status === status ? known.since : now.toISOString()
    return [key, { status, since, ...(value.length <= MAX_VALUE_LENGTH && { value }) }]
  })
  return { ...checks, ...Object.fromEntries(learned) }
}
