import { importDomain } from '../../../features/domains/imported.ts'
import { installationOf, neededRecords } from '../../../features/domains/records.ts'
import { CreateDomain, REGIONS } from '../../../features/domains/schema.ts'
import { Problem } from '../../../kernel/http/problem.ts'
import { validate } from '../../../kernel/http/validate.ts'
import { momentOf, type SourceDomain } from './account.ts'
import { type DnsRecord, dnsPlan } from './dns-plan.ts'
import { type Import, importEach } from './run.ts'

/** Domains with keys of their own, not verified yet, and what their DNS needs. */
export function readDomains(running: Import) {
  const { source, target, report, now } = running
  return importEach<SourceDomain>(running, {
    ...{ kind: 'domains', path: '/domains' },
    async write({ id }) {
      const there = await source.get<SourceDomain>(`/domains/${id}`)
      if (!there) throw new Problem('not_found', 'Deleted meanwhile')
      const domain = validate(CreateDomain, bodyOf(there), 'body')
      const plan = (records: readonly DnsRecord[]) =>
        report.data.dns.push(...dnsPlan(domain.name.toLowerCase(), there.records ?? [], records))
      if (target.isDryRun) {
        plan(expectedRecords(running, domain))
        report.count('domains', 'created')
        return null
      }
      const imported = await importDomain(target.services, target.actor, {
        ...domain,
        ...{ id: there.id, created_at: momentOf(there.created_at, now) },
      })
      plan(imported.domain.records)
      return imported
    },
  })
}

const LABEL = /^[a-z](?:[a-z0-9-]*[a-z0-9])?$/

/**
 * The return path has another name than there: its records can be added, and the domain verified, while the other service still sends. Tracked
 * links keep theirs, since mails that were sent lead to it.
 */
function bodyOf(there: SourceDomain) {
  const { name = '', region, records = [], capabilities, open_tracking = false, click_tracking = false } = there
  const labelOf = (record: string, type: string) => {
    const [label = ''] = records.find((one) => one.record === record && one.type === type)?.name.split('.') ?? []
    return LABEL.test(label) ? label : undefined
  }
  const tracking = there.tracking_subdomain ?? labelOf('Tracking', 'CNAME')
  const custom_return_path = RETURN_PATHS.find((label) => label !== labelOf('SPF', 'MX') && label !== tracking)!
  return {
    ...{ name, open_tracking, click_tracking, custom_return_path },
    ...(REGIONS.some((one) => one === region) && { region }),
    ...(tracking && { tracking_subdomain: tracking }),
    ...(capabilities && { capabilities }),
  }
}

const RETURN_PATHS = ['send', 'bounce', 'bounces']

/** Of a domain that a real import would make: with a key that does not exist yet. */
function expectedRecords({ target }: Import, domain: ReturnType<typeof validate<typeof CreateDomain>>): DnsRecord[] {
  const { capabilities, custom_return_path: return_path, tracking_subdomain = null, name } = domain
  const settings = {
    ...{ id: '', name, return_path, tracking_subdomain, receiving_proof: 'dkim' as const },
    sending: capabilities?.sending !== 'disabled',
    receiving: capabilities?.receiving === 'enabled',
    keys: [{ selector: 'postwren', public_record: '(made by the import)', state: 'active' as const }],
  }
  return neededRecords(settings, installationOf(target.services.config))
}
