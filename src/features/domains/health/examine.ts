import type { Resolver } from '../../../adapters/dns/resolver.ts'
import { readDmarcRecord, tagsOf } from '../../../mail/dmarc-record.ts'
import { readTlsReportRecord } from '../../../mail/tls-report-record.ts'
import { lookUp } from '../look-up.ts'
import type { StoredDomain } from '../queries.ts'
import { type Installation, type NeededRecord, neededRecords, reportAddress, returnPathHost } from '../records.ts'
import { findDmarc, suggestedDmarc } from '../suggestions.ts'
import type { Found } from './finding.ts'
import { countLookups, findSpf, MAX_LOOKUPS } from './spf.ts'

/** A domain with what is needed to examine it. */
export interface ExaminedDomain extends StoredDomain {
  /** When the oldest key that signs was made. Null: none signs. */
  readonly keysSince: Date | null
}

interface Examination {
  readonly resolver: Resolver
  readonly installation: Installation
  readonly now: Date
}

type Examine = (domain: ExaminedDomain, examination: Examination) => Promise<Found[]>

/** Looks at all that the DNS says about a domain. Some forty questions at most, whatever the DNS answers. */
export async function examineDomain(domain: ExaminedDomain, examination: Examination): Promise<Found[]> {
  const parts: Examine[] = [
    ...(domain.sending ? [examineRecords, examineSpf, examineDmarc, examineBimi, examineKeyAge] : [examineRecords]),
    ...(domain.receiving ? [examineMtaSts, examineTlsReports] : []),
  ]
  return (await Promise.all(parts.map((examine) => examine(domain, examination)))).flat()
}

/** The records that mail needs: return path, keys, MX. */
const examineRecords: Examine = async (domain, { resolver, installation }) => {
  const records = neededRecords(domain, installation).filter((record) => !record.isSuggestion && !record.isReplacement)
  return Promise.all(
    records.map(async (record): Promise<Found> => {
      const check = checkOf(record)
      const finding = await lookUp(resolver, record)
      if (finding === 'right') return { check, status: 'ok', message: `${record.type} ${record.host} is correct.` }
      if (finding === 'unknown') return unknown(check, record.host)
      const { host: name, type, value, priority } = record
      const wanted = { name, type, value: priority === undefined ? value : `${priority} ${value}` }
      return {
        check,
        status: 'problem',
        message: `${type} ${name} is missing or different. Publish the record below.`,
        record: wanted,
      }
    }),
  )
}

const checkOf = ({ record, type, name }: NeededRecord) =>
  record === 'DKIM' ? `dkim:${name.split('.')[0]}` : `${record.toLowerCase()}_${type.toLowerCase()}`

const unknown = (check: string, name: string): Found => ({
  check,
  status: 'unknown',
  message: `The name servers of ${name} did not answer.`,
})

/** Of the return path, which receivers check; and of the domain itself, which others may send as. */
const examineSpf: Examine = async (domain, { resolver }) => {
  const [host, own] = [returnPathHost(domain), domain.name]
  const found = await Promise.all([
    countedSpf(resolver, { check: 'spf_lookups', host, status: 'problem' }),
    countedSpf(resolver, { check: 'spf_lookups_of_domain', host: own, status: 'advice' }),
  ])
  return found.flat()
}

async function countedSpf(
  resolver: Resolver,
  { check, host, status }: { check: string; host: string; status: 'problem' | 'advice' },
): Promise<Found[]> {
  const record = await findSpf(resolver, host)
  if (record === 'unknown') return [unknown(check, host)]
  // That it is missing is another finding.
  if (record === null) return []
  const { lookups, missing, isPartial } = await countLookups(resolver, record)
  if (lookups > MAX_LOOKUPS)
    return [
      {
        check,
        status,
        message: `SPF of ${host} needs more than ${MAX_LOOKUPS} look-ups, so receivers ignore it. Remove includes that nobody needs.`,
      },
    ]
  if (missing.length > 0)
    return [
      { check, status, message: `SPF of ${host} includes ${missing.join(', ')}, which has no SPF record. Remove it.` },
    ]
  if (isPartial) return [unknown(check, host)]
  return [{ check, status: 'ok', message: `SPF of ${host} needs ${lookups} of ${MAX_LOOKUPS} look-ups.` }]
}

const examineDmarc: Examine = async (domain, { resolver }) => {
  const [check, name] = ['dmarc', `_dmarc.${domain.name}`]
  const found = await findDmarc(resolver, domain.name)
  if (found === 'unknown') return [unknown(check, name)]
  const record = { name, type: 'TXT', value: suggestedDmarc(domain, found) } as const
  if (!found) {
    const [broken] = await brokenDmarc(resolver, name)
    const message = broken
      ? `The DMARC record cannot be read: ${broken}. Replace it.`
      : 'There is no DMARC record. Large providers ask for one.'
    return [{ check, status: 'problem', message, record }]
  }
  if (found.isAmbiguous)
    return [
      {
        check,
        status: 'problem',
        message: `There are several DMARC records at _dmarc.${found.at}, so none counts. Keep one.`,
        record,
      },
    ]
  const at = found.at === domain.name ? '' : ` of ${found.at}`
  const policy = `p=${found.at === domain.name ? found.record.policy : found.record.subdomainPolicy}`
  if (!found.record.reportTo.includes(reportAddress(domain, 'dmarc')))
    return [
      {
        check,
        status: 'advice',
        message: `DMARC${at} is ${policy}; reports do not come here. Add the address.`,
        record,
      },
    ]
  return [{ check, status: 'ok', message: `DMARC${at} is ${policy}; reports come here.` }]
}

