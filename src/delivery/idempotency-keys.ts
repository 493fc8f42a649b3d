import { LIVING_NODES } from '../platform/db/presence.ts'
import { type Sql, sql } from '../platform/db/sql.ts'

/**
 * Whether a row of `idempotency_keys as held` may be taken: its day is over, or the request that has it will never answer. That
 * is so when its process is gone, when it is ours (who asks has made sure that no other request of this process is at work with
 * the key, so this one failed to give it back), or when it has taken longer than any request does. A request that is wrongly
 * taken for dead does no harm: it is accepted only while it still has the key.
 */
export const isFreeFor = (node: number): Sql => sql`(
  held.created_at < now() - interval '24 hours'
  or (held.response is null and (held.holder = ${node} or held.holder not in (${LIVING_NODES})
    or held.created_at < now() - interval '10 minutes')))`
