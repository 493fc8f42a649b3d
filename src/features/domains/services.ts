import type { Services } from '../services.ts'

/** What it needs of the process. */
export interface DomainsServices
  extends Pick<Services, 'db' | 'clock' | 'config' | 'sealer' | 'resolver' | 'domainKeys' | 'teamStates'> {}
