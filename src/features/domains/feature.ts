import { feature } from '../feature.ts'
import { domainClaimEndpoints } from './claims/endpoints.ts'
import { recheckClaims, verifyClaim } from './claims/jobs.ts'
import { domainEndpoints } from './endpoints.ts'
import { checkInstallation } from './health/check-installation.ts'
import { domainHealthEndpoints } from './health/endpoints.ts'
import { postInstallationChange } from './health/installation-webhook.ts'
import { diagnoseDomain, recheckHealth } from './health/jobs.ts'
import { recheckDomains, verifyDomain } from './jobs.ts'
import { domainReportEndpoints } from './reports/endpoints.ts'
import { sweepReports } from './reports/jobs.ts'

export const domainsFeature = feature({
  endpoints: [...domainEndpoints, ...domainClaimEndpoints, ...domainReportEndpoints, ...domainHealthEndpoints],
  jobs: [
    verifyDomain,
    recheckDomains,
    verifyClaim,
    recheckClaims,
    diagnoseDomain,
    recheckHealth,
    checkInstallation,
    postInstallationChange,
  ],
  retention: [sweepReports],
  times: [
    { table: 'domain_claims', real: ['next_check_at', 'created_at', 'expires_at'] },
    { table: 'domain_health', real: ['checked_at', 'next_check_at'] },
    { table: 'domain_keys', team: ['created_at'], real: ['retired_at'] },
    { table: 'domain_reports', real: ['received_at'] },
    { table: 'domains', team: ['created_at', 'updated_at'], real: ['next_check_at'] },
  ],
  sealedColumns: [{ table: 'domain_keys', column: 'private_key', context: `'dkim:' || domain_id || ':' || selector` }],
  liveUpdates: [{ events: /^domain\./, endpoints: ['domains'] }],
})
