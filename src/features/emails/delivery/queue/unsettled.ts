import type pg from 'pg'

/** Deliveries without an end yet. Each number is counted up to `MAX_UNSETTLED`. */
export interface Unsettled {
  readonly waiting: number
  /** A running process has them. */
  readonly inFlight: number
}

export const MAX_UNSETTLED = 100_000

/** Null: the database has no tables yet. Uses what the table has had from its beginning: it may be that of an older version. */
export async function countUnsettled(client: pg.ClientBase): Promise<Unsettled | null> {
  const { rows } = await client.query<{ isThere: boolean }>(`select to_regclass('deliveries') is not null as "isThere"`)
  if (!rows[0]!.isThere) return null
  return {
    waiting: await countOf(client, `state = 'waiting' and holder is null`),
    inFlight: await countOf(client, `state = 'waiting' and holder is not null`),
  }
}

async function countOf(client: pg.ClientBase, condition: string): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::int as count from (select from deliveries where ${condition} limit ${MAX_UNSETTLED}) counted`,
  )
  return rows[0]!.count
}
