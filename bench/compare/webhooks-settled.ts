import { setTimeout as delay } from 'node:timers/promises'
import { type Sql, sql } from '../../src/kernel/db/sql.ts'
import type { Contender } from './contender.ts'

const POLL_MS = 5

/** Waits until nothing is left to be posted, or to be written down about it. */
export async function webhooksSettled(contender: Contender) {
  const pending = await pendingOf(contender)
  for (;;) {
    const [row] = await contender.database.db.query<{ isPending: boolean }>(
      sql`select exists (${pending}) as "isPending"`,
    )
    if (!row!.isPending) return
    await delay(POLL_MS)
  }
}

const known = new WeakMap<Contender, Sql>()

/** Older builds have no batches. */
async function pendingOf(contender: Contender): Promise<Sql> {
  const before = known.get(contender)
  if (before) return before
  const [batches] = await contender.database.db.query<{ table: string | null }>(
    sql`select to_regclass('webhook_batches')::text as table`,
  )
  const pending = sql`
    select 1 from webhook_fan_outs union all select 1 from webhook_deliveries where due_at is not null
    ${batches!.table === null ? sql`` : sql`union all select 1 from webhook_batches`}`
  known.set(contender, pending)
  return pending
}
