// The record that says what receivers do with mail that does not prove its author's domain (RFC 9989), and where they report to.

export const DMARC_POLICIES = ['none', 'quarantine', 'reject'] as const
export type DmarcPolicy = (typeof DMARC_POLICIES)[number]

export interface DmarcRecord {
  readonly policy: DmarcPolicy
  /** For subdomains that have no record of their own. */
  readonly subdomainPolicy: DmarcPolicy
  /** Addresses that aggregate reports are sent to, in small letters. */
  readonly reportTo: readonly string[]
  /** All of its tags, in their order. */
  readonly tags: readonly (readonly [name: string, value: string])[]
}

/** Null: it is no DMARC record. A policy that is none counts as `none` where there is an address to report to (RFC 9989, 4.7). */
export function readDmarcRecord(text: string): DmarcRecord | null {
  const tags = tagsOf(text)
  if (tags[0]?.[0] !== 'v' || tags[0][1] !== 'DMARC1') return null
  const tagValue = (name: string) => tags.find(([tag]) => tag === name)?.[1]
  const reportTo = addressesIn(tagValue('rua') ?? '')
  const policy = asPolicy(tagValue('p')) ?? (reportTo.length > 0 ? 'none' : null)
  if (policy === null) return null
  return { policy, subdomainPolicy: asPolicy(tagValue('sp')) ?? policy, reportTo, tags }
}

/** `a=b; c=d`, as DMARC and reports about TLS write it. */
export const tagsOf = (text: string): [string, string][] =>
  text
    .split(';')
    .map((tag): [string, string] => {
      const at = tag.indexOf('=')
      return at < 0 ? ['', ''] : [tag.slice(0, at).trim().toLowerCase(), tag.slice(at + 1).trim()]
    })
    .filter(([name]) => name !== '')

/** Of a list of URIs those that are mailboxes; a size may follow (`!10m`). */
export const addressesIn = (uris: string): string[] =>
  uris
    .split(',')
    .map((uri) => /^\s*mailto:([^!?\s]+)/i.exec(uri)?.[1]?.toLowerCase())
    .filter((address) => address !== undefined)

const asPolicy = (text: string | undefined): DmarcPolicy | null =>
  DMARC_POLICIES.find((policy) => policy === text?.toLowerCase()) ?? null

/** The same record with one more address to report to, or with another policy. What else is in it stays. */
export function changedDmarcRecord(
  { tags, reportTo }: Pick<DmarcRecord, 'tags' | 'reportTo'>,
  { policy, reportToo }: { readonly policy?: DmarcPolicy; readonly reportToo?: string },
): string {
  const values = new Map(tags)
  if (policy) {
    values.set('p', policy)
    // A test mode, or a share of the mail, would take back what was asked for.
    for (const name of ['t', 'pct']) values.delete(name)
  }
  if (reportToo && !reportTo.includes(reportToo.toLowerCase()))
    values.set('rua', [values.get('rua'), `mailto:${reportToo}`].filter(Boolean).join(','))
  return [...values].map(([name, value]) => `${name}=${value}`).join('; ')
}
