import type { Database } from './database.ts'

/** The services of the process with the database of one team (`forTeam`). */
export function withDatabase<Services extends { readonly db: Database }>(services: Services, db: Database): Services {
  // A copy that is changed, not a literal with `db` beside the spread: V8 makes the one in 0.2 µs, and the other in 1.5 to 5.
  const own: { db: Database } = { ...services }
  own.db = db
  return own as Services
}
