import { renewNotes, takeNamed } from '../../../kernel/blobs/loose-blobs.ts'
import type { Transaction } from '../../../kernel/db/database.ts'
import { raw, type Sql, sql } from '../../../kernel/db/sql.ts'
import { OperatorError } from '../command.ts'
import type { Kind } from '../export/catalogue.ts'
import { type InsertContext, insertPeople, insertRows } from '../export/insert-rows.ts'
import { openLine, SEALED_COLUMNS } from '../export/secrets.ts'
import { inTransaction, type Side, within } from './side.ts'

const BLOBS_AT_ONCE = 8

/** What rows refer to in the other cell: its ids of people, and secrets that it can open. They are as long-lived as the session. */
export const CONTEXT_TABLES = `
  create temp table imported_people (exported_id uuid primary key, id uuid not null, is_new boolean not null);
  create temp table imported_secrets (kind text, key text, sealed bytea not null, primary key (kind, key));
  create temp table kept_keys (key text primary key)`

const arrayOf = (lines: readonly string[]) => `[${lines.join(',')}]`

const fieldsOf = ({ columns }: Kind) => columns.map(({ name }) => name)

export const insertLines = (kind: Kind, lines: readonly string[], context: InsertContext): Sql =>
  insertRows(kind, { fields: fieldsOf(kind), lines: arrayOf(lines) }, context)

/** People are known by their address: who has an account in the other cell already keeps it. */
export const insertPeopleLines = (kind: Kind, lines: readonly string[], context: InsertContext): Sql =>
  insertPeople(kind, { fields: fieldsOf(kind), lines: arrayOf(lines) }, context)

/** Puts rows in the place of those with their keys, with the blobs that they name. */
export async function replaceRows(
  { from, to }: { from: Side; to: Side },
  kind: Kind,
  { lines, context }: { lines: readonly string[]; context: InsertContext },
) {
  const blobs = kind.blobs.length > 0 ? await copyBlobs({ from, to }, kind, lines) : []
  await inTransaction(to, async (trx) => {
    await trx.query(deleteGiven(kind, lines))
    await trx.query(insertLines(kind, lines, context))
    await takeBlobs(trx, blobs)
  })
}

export async function takeBlobs(trx: Transaction, keys: readonly string[]) {
  if (keys.length > 0) await takeNamed(trx, sql`select unnest(${keys}::text[]) as key`)
}

function deleteGiven(kind: Kind, lines: readonly string[]): Sql {
  const key = kind.columns.filter(({ name }) => kind.primaryKey.includes(name))
  return sql.write`
    delete from ${raw(kind.name)} t using json_to_recordset(${arrayOf(lines)}::json)
      as given (${raw(key.map(({ name, type }) => `"${name}" ${type}`).join(', '))})
    where ${raw(key.map(({ name }) => `t."${name}" = given."${name}"`).join(' and '))}`
}

/** Gives the keys of what was copied. Noted before, so that nothing stays behind if the rows never come. */
async function copyBlobs(
  { from, to }: { from: Side; to: Side },
  kind: Kind,
  lines: readonly string[],
): Promise<string[]> {
  const named = lines.flatMap((line) => {
    const row = JSON.parse(line) as Record<string, string | null>
    return kind.blobs.flatMap((column) => row[column] ?? [])
  })
  const known = new Set(await findNamed(to, kind, lines))
  const keys = [...new Set(named)].filter((key) => !known.has(key))
  if (keys.length === 0) return []
  if (!(await renewNotes(to.db, keys)))
    throw new OperatorError('Blobs of this team are just being removed from the other cell. Try again in an hour.')
  for (let at = 0; at < keys.length; at += BLOBS_AT_ONCE)
    await Promise.all(
      keys.slice(at, at + BLOBS_AT_ONCE).map(async (key) => {
        const content = await from.blobs.get(key)
        if (content) await to.blobs.put(key, content)
      }),
    )
  return keys
}

/** Blobs that the same rows name there already. */
async function findNamed(to: Side, kind: Kind, lines: readonly string[]): Promise<string[]> {
  const key = kind.columns.filter(({ name }) => kind.primaryKey.includes(name))
  const columns = kind.blobs.map((column) => `t."${column}"`).join(', ')
  const rows = await within(to).query<{ keys: (string | null)[] }>(sql`
    select array[${raw(columns)}]::text[] as keys from ${raw(kind.name)} t join json_to_recordset(${arrayOf(lines)}::json)
      as given (${raw(key.map(({ name, type }) => `"${name}" ${type}`).join(', '))})
      on ${raw(key.map(({ name }) => `t."${name}" = given."${name}"`).join(' and '))}`)
  return rows.flatMap(({ keys }) => keys.flatMap((one) => one ?? []))
}

/** Secrets of a kind, opened with the key of one cell and sealed with that of the other. */
export async function resealSecrets({ from, to }: { from: Side; to: Side }, kind: Kind, condition: string) {
  const column = SEALED_COLUMNS[kind.name]
  if (!column) return
  const keys = kind.primaryKey.map((name) => `"${name}"::text`).join(', ')
  const { rows } = await from.client.query(
    `select ${keys}, "${column.column}" as sealed from ${kind.name} where ${condition}`,
  )
  const trx = within(to)
  await trx.query(sql.write`delete from imported_secrets where kind = ${kind.name}`)
  for (const { sealed, ...key } of rows) {
    const secret = to.sealer.seal(openLine(from.sealer, { kind: kind.name, key }, sealed), column.contextOf(key))
    await trx.query(sql.write`
      insert into imported_secrets (kind, key, sealed) values (${kind.name}, ${Object.values(key).join(' ')}, ${secret})`)
  }
}

/** Deletes what has no row in the old cell any more. */
export async function deleteOthers(
  to: Side,
  kind: Kind,
  { keys, condition }: { keys: AsyncIterable<string[]>; condition: string },
) {
  const trx = within(to)
  await trx.query(sql.write`delete from kept_keys`)
  for await (const some of keys)
    await trx.query(sql.write`insert into kept_keys select unnest(${some}::text[]) on conflict do nothing`)
  const key = raw(`json_build_array(${kind.primaryKey.map((name) => `t."${name}"::text`).join(', ')})::text`)
  await trx.query(sql.write`
    delete from ${raw(kind.name)} t
    where ${raw(condition)} and not exists (select from kept_keys k where k.key = ${key})`)
}
