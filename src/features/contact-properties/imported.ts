import type { Static } from 'typebox'
import type { Transaction } from '../../kernel/db/database.ts'
import { toJson } from '../../kernel/db/rows.ts'
import { sql } from '../../kernel/db/sql.ts'
import { columnValues, insertion } from '../../kernel/http/columns.ts'
import { type Imported, keptId, type Provenance } from '../imported.ts'
import { type CreateContactProperty, type PropertyType, CreateContactProperty as Shape } from './schema.ts'

export interface ImportedProperty extends Imported {
  /** As it is here: values of contacts hang on it, so that of a property that was here before stays. */
  readonly type: PropertyType
}

/** A contact property of another account: one with its key is taken for the same. */
export async function importProperty(
  trx: Transaction,
  team: string,
  property: Provenance & Static<typeof CreateContactProperty>,
): Promise<ImportedProperty> {
  const { key, type, fallback_value = null, created_at } = property
  const [known] = await trx.query<{ id: string; type: PropertyType }>(sql`
    select id, type from contact_properties where team_id = ${team} and key = ${key}`)
  if (known) {
    const fits = fallback_value === null || typeof fallback_value === known.type
    const changed = fits
      ? await trx.query(sql.write`
          update contact_properties set fallback_value = ${toJson(fallback_value)}::jsonb
          where team_id = ${team} and id = ${known.id} and fallback_value is distinct from ${toJson(fallback_value)}::jsonb
          returning id`)
      : []
    return { ...known, outcome: changed.length > 0 ? 'updated' : 'unchanged' }
  }
  const wanted = keptId(property)
  const row = { team_id: team, id: wanted, created_at, ...columnValues(Shape, property) }
  await trx.query(sql.write`insert into contact_properties ${insertion({ ...row })}`)
  return { id: wanted, type, outcome: 'created' }
}
