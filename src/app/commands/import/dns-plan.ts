import type { DnsChange } from './report.ts'

export interface DnsRecord {
  readonly record: string
  /** What it is, of a record that the domain does not need. */
  readonly suggestion?: string | undefined
  readonly type: string
  /** As the service shows it: below the domain, or below the domain that one registers. */
  readonly name: string
  readonly value: string
  readonly priority?: number | undefined
}

/** What has to change in the DNS of a domain, and when, so that both services can send while it moves. */
export function dnsPlan(domain: string, there: readonly DnsRecord[], here: readonly DnsRecord[]): DnsChange[] {
  const [old, needed] = [there, here].map((records) =>
    records.filter(isOfService).map((record) => ({ ...record, host: hostOf(record, domain) })),
  ) as [HostedRecord[], HostedRecord[]]
  const changes: DnsChange[] = []
  for (const { record, type, host, value, priority } of needed) {
    const rivals = old.filter(
      (one) => one.host === host && (one.type === type || one.type === 'CNAME' || type === 'CNAME'),
    )
    if (rivals.some((one) => one.type === type && bare(one.value) === bare(value))) continue
    const rest = { domain, type, name: host, ...(priority !== undefined && { priority }) }
    const [rival] = rivals
    const both = record === 'SPF' && type === 'TXT' ? mergedSpf(rivals, value) : null
    if (both) {
      changes.push({ ...rest, when: 'before', act: 'replace', value: both, instead_of: rival!.value })
      changes.push({ ...rest, when: 'after', act: 'replace', value, instead_of: both })
    } else if (rival) changes.push({ ...rest, when: 'switch', act: 'replace', value, instead_of: rival.value })
    else changes.push({ ...rest, when: isHarmless(record) ? 'before' : 'switch', act: 'add', value })
  }
  for (const { type, host, value, priority } of old) {
    if (needed.some((one) => one.host === host)) continue
    const rest = { domain, type, name: host, value, ...(priority !== undefined && { priority }) }
    changes.push({ ...rest, when: 'after', act: 'remove' })
  }
  return changes
}

type HostedRecord = DnsRecord & { readonly host: string }

/** Suggestions are not part of a move: the domain may have these records from somebody else, and keeps them. */
const isOfService = ({ record, suggestion = record }: DnsRecord) => suggestion !== 'DMARC' && suggestion !== 'TLS-RPT'

/** Takes no mail away from the service that has it now. */
const isHarmless = (record: string) => record === 'DKIM' || record === 'SPF'

/** In full. Some services leave out the domain, some also what is below the registered one. */
function hostOf({ name }: DnsRecord, domain: string): string {
  const given = name.trim().toLowerCase().replace(/\.$/, '')
  if (given === '' || given === '@') return domain
  if (given === domain || given.endsWith(`.${domain}`)) return given
  const labels = domain.split('.')
  for (let kept = labels.length - 1; kept >= 2; kept--) {
    const below = labels.slice(0, labels.length - kept).join('.')
    if (given === below || given.endsWith(`.${below}`)) return `${given}.${labels.slice(-kept).join('.')}`
  }
  return `${given}.${domain}`
}

const bare = (value: string) => value.trim().replace(/^"|"$/g, '').replace(/\.$/, '').toLowerCase()

/** One record that covers both services; null: nothing to cover. A name can have a single SPF record. */
function mergedSpf(rivals: readonly DnsRecord[], value: string): string | null {
  const rival = rivals.find((one) => /^"?v=spf1 /i.test(one.value.trim()))
  const ours = /^"?v=spf1 (.*?) ?[~?+-]?all"?$/i.exec(value.trim())?.[1]
  const theirs = rival && /^"?v=spf1 (.*?) ?([~?+-]?all)"?$/i.exec(rival.value.trim())
  if (!ours || !theirs) return null
  const terms = [...new Set(`${theirs[1]} ${ours}`.split(/\s+/).filter(Boolean))]
  return `"v=spf1 ${terms.join(' ')} ${theirs[2]}"`
}
