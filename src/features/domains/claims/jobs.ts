import { job } from '../../definitions.ts'
import { type DomainOfTeam, RETRY_AFTER_SECONDS, recheck } from '../recheck.ts'
import { takeDueClaims } from './queries.ts'
import { checkClaim } from './transfer.ts'

/** Running it twice is harmless: the second time finds the claim settled, or the DNS as it was. */
export const verifyClaim = job<DomainOfTeam>({
  name: 'domains.claims.verify',
  retryAfterSeconds: RETRY_AFTER_SECONDS,
  run: ({ team, domainId }, services) => checkClaim(services, team, domainId),
})

/** To look again, or to let them expire. */
export const recheckClaims = recheck('domains.claims.recheck', takeDueClaims, verifyClaim)