/** Texts that are meant as one, and are none. */
async function brokenDmarc(resolver: Resolver, name: string): Promise<string[]> {
  const answer = await resolver.lookup(name, 'TXT')
  const texts = answer.kind === 'found' ? answer.records : []
  return texts
    .filter((text) => /^\s*v\s*=\s*dmarc1/i.test(text) && !readDmarcRecord(text))
    .map((text) => text.slice(0, 200))
}

/** A logo is shown only of domains whose policy stops what fails. */
const examineBimi: Examine = async ({ name }, { resolver }) => {
  const [check, host] = ['bimi', `default._bimi.${name}`]
  const answer = await resolver.lookup(host, 'TXT')
  if (answer.kind === 'failed') return [unknown(check, host)]
  const tags =
    answer.kind === 'found' ? answer.records.map(tagsOf).find(([version]) => version?.[1] === 'BIMI1') : undefined
  // Nobody needs a logo.
  if (!tags) return []
  const logo = tags.find(([tag]) => tag === 'l')?.[1] ?? ''
  // An empty one says on purpose that there is none.
  if (logo === '') return [{ check, status: 'ok', message: 'BIMI: the domain shows no logo.' }]
  const url = URL.canParse(logo) ? new URL(logo) : null
  if (url?.protocol !== 'https:' || !/\.svg$/i.test(url.pathname))
    return [
      {
        check,
        status: 'problem',
        message: `BIMI: ${logo.slice(0, 200)} must be the https address of an SVG file (.svg).`,
      },
    ]
  const dmarc = await findDmarc(resolver, name)
  if (dmarc !== 'unknown' && (dmarc?.record.policy ?? 'none') === 'none')
    return [{ check, status: 'advice', message: 'BIMI: the logo is not shown while DMARC is p=none.' }]
  return [{ check, status: 'ok', message: `BIMI: the logo is ${logo.slice(0, 200)}.` }]
}

const MAX_KEY_DAYS = 365

/** Only a reminder: the DNS is not ours to change. */
const examineKeyAge: Examine = async ({ keysSince }, { now }) => {
  if (keysSince === null) return []
  const days = Math.floor((now.getTime() - keysSince.getTime()) / 86_400_000)
  return days > MAX_KEY_DAYS
    ? [
        {
          check: 'dkim_age',
          status: 'advice',
          message: `The DKIM keys are ${days} days old. Rotate them: the new ones sign once their records are in the DNS.`,
        },
      ]
    : [{ check: 'dkim_age', status: 'ok', message: `The DKIM keys are ${days} days old.` }]
}

/** The record and the name that it leads to. What the policy says is not fetched. */
const examineMtaSts: Examine = async ({ name }, { resolver }) => {
  const [check, host] = ['mta_sts', `_mta-sts.${name}`]
  const answer = await resolver.lookup(host, 'TXT')
  if (answer.kind === 'failed') return [unknown(check, host)]
  const records =
    answer.kind === 'found' ? answer.records.map(tagsOf).filter(([version]) => version?.[1] === 'STSv1') : []
  if (records.length === 0) return []
  const id = records[0]!.find(([tag]) => tag === 'id')?.[1] ?? ''
  if (records.length > 1 || !/^[a-z0-9]{1,32}$/i.test(id))
    return [
      { check, status: 'problem', message: `MTA-STS: ${host} must be one record with an id of letters and digits.` },
    ]
  const policyHost = `mta-sts.${name}`
  const addresses = await Promise.all([resolver.lookup(policyHost, 'A'), resolver.lookup(policyHost, 'AAAA')])
  if (addresses.some(({ kind }) => kind === 'found'))
    return [{ check, status: 'ok', message: `MTA-STS: ${policyHost} has the policy ${id}.` }]
  if (addresses.some(({ kind }) => kind === 'failed')) return [unknown(check, policyHost)]
  return [{ check, status: 'problem', message: `MTA-STS: ${policyHost} has no address, so nobody finds the policy.` }]
}

const examineTlsReports: Examine = async (domain, { resolver }) => {
  const [check, name] = ['tls_rpt', `_smtp._tls.${domain.name}`]
  const answer = await resolver.lookup(name, 'TXT')
  if (answer.kind === 'failed') return [unknown(check, name)]
  const texts = answer.kind === 'found' ? answer.records.filter((text) => /^\s*v\s*=\s*TLSRPT/i.test(text)) : []
  const value = `v=TLSRPTv1; rua=mailto:${reportAddress(domain, 'tls')}`
  const found = readTlsReportRecord(texts)
  if (found && found.uris.length > 0)
    return [{ check, status: 'ok', message: `TLS reports go to ${found.uris.join(', ').slice(0, 200)}.` }]
  if (texts.length > 0)
    return [
      {
        check,
        status: 'problem',
        message: 'The TLS-RPT record cannot be read. Replace it.',
        record: { name, type: 'TXT', value },
      },
    ]
  // The address is at the return path, which only domains that send have.
  if (!domain.sending) return []
  return [
    { check, status: 'advice', message: 'No reports about TLS are asked for.', record: { name, type: 'TXT', value } },
  ]
}
