import type { Queryable, Transaction } from '../../../../kernel/db/database.ts'
import { toJson } from '../../../../kernel/db/rows.ts'
import { join, raw, sql } from '../../../../kernel/db/sql.ts'
import type { Rows } from '../../../../kernel/http/rows.ts'
import type { CeilingKey, CeilingScope } from '../../../../mail/providers/ceilings.ts'
import { newId } from '../../../../platform/ids.ts'

// The rules that operators make while the program runs. What the file and the program say is in none of these rows.

/** Announced by whoever changes `delivery_ceilings`. */
export const CEILINGS_CHANNEL = 'delivery-ceilings'

const MAX_RULES = 10_000

/** As the file of POSTWREN_CEILINGS writes them: `rate` is `600/h`, a timeout `30s`. */
export type WrittenCeilings = { readonly [Key in CeilingKey]?: string | number }

/** All that it names must fit. */
export type WrittenScope = { readonly [Key in keyof CeilingScope]-?: string | null }

export interface CeilingRow extends WrittenScope {
  readonly id: string
  readonly ceilings: WrittenCeilings
}

export interface WrittenRule {
  readonly scope: WrittenScope
  readonly ceilings: WrittenCeilings
  readonly reason: string
}

export const findCeilings = (db: Queryable) =>
  db.query<CeilingRow>(
    sql`select id, provider, site, domain, source, ceilings from delivery_ceilings order by created_at, id limit ${MAX_RULES}`,
  )

/** For lists of operators: the rules are of the installation, and of no team. */
export const ceilingRows = (columns: Rows['columns']): Rows => ({
  columns,
  from: sql`delivery_ceilings c`,
  where: sql`true`,
  id: sql`c.id`,
})

/** Undefined: there is a rule with this scope already. */
export async function insertCeiling(trx: Transaction, rule: WrittenRule): Promise<string | undefined> {
  const { provider, site, domain, source } = rule.scope
  const now = trx.clock.now()
  const [row] = await trx.query<{ id: string }>(sql.write`
    insert into delivery_ceilings (id, provider, site, domain, source, ceilings, reason, created_at, updated_at)
    values (${newId(trx.clock)}, ${provider}, ${site}, ${domain}, ${source}, ${toJson(rule.ceilings)}::jsonb, ${rule.reason}, ${now}, ${now})
    on conflict do nothing
    returning id`)
  trx.announce(CEILINGS_CHANNEL)
  return row?.id
}

/** Whether there is no room for another one: so many are looked after. */
export async function hasAllCeilings(db: Queryable): Promise<boolean> {
  const [row] = await db.query<{ count: number }>(sql`select count(*)::int as count from delivery_ceilings`)
  return row!.count >= MAX_RULES
}

/** Whether another rule has this scope. */
export async function hasOtherCeiling(db: Queryable, id: string, scope: WrittenScope): Promise<boolean> {
  const is = (column: string, value: string | null) => sql`${raw(column)} is not distinct from ${value}::text`
  const same = Object.entries(scope).map(([column, value]) => is(column, value))
  return (
    (await db.query(sql`select from delivery_ceilings where id <> ${id} and ${join(same, ' and ')} limit 1`)).length > 0
  )
}

/** Until the transaction ends nobody else changes any: two that get the same scope would be one rule. Who reads does not wait. */
export async function lockCeiling(trx: Transaction, id: string): Promise<CeilingRow | undefined> {
  await trx.query(sql`lock table delivery_ceilings in share row exclusive mode`)
  const [row] = await trx.query<CeilingRow>(sql`
    select id, provider, site, domain, source, ceilings from delivery_ceilings where id = ${id}`)
  return row
}

export async function updateCeiling(trx: Transaction, id: string, { scope, ceilings, reason }: WrittenRule) {
  const { provider, site, domain, source } = scope
  await trx.query(sql.write`
    update delivery_ceilings set provider = ${provider}, site = ${site}, domain = ${domain}, source = ${source},
      ceilings = ${toJson(ceilings)}::jsonb, reason = ${reason}, updated_at = ${trx.clock.now()}
    where id = ${id}`)
  trx.announce(CEILINGS_CHANNEL)
}

export async function deleteCeiling(trx: Transaction, id: string) {
  await trx.query(sql.write`delete from delivery_ceilings where id = ${id}`)
  trx.announce(CEILINGS_CHANNEL)
}
