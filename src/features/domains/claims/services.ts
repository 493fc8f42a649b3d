import type { Services } from '../../services.ts'

/** What it needs of the process. */
export interface DomainsClaimsServices
  extends Pick<Services, 'db' | 'clock' | 'config' | 'sealer' | 'resolver' | 'domainKeys' | 'teamStates'> {}
