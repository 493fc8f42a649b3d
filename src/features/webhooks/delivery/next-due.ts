import type { Database, Transaction } from '../../../kernel/db/database.ts'
import type { KeyedClaim } from '../../../kernel/db/keyed-cursors.ts'
import { rowsOf } from '../../../kernel/db/rows.ts'
import { raw, type Sql, sql } from '../../../kernel/db/sql.ts'
import type { ClaimRequest } from './queries.ts'

/** Webhooks that one claim looks at. */
export const READY_WEBHOOKS = 1_000

export interface ReadyWebhook {
  readonly team: string
  readonly webhookId: string
}

/** Webhooks behind the one that is named that may have a delivery that is due, in the order of their ids. */
export const findReady = (
  db: Database,
  which: { readonly after: string; readonly now: Date; readonly except: readonly string[] },
): Promise<ReadyWebhook[]> => db.query<ReadyWebhook>(readyQuery(which))

/** Each with where its last claim ended, if it has a cursor. */
export function withCursors(ready: readonly ReadyWebhook[], { gaps }: KeyedClaim): ClaimRequest['webhooks'] {
  const ends = new Map(gaps.map(({ below, since }) => [below, since]))
  return ready.map(({ webhookId }) => ({ webhookId, since: ends.get(webhookId) ?? null }))
}

export const readyQuery = ({
  after,
  now,
  except,
}: {
  readonly after: string
  readonly now: Date
  readonly except: readonly string[]
}): Sql => sql`
  select team_id as team, webhook_id as "webhookId" from webhook_next_due
  where due_at <= ${now} and webhook_id > ${after} and team_id <> all (${except}::uuid[])
  order by webhook_id limit ${raw(String(READY_WEBHOOKS))}`

/** For rows that came without the triggers: what waits for the webhooks of a team is found. */
export async function noteNextDue(trx: Transaction, team: string) {
  await trx.query(sql.write`
    insert into webhook_next_due (team_id, webhook_id, due_at)
    select d.team_id, d.webhook_id, min(d.due_at) from webhook_deliveries d
    where d.team_id = ${team} and d.due_at is not null and d.holder is null group by d.team_id, d.webhook_id
    on conflict (team_id, webhook_id) do update set due_at = excluded.due_at`)
}

/**
 * Corrects when these webhooks have their next delivery that is due, since none was found. A trigger has only made it earlier. The rows are locked before
 * deliveries are looked at, and whoever makes one due locks its webhook's row: it is seen here, or it writes behind this. Returns whether one is due after all.
 */
export const correctNextDue = (db: Database, webhooks: readonly ReadyWebhook[], now: Date): Promise<boolean> =>
  db.transaction(async (trx) => {
    const locked = await trx.query<ReadyWebhook>(sql`
      select n.team_id as team, n.webhook_id as "webhookId" from webhook_next_due n
      join ${rowsOf(webhooks, { team: 'uuid', webhookId: 'uuid' }, 'one')} on one.team = n.team_id and one."webhookId" = n.webhook_id
      order by n.team_id, n.webhook_id for update of n skip locked`)
    if (locked.length === 0) return false
    // Of a webhook that is disabled nothing is due: a trigger notes it when it is enabled.
    const due = await trx.query(sql.write`
      with next as materialized (
        select one.team, one."webhookId", first.due_at
        from ${rowsOf(locked, { team: 'uuid', webhookId: 'uuid' }, 'one')}
        left join lateral (
          select d.due_at from webhooks w cross join lateral (
            select d.due_at from webhook_deliveries d
            where d.webhook_id = w.id and d.due_at is not null and d.holder is null order by d.due_at limit 1) d
          where w.id = one."webhookId" and w.status = 'enabled') first on true),
      gone as (
        delete from webhook_next_due n using next
        where n.team_id = next.team and n.webhook_id = next."webhookId" and next.due_at is null),
      corrected as (
        update webhook_next_due n set due_at = next.due_at
        from next where n.team_id = next.team and n.webhook_id = next."webhookId" and n.due_at <> next.due_at)
      select from next where due_at <= ${now} limit 1`)
    return due.length > 0
  })
