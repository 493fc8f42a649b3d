import type { Database } from './database.ts'
import { JobDatabase, TeamDatabase } from './team-database.ts'

const SHARES = { requests: TeamDatabase, jobs: JobDatabase }

/** The services of the process as one team has them: of the database, the share of its requests or that of its jobs. */
export function servicesOf<Services extends { readonly db: Database }>(
  services: Services,
  team: string,
  share: keyof typeof SHARES,
): Services {
  // A copy that is changed, not a literal with `db` beside the spread: V8 makes the one in 0.2 µs, and the other in 1.5 to 5.
  const own: { db: Database } = { ...services }
  own.db = new SHARES[share](services.db, team)
  return own as Services
}
