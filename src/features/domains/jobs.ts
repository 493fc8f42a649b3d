import { job } from '../definitions.ts'
import { takeDue } from './queries.ts'
import { type DomainOfTeam, RETRY_AFTER_SECONDS, recheck } from './recheck.ts'
import { checkDomain } from './verification.ts'

/** Running it twice finds the same in the DNS and writes the same. */
export const verifyDomain = job<DomainOfTeam>({
  name: 'domains.verify',
  retryAfterSeconds: RETRY_AFTER_SECONDS,
  run: ({ team, domainId }, services) => checkDomain(services, team, domainId),
})

export const recheckDomains = recheck('domains.recheck', takeDue, verifyDomain)
