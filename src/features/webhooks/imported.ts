import type { Transaction } from '../../kernel/db/database.ts'
import { sql } from '../../kernel/db/sql.ts'
import { insertion } from '../../kernel/http/columns.ts'
import { Problem } from '../../kernel/http/problem.ts'
import type { Sealer } from '../../kernel/secrets.ts'
import { datedId, type Imported, orderedId, type Provenance } from '../imported.ts'
import { MAX_WEBHOOKS, requireUrl } from './actions.ts'
import { isSecret, newSecret, sealSecret } from './delivery/secrets.ts'
import { insertWebhook } from './delivery/webhook.ts'
import { WEBHOOK_EVENTS } from './schema.ts'

export interface ImportedWebhook extends Provenance {
  readonly endpoint: string
  readonly events: readonly string[]
  readonly status: 'enabled' | 'disabled'
  /** Null: the account does not tell it. A new one is made then. */
  readonly signing_secret: string | null
}

/**
 * A webhook of another account, with its signing secret: its receiver verifies what comes from here as it did before. One with its id, or to
 * its endpoint for the same events, is taken for the same and stays as it is.
 */
export async function importWebhook(
  trx: Transaction,
  team: string,
  { webhook, sealer }: { readonly webhook: ImportedWebhook; readonly sealer: Sealer },
): Promise<Imported> {
  const { endpoint, status, signing_secret, created_at } = webhook
  requireUrl(endpoint)
  const known = WEBHOOK_EVENTS as readonly string[]
  const events = [...new Set(webhook.events)].filter((type) => known.includes(type)).sort()
  if (events.length === 0) throw new Problem('validation_error', 'None of its events exists here.')
  const wanted = orderedId(webhook)
  const [same] = await trx.query<{ id: string }>(sql`
    select w.id from webhooks w where w.team_id = ${team} and (w.id = ${wanted} or (w.endpoint = ${endpoint}
      and array(select e from unnest(w.events) e order by e collate "C") = ${events}::text[]))
    order by w.id = ${wanted} desc limit 1`)
  if (same) return { id: same.id, outcome: 'unchanged' }
  const secret = signing_secret !== null && isSecret(signing_secret) ? signing_secret : newSecret()
  // An id of webhooks is unique in the whole installation, and another team may have moved in with it.
  for (const id of [wanted, datedId(webhook)]) {
    const row = { team_id: team, id, endpoint, events, status, created_at, updated_at: created_at }
    const isFree = sql`not exists (select from webhooks w where w.id = ${id} and w.team_id <> ${team})`
    const isBelow = sql`(select count(*) from webhooks where team_id = ${team}) < ${MAX_WEBHOOKS}`
    if (await insertWebhook(trx, insertion(row, sql`${isFree} and ${isBelow}`), sealSecret(sealer, id, secret)))
      return { id, outcome: 'created' }
  }
  throw new Problem('quota_exceeded', `A team can have at most ${MAX_WEBHOOKS} webhooks.`)
}
