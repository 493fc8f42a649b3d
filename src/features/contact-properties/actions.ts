import type { Queryable, Transaction } from '../../kernel/db/database.ts'
import { Problem } from '../../kernel/http/problem.ts'
import { findProperties, insertContactProperty } from './queries.ts'
import type { PropertyType } from './schema.ts'

export function requireType(field: string, type: PropertyType, value: unknown) {
  if (typeof value !== type) throw new Problem('validation_error', `Invalid \`${field}\` field. It must be a ${type}.`)
}

/** What callers wrote under keys, as contacts keep it: under the ids of the properties. Unknown keys and wrong types are refused. */
export async function resolveProperties(
  db: Queryable,
  team: string,
  values: Readonly<Record<string, string | number | null>> | undefined,
): Promise<{ set: Record<string, string | number>; removed: string[] }> {
  const keys = Object.keys(values ?? {})
  const set: Record<string, string | number> = {}
  const removed: string[] = []
  if (keys.length === 0) return { set, removed }
  const known = new Map((await findProperties(db, team, keys)).map((property) => [property.key, property]))
  for (const [key, value] of Object.entries(values!)) {
    const property = known.get(key)
    if (!property)
      throw new Problem(
        'validation_error',
        `Invalid \`properties\` field. There is no contact property with the key \`${key}\`.`,
      )
    if (value === null) {
      removed.push(property.id)
    } else {
      requireType(`properties.${key}`, property.type, value)
      set[property.id] = value
    }
  }
  return { set, removed }
}

/** The properties with these keys; those that do not exist are made. One that exists keeps its type. */
export async function ensureProperties(
  trx: Transaction,
  team: string,
  wanted: readonly { key: string; type: PropertyType }[],
): Promise<Map<string, { id: string; type: PropertyType }>> {
  for (const property of wanted) await insertContactProperty(trx, team, property)
  const properties = await findProperties(
    trx,
    team,
    wanted.map(({ key }) => key),
  )
  return new Map(properties.map(({ key, id, type }) => [key, { id, type }]))
}

/** The types of the properties with these keys. One that does not exist has none. */
export async function typesOfProperties(
  db: Queryable,
  team: string,
  keys: readonly string[],
): Promise<ReadonlyMap<string, PropertyType>> {
  const properties = keys.length === 0 ? [] : await findProperties(db, team, keys)
  return new Map(properties.map(({ key, type }) => [key, type]))
}
